//! `taffeta completions` and `taffeta man`: shell completions and the manual page, with the feature `extras` only.

use crate::args::Shell;
use crate::failure::Failure;

/// Completions for a shell, as it reads them from a file.
///
/// # Errors
/// If the program was built without the feature.
pub fn completions(shell: &Shell) -> Result<String, Failure> {
    #[cfg(feature = "extras")]
    return Ok(built_in::completions(*shell));
    #[cfg(not(feature = "extras"))]
    Err(missing(&format!("completions {shell}")))
}

/// The manual page in roff: the program, then one section for each command.
///
/// # Errors
/// If the program was built without the feature.
pub fn manual() -> Result<String, Failure> {
    #[cfg(feature = "extras")]
    return Ok(built_in::manual());
    #[cfg(not(feature = "extras"))]
    Err(missing("man"))
}

/// Names the feature that a command needs.
#[cfg(not(feature = "extras"))]
fn missing(command: &str) -> Failure {
    Failure::Usage(format!(
        "{command}: this program was built without shell completions and manual page\n  = build it with `cargo build --release \
         --features extras`"
    ))
}

#[cfg(feature = "extras")]
mod built_in {
    use crate::args::Arguments;
    use clap::{Command, CommandFactory};
    use clap_complete::Shell;
    use clap_mangen::Man;

    /// Name of the program.
    const PROGRAM: &str = "taffeta";

    /// Completions for a shell, as it reads them from a file.
    pub(super) fn completions(shell: Shell) -> String {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), PROGRAM, &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }

    /// The manual page in roff: the program, then one section for each command.
    pub(super) fn manual() -> String {
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
}

#[cfg(all(test, feature = "extras"))]
mod tests {
    use super::built_in::{completions, manual};
    use crate::args::Arguments;
    use clap::CommandFactory;
    use clap_complete::Shell;

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
