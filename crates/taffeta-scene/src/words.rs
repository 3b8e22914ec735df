//! Words in messages: lists, suggestions, key paths.

/// The key path of a key in a table.
pub(crate) fn join_key(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// ` in` and the key path of a table; nothing for the whole scene.
pub(crate) fn place_of(table: &str) -> String {
    if table.is_empty() { String::new() } else { format!(" in `{table}`") }
}

/// The text of a comment, without its line ends and with plain brackets.
pub(crate) fn plain(comment: &str) -> String {
    comment.replace('\n', " ").replace('\\', "")
}

/// `"a", "b"`.
pub(crate) fn quoted_list(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// A suggestion for a misspelled word.
pub(crate) fn did_you_mean(word: &str, words: &[&str]) -> Option<String> {
    nearest_word(word, words).map(|nearest| format!("did you mean `{nearest}`?"))
}

/// Returns the word that a misspelled one is most likely meant to be: at most a third of its characters differ.
pub fn nearest_word<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let limit = (word.chars().count() / 3).max(1);
    let distance = |other: &str| strsim::levenshtein(&word.to_lowercase(), &other.to_lowercase());
    let (distance, nearest) = words.iter().map(|other| (distance(other), *other)).min()?;
    (distance <= limit).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_suggested() {
        assert_eq!(
            did_you_mean("frame_rat", &["duration", "frame_rate"]).unwrap(),
            "did you mean `frame_rate`?"
        );
        assert_eq!(did_you_mean("Cotton", &["cotton", "silk"]).unwrap(), "did you mean `cotton`?");
        assert_eq!(did_you_mean("xyz", &["cotton", "silk"]), None);
    }
}
