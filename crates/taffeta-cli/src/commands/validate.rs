//! `taffeta validate`: the built-in physical checks.

use crate::args::ValidateOptions;
use crate::failure::Failure;
use crate::log::say;
use std::io::{self, Write};
use std::time::Instant;
use taffeta_scene::Override;
use taffeta_study::validate::{Check, Context, Verdict, find_check, format_head, format_rows};
use taffeta_study::{CHECKS, CheckError, Row};

/// Runs checks and prints a table, check by check.
///
/// # Errors
/// An unknown name or a malformed override, before anything runs; a check that misses or comes to no result.
pub fn validate(options: &ValidateOptions) -> Result<String, Failure> {
    let checks = choose(&options.names)?;
    if options.list {
        return Ok(list(&checks));
    }
    let overrides = options.overrides.iter().map(|text| Override::parse(text)).collect::<Result<Vec<_>, _>>();
    let overrides = overrides.map_err(|error| Failure::usage(&error))?;
    let note = |text: &str| say(format!("{text} …"));
    let context = Context::new(overrides, &note).map_err(|error| Failure::failed(&error))?;
    let mut counts = [0_usize; 3];
    let start = Instant::now();
    for (number, check) in checks.iter().enumerate() {
        note(&format!("{}/{} {}", number + 1, checks.len(), check.name));
        let result = (check.run)(&context);
        count(&result, &mut counts);
        print(number == 0, check, &result);
    }
    let [passes, misses, failures] = counts;
    let seconds = start.elapsed().as_secs_f64();
    match misses + failures {
        0 => Ok(format!("{passes} values pass; {seconds:.1} s")),
        _ => Err(Failure::Failed(format!(
            "{misses} of {} values miss, {failures} of {} checks came to no result; {seconds:.1} s",
            passes + misses,
            checks.len()
        ))),
    }
}

/// The checks of the names, in the order of the table; all without names.
fn choose(names: &[String]) -> Result<Vec<&'static Check>, Failure> {
    if let Some(unknown) = names.iter().find(|name| find_check(name).is_none()) {
        let known: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        let known = known.join(", ");
        return Err(Failure::Usage(format!("there is no check {unknown:?}\n  = allowed: {known}")));
    }
    let wanted = |check: &&Check| names.is_empty() || names.iter().any(|name| name == check.name);
    Ok(CHECKS.iter().filter(wanted).collect())
}

fn list(checks: &[&Check]) -> String {
    checks.iter().map(|check| format!("{:22} {}\n", check.name, check.what)).collect()
}

/// Adds passes, misses and checks without a result.
fn count(result: &Result<Vec<Row>, CheckError>, [passes, misses, failures]: &mut [usize; 3]) {
    let Ok(rows) = result else {
        *failures += 1;
        return;
    };
    for row in rows {
        match row.verdict() {
            Verdict::Pass => *passes += 1,
            Verdict::Miss => *misses += 1,
            Verdict::Reported => {}
        }
    }
}

/// Prints the rows of a check as soon as they are there.
fn print(is_first: bool, check: &Check, result: &Result<Vec<Row>, CheckError>) {
    let mut text = if is_first { format_head() + "\n" } else { String::new() };
    text += &match result {
        Ok(rows) => format_rows(check.name, rows),
        Err(error) => format!("{:22} no result: {error}", check.name),
    };
    let mut out = io::stdout().lock();
    // A reader that has seen enough (`| head`) is no reason to complain.
    writeln!(out, "{text}").and_then(|()| out.flush()).ok();
}
