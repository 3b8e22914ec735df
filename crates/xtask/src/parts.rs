//! The parts of the second tier.

use clap::builder::PossibleValuesParser;
use std::fmt;

/// A command line, word by word, run in the folder of the project.
pub(crate) type Line = &'static [&'static str];

/// Commands that belong together.
pub(crate) struct Part {
    /// Its name.
    pub name: &'static str,
    /// The claim that it shows, and for figures which sentence quotes them.
    pub purpose: &'static str,
    /// Its commands.
    pub lines: &'static [Line],
    /// True if it prints figures that README or guide quote.
    pub has_figures: bool,
}

impl Part {
    const fn check(name: &'static str, purpose: &'static str, lines: &'static [Line]) -> Self {
        Self { name, purpose, lines, has_figures: false }
    }

    const fn figures(name: &'static str, purpose: &'static str, lines: &'static [Line]) -> Self {
        Self { name, purpose, lines, has_figures: true }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:18} {}", self.name, self.purpose)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{:18} $ {}", "", line.join(" ")))
    }
}

/// The names of all parts, for the command line.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(PARTS.iter().map(|part| part.name))
}

/// All parts: checks first, then figures.
pub(crate) const PARTS: &[Part] = &[
    Part::check(
        "tests",
        "every test with all that it takes: a million edits, ten repeats of every contact scene, 10 000 frames, fine meshes, debug against release",
        &[&[
            "cargo",
            "test",
            "--release",
            "--workspace",
            "--no-fail-fast",
            "--",
            "--include-ignored",
            "--skip",
            "external::",
        ]],
    ),
    Part::check(
        "golden",
        "the golden runs, optimized: the same bits as in a build for tests",
        &[&["cargo", "test", "--release", "--workspace", "--test", "suite", "golden_runs_end"]],
    ),
    Part::check(
        "external",
        "files read by other programs, films played, the page in a browser",
        &[&["tests/external/run"]],
    ),
    Part::check(
        "fuzz",
        "every fuzz target for two minutes: readers, messages of the page, edits of meshes, the certificate",
        &[&["fuzz/run", "120"]],
    ),
    Part::check(
        "validate",
        "all physical checks against their references",
        &[&["cargo", "run", "--release", "--", "validate"]],
    ),
    Part::check(
        "gallery",
        "the commands of every picture run",
        &[&["cargo", "run", "--release", "-p", "taffeta-cli", "--example", "gallery"]],
    ),
    Part::figures(
        "first-result",
        "README, the two commands: from nothing built to the picture",
        &[
            &["cargo", "build", "--release", "--target-dir", "target/nightly/fresh"],
            &["rm", "-rf", "target/nightly/drape"],
            &[
                "target/nightly/fresh/release/taffeta",
                "run",
                "scenes/drape.toml",
                "--out",
                "target/nightly/drape",
            ],
            &["target/nightly/fresh/release/taffeta", "render", "target/nightly/drape", "--wireframe"],
        ],
    ),
    Part::figures(
        "extension",
        "README, Numbers: the sheet that hangs by its edge",
        &[&["cargo", "run", "--release", "-p", "taffeta", "--example", "hung_sheet"]],
    ),
    Part::figures(
        "adaptivity",
        "README, Numbers: vertices at equal error; Limitations: the swing from patches",
        &[
            &["cargo", "run", "--release", "--", "validate", "adaptive"],
            &["cargo", "run", "--release", "--", "validate", "resolution"],
        ],
    ),
    Part::figures(
        "solver-speed",
        "docs/notes/performance.md: global, rows, blocks, projective",
        &[
            &["cargo", "bench", "-p", "taffeta-solve", "--bench", "newton"],
            &["cargo", "bench", "-p", "taffeta-solve", "--bench", "rows"],
            &["cargo", "bench", "-p", "taffeta-solve", "--bench", "projective"],
            &["cargo", "bench", "-p", "taffeta", "--bench", "blocks"],
        ],
    ),
    Part::figures(
        "scene-speed",
        "docs/notes/performance.md: drape, contact",
        &[
            &["cargo", "bench", "-p", "taffeta", "--bench", "scene"],
            &["cargo", "bench", "-p", "taffeta", "--bench", "contact"],
        ],
    ),
    Part::figures(
        "remesher-speed",
        "docs/notes/performance.md: the remesher, pictures",
        &[
            &["cargo", "bench", "-p", "taffeta-mesh"],
            &["cargo", "bench", "-p", "taffeta-remesh"],
            &["cargo", "bench", "-p", "taffeta-render", "--bench", "frame"],
        ],
    ),
    Part::figures(
        "page",
        "guide, Looking at it: frames per second and how long a drag takes, for both solvers",
        &[&["tests/external/measure_page", "block"], &["tests/external/measure_page", "global"]],
    ),
];
