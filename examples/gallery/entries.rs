//! What the gallery shows. An entry is all that a new picture needs.

use std::path::Path;

/// A picture and how it is made.
pub struct Entry {
    /// Name of the picture, and of the folder in `out/gallery` that its commands write to.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// The commands, one after the other; their results go to `out/gallery/NAME…`.
    pub commands: &'static [&'static str],
    /// The file that becomes the picture: a PNG of `taffeta render`, or a figure of `taffeta study`.
    pub picture: &'static str,
    /// What to see.
    pub text: &'static str,
}

impl Entry {
    /// The name of the file in the gallery.
    pub fn picture_name(&self) -> String {
        let ending = Path::new(self.picture).extension().unwrap_or_default();
        format!("{}.{}", self.name, ending.to_string_lossy())
    }
}

/// The entries in their order on the page.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "stiffness",
        title: "PBD and XPBD: stiffness against iterations",
        commands: &["taffeta study scenes/methods/stiffness.toml \\\n  \
             --vary simulation.iterations=20,40,80,160 \\\n  \
             --vary simulation.solver=pbd/cloth.0.stiffness=0.1,simulation.solver=xpbd \\\n  \
             --reference simulation.solver=direct/simulation.substeps=4/simulation.iterations=50 \\\n  \
             --out out/gallery/stiffness --quiet"],
        picture: "out/gallery/stiffness/figures/end-0.svg",
        text: "TEXT",
    },
    Entry {
        name: "pbd",
        title: "PBD",
        commands: &[
            "taffeta run scenes/methods/swing.toml --set simulation.solver=pbd --out out/gallery/pbd --quiet",
            "taffeta render out/gallery/pbd --wireframe --width 640 --height 480 --out out/gallery/pbd/picture.png",
        ],
        picture: "out/gallery/pbd/picture.png",
        text: "TEXT",
    },
    Entry {
        name: "xpbd",
        title: "XPBD",
        commands: &[
            "taffeta run scenes/methods/swing.toml --set simulation.solver=xpbd simulation.iterations=1 \\\n  \
             --out out/gallery/xpbd --quiet",
            "taffeta render out/gallery/xpbd --wireframe --width 640 --height 480 --out out/gallery/xpbd/picture.png",
        ],
        picture: "out/gallery/xpbd/picture.png",
        text: "TEXT",
    },
    Entry {
        name: "block",
        title: "Block updates",
        commands: &[
            "taffeta run scenes/methods/swing.toml --set simulation.solver=block --out out/gallery/block --quiet",
            "taffeta render out/gallery/block --wireframe --width 640 --height 480 --out out/gallery/block/picture.png",
        ],
        picture: "out/gallery/block/picture.png",
        text: "TEXT",
    },
    Entry {
        name: "global",
        title: "Newton's method with conjugate gradients",
        commands: &[
            "taffeta run scenes/methods/swing.toml --set simulation.solver=global simulation.substeps='\"auto\"' \\\n  \
             --out out/gallery/global --quiet",
            "taffeta render out/gallery/global --wireframe --width 640 --height 480 --out out/gallery/global/picture.png",
        ],
        picture: "out/gallery/global/picture.png",
        text: "TEXT",
    },
    Entry {
        name: "direct",
        title: "Newton's method with a factorization",
        commands: &[
            "taffeta run scenes/methods/swing.toml --set simulation.solver=direct simulation.substeps='\"auto\"' \\\n  \
             --out out/gallery/direct --quiet",
            "taffeta render out/gallery/direct --wireframe --width 640 --height 480 --out out/gallery/direct/picture.png",
        ],
        picture: "out/gallery/direct/picture.png",
        text: "TEXT",
    },
    Entry {
        name: "small_steps",
        title: "Small steps: error against sweeps",
        commands: &["taffeta study scenes/methods/small_steps.toml \\\n  \
             --vary simulation.substeps=1,4,16,64 --vary simulation.iterations=1,4,16,64 \\\n  \
             --vary simulation.solver=xpbd,block \\\n  \
             --reference 'simulation.solver=direct/simulation.substeps=40/simulation.iterations=20/simulation.time=bdf2' \\\n  \
             --out out/gallery/small_steps --quiet"],
        picture: "out/gallery/small_steps/figures/error-sweeps.svg",
        text: "TEXT",
    },
    Entry {
        name: "small_steps_energy",
        title: "Small steps: energy against sweeps",
        commands: &["taffeta study scenes/methods/small_steps.toml \\\n  \
             --vary simulation.substeps=1,4,16,64 --vary simulation.iterations=1,4,16,64 \\\n  \
             --vary simulation.solver=xpbd \\\n  \
             --reference 'simulation.solver=direct/simulation.substeps=40/simulation.iterations=20/simulation.time=bdf2' \\\n  \
             --out out/gallery/small_steps_energy --quiet"],
        picture: "out/gallery/small_steps_energy/figures/energy-sweeps.svg",
        text: "TEXT",
    },
    Entry {
        name: "scaling",
        title: "Scaling by area: hung cloth at converged substeps",
        commands: &["taffeta study scenes/methods/hung_cloth.toml \\\n  \
             --vary 'cloth.0.grid.cells=[8,8]/simulation.substeps=32,cloth.0.grid.cells=[16,16]/simulation.substeps=64,cloth.0.grid.cells=[32,32]/simulation.substeps=128,cloth.0.grid.cells=[64,64]/simulation.substeps=256' \\\n  \
             --vary cloth.0.constraint=edges,strain,energy \\\n  \
             --vary cloth.0.scaling=true,cloth.0.scaling=false/cloth.0.scaling_area=0.001953125 \\\n  \
             --out out/gallery/scaling --quiet"],
        picture: "out/gallery/scaling/figures/end-0.svg",
        text: "TEXT",
    },
    Entry {
        name: "scaling_fixed_cost",
        title: "Scaling by area: hung cloth at a fixed number of substeps",
        commands: &["taffeta study scenes/methods/hung_cloth.toml \\\n  \
             --vary 'cloth.0.grid.cells=[8,8],[16,16],[32,32],[64,64]' \\\n  \
             --vary cloth.0.constraint=edges,strain,energy --vary simulation.solver=block,xpbd \\\n  \
             --out out/gallery/scaling_fixed_cost --quiet"],
        picture: "out/gallery/scaling_fixed_cost/figures/end-0.svg",
        text: "TEXT",
    },
    Entry {
        name: "block_against_rows",
        title: "Blocks against single rows at equal accuracy",
        commands: &["taffeta study scenes/methods/hung_cloth.toml \\\n  \
             --vary simulation.substeps=10,20,40,80,160 \\\n  \
             --vary cloth.0.constraint=edges,strain,energy --vary simulation.solver=block,xpbd \\\n  \
             --reference simulation.solver=block/simulation.substeps=640 \\\n  \
             --out out/gallery/block_against_rows --quiet"],
        picture: "out/gallery/block_against_rows/figures/error-time.svg",
        text: "TEXT",
    },
    Entry {
        name: "bending",
        title: "Bending models side by side",
        commands: &[
            "taffeta run scenes/methods/bending.toml --out out/gallery/bending --quiet",
            "taffeta render out/gallery/bending --wireframe --width 640 --height 480 --out out/gallery/bending/picture.png",
        ],
        picture: "out/gallery/bending/picture.png",
        text: "TEXT",
    },
    Entry {
        name: "adaptive",
        title: "Adaptive mesh",
        commands: &[
            "taffeta run scenes/methods/adaptive.toml --out out/gallery/adaptive --quiet",
            "taffeta render out/gallery/adaptive --wireframe --width 640 --height 480 \\\n  \
             --out out/gallery/adaptive/picture.png",
        ],
        picture: "out/gallery/adaptive/picture.png",
        text: "TEXT",
    },
];
