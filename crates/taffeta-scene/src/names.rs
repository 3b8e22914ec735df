//! Names that can be part of file names.

/// Returns whether a name can be part of a file name everywhere: ASCII letters, digits, `-` and `_`, at most 100.
pub fn is_safe_name(name: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 100 && name.chars().all(safe)
}
