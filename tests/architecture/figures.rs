//! Figures of structure that may only fall: world-wide signatures, tuple parameters, files in one folder.

use super::texts_below;
use std::collections::BTreeMap;
use std::path::Path;

/// Signatures in the simulation crate that take a whole world to change it.
const WHOLE_WORLDS: usize = 58;
/// Functions that take a tuple as a parameter: those of other crates' traits.
const TUPLE_PARAMETERS: usize = 2;
/// Files in one folder, which is the goal.
const FILES_IN_A_FOLDER: usize = 15;

/// Lines of code without tests, comments and blanks.
fn code_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut is_in_tests, mut comes_a_test) = (false, false);
    for line in text.lines() {
        if is_in_tests {
            is_in_tests = !line.starts_with('}');
        } else if comes_a_test {
            (is_in_tests, comes_a_test) = (line.ends_with('{'), false);
        } else if line.starts_with("#[cfg(test)]") {
            comes_a_test = true;
        } else if !line.trim().is_empty() && !line.trim().starts_with("//") {
            lines.push(line);
        }
    }
    lines
}

/// Returns whether the parameters of a function, which begin a text, have a tuple pattern among them.
fn has_tuple_parameter(text: &str) -> bool {
    let (mut depth, mut is_pattern) = (0, false);
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '[' | '{' => {
                depth += 1;
                let before = text[..at].trim_end();
                is_pattern |= sign == '(' && depth == 2 && (before.ends_with('(') || before.ends_with(','));
            }
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return false;
                }
                if is_pattern && depth == 1 {
                    let rest = text[at + 1..].trim_start();
                    if sign == ')' && rest.starts_with(':') {
                        return true;
                    }
                    is_pattern = false;
                }
            }
            _ => {}
        }
    }
    false
}

/// Number of functions with a tuple pattern for a parameter.
fn count_tuple_parameters(code: &str) -> usize {
    let functions = code.split("fn ").skip(1);
    functions.filter(|rest| rest.find('(').is_some_and(|at| has_tuple_parameter(&rest[at..]))).count()
}

/// Figures that may only fall. `--nocapture` prints them.
#[test]
fn figures_of_structure_only_fall() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_source = |path: &Path| {
        let below = path.strip_prefix(&crates).expect("it is below the crates");
        let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.get(1).is_some_and(|part| part == "src")
            && !parts.iter().any(|part| *part == "tests" || *part == "tests.rs")
    };
    let texts: Vec<_> = texts_below(&crates).into_iter().filter(|(path, _)| is_source(path)).collect();
    let mut folders: BTreeMap<&Path, usize> = BTreeMap::new();
    let (mut lines, mut worlds, mut tuples) = (0, 0, 0);
    for (path, text) in &texts {
        let code = code_lines(text);
        lines += code.len();
        *folders.entry(path.parent().expect("a file is in a folder")).or_default() += 1;
        let code = code.join("\n");
        tuples += count_tuple_parameters(&code);
        if path.components().any(|part| part.as_os_str() == "taffeta-sim") {
            worlds += code.matches("&mut World").count() - code.matches("&mut WorldD").count();
        }
    }
    let (folder, files) = folders.into_iter().max_by_key(|(_, files)| *files).expect("there are files");
    println!(
        "{lines} lines of code, {worlds} whole worlds, {tuples} tuple parameters, {files} files in {}",
        folder.display()
    );
    assert!(worlds <= WHOLE_WORLDS, "{worlds} signatures take `&mut World`; at most {WHOLE_WORLDS}");
    assert!(tuples <= TUPLE_PARAMETERS, "{tuples} functions take tuples; at most {TUPLE_PARAMETERS}");
    assert!(files <= FILES_IN_A_FOLDER, "{files} files in {}", folder.display());
}

#[test]
fn tuple_parameters_are_found() {
    let code = "fn a((x, y): (f64, f64)) {}\nfn b(x: (f64, f64)) {}\nfn c(x: f64, (y, z): &(f64, f64)) {}\nfn d() { e((1, 2)) }";
    assert_eq!(count_tuple_parameters(code), 2);
}
