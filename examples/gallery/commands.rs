//! Command lines as they stand in the page, run by the program's library.

use clap::Parser;
use std::error::Error;
use taffeta_cli::args::{Arguments, Command};
use taffeta_cli::run_command;

/// Runs a command line.
pub(crate) fn run(line: &str) -> Result<(), Box<dyn Error>> {
    let text = run_command(parse(line)?).map_err(|failure| format!("{line}\n{failure}"))?;
    if !text.is_empty() {
        println!("  {}", text.trim_end());
    }
    Ok(())
}

fn parse(line: &str) -> Result<Command, clap::Error> {
    Arguments::try_parse_from(split(line)).map(|arguments| arguments.command)
}

/// Splits a command line into words, as a shell does: at white space and at line ends after a backslash, not within
/// single quotes.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => {}
            c if c.is_whitespace() && !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("there is a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Checks that a command could run: its scene with all that is set, and that it writes into a folder.
#[cfg(test)]
pub(crate) fn check(line: &str, folder: &str) -> Result<(), Box<dyn Error>> {
    use taffeta_scene::{Override, Scene};
    use taffeta_study::{Study, StudyOptions};
    let out = match parse(line)? {
        Command::Run(options) => {
            let overrides: Result<Vec<_>, _> =
                options.changes.overrides().map(|text| Override::parse(text)).collect();
            Scene::from_file(&options.scene, &overrides?)?.build()?;
            options.out
        }
        Command::Study(options) => {
            let wanted = StudyOptions {
                vary: options.vary,
                reference: Some(options.reference),
                overrides: options.changes.overrides().cloned().collect(),
                frames: options.frames,
                threads: None,
                repeat: options.repeat,
                skip_check: options.no_check,
            };
            Study::read(&options.scene, &wanted)?;
            options.out
        }
        Command::Render(options) => options.out,
        _ => return Err("an entry runs, studies or renders".into()),
    };
    let out = out.ok_or("its result needs a place: --out")?;
    if out.starts_with(folder) { Ok(()) } else { Err(format!("{} is not in {folder}", out.display()).into()) }
}

#[test]
fn a_line_is_split_as_a_shell_splits_it() {
    assert_eq!(split("a --b 'c d' \\\n  e=\"f\""), ["a", "--b", "c d", "e=\"f\""]);
}
