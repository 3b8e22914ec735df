//! The command that a misspelled one is meant to be.

use crate::args::Arguments;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};
use taffeta_scene::nearest_word;

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
