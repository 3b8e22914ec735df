//! `taffeta completions` and `taffeta man`: the words of the command line for shells and for readers of manuals. And the
//! word that a misspelled command is meant to be.

use crate::args::Arguments;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use taffeta_scene::nearest_word;

/// Name of the program.
const PROGRAM: &str = "taffeta";

/// Completions for a shell, as it reads them from a file.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), PROGRAM, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page in roff: the program, then one section for each command.
pub fn manual() -> String {
    let mut program = Arguments::command();
    program.build();
    let mut page = Vec::new();
    // Writing to memory does not fail.
    Man::new(program.clone()).render(&mut page).ok();
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        section(command, &mut page);
    }
    String::from_utf8_lossy(&page).into_owned()
}

/// A command with its options.
fn section(command: &Command, page: &mut Vec<u8>) {
    let name = format!("{PROGRAM} {}", command.get_name());
    page.extend(format!(".SH \"{}\"\n", name.to_uppercase()).bytes());
    let man = Man::new(command.clone());
    man.render_synopsis_section(page).ok();
    man.render_description_section(page).ok();
    man.render_options_section(page).ok();
}

/// Proposes the command with the fewest other letters than the unknown one of an error, if one is near. The parser prefers
/// common letters at the ends: of `rn` it would make `render`.
pub(crate) fn propose_command(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let program = Arguments::command();
    let names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
    if let Some(nearest) = nearest_word(word, &names) {
        let proposal = ContextValue::Strings(vec![nearest.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, proposal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_completed_and_in_the_manual() {
        let page = manual();
        assert!(page.contains(".TH taffeta 1"), "{}", &page[..200]);
        let scripts = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell].map(completions);
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            assert!(page.contains(&format!(".SH \"TAFFETA {}\"", name.to_uppercase())), "{name}");
            assert!(scripts.iter().all(|script| script.contains(name)), "{name}");
        }
        assert!(page.contains("\\-\\-resume") && scripts.iter().all(|script| script.contains("resume")));
    }
}
