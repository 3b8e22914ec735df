//! From the bytes of a file to lines that are whole statements.

/// The bytes as text. Names and comments may be in any encoding: what is not UTF-8 there becomes a replacement character.
///
/// # Errors
/// What is wrong, in words, if the bytes are no text, or text of two bytes per character.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("the file is UTF-16 text; save it as UTF-8 or ASCII".to_owned());
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(format!("the file is not text: byte {at} is 0"));
    }
    let bytes = match bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    // Lines of old programs end with a carriage return alone.
    Ok(if text.contains('\n') { text } else { text.replace('\r', "\n") })
}

/// The text with statements that go on after a backslash on one line. The lines that they take are left empty behind them,
/// so that every statement starts in the line in which it did.
///
/// Only statements of numbers go on, and only with a number. A backslash that ends a comment or a name (`usemtl lib\`) is part
/// of it. One before another statement is dropped.
pub(super) fn join_lines(text: String) -> String {
    if !text.contains("\\\n") && !text.contains("\\\r\n") && !text.ends_with('\\') {
        return text;
    }
    let mut joined = String::with_capacity(text.len());
    let mut taken = 0;
    let mut lines = text.lines().peekable();
    let mut is_continued = false;
    while let Some(line) = lines.next() {
        let part = line.strip_suffix('\\').filter(|part| is_continued || is_of_numbers(part));
        let part = part.filter(|part| !part.contains('#'));
        joined += part.unwrap_or(line);
        is_continued = part.is_some() && lines.peek().is_some_and(|next| starts_with_number(next));
        if is_continued {
            joined.push(' ');
            taken += 1;
        } else {
            (0..=taken).for_each(|_| joined.push('\n'));
            taken = 0;
        }
    }
    joined
}

/// Returns whether a line states numbers.
fn is_of_numbers(line: &str) -> bool {
    let keyword = line.split_whitespace().next().unwrap_or_default();
    ["v", "vt", "vn", "vp", "f", "l", "p"].contains(&keyword)
}

/// Returns whether the first word of a line begins as numbers do, or is another backslash.
fn starts_with_number(line: &str) -> bool {
    let rest = line.trim_start();
    rest.starts_with(|c: char| c.is_ascii_digit() || "+-.\\".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_on_several_lines_become_one_and_others_keep_their_lines() {
        let joined = join_lines("v 1 \\\n 2 \\\r\n 3\nf 1 2 3\n".to_owned());
        assert_eq!(joined, "v 1   2   3\n\n\nf 1 2 3\n");
        assert_eq!(join_lines("a\\b\nc".to_owned()), "a\\b\nc");
        assert_eq!(join_lines("f 1 2 3 \\".to_owned()), "f 1 2 3 \n");
        assert_eq!(join_lines("f 1 2 \\\n 3 \\\n".to_owned()), "f 1 2   3 \n\n");
        assert_eq!(join_lines("f 1 \\\r\n\\\r\n 2 3\r\n".to_owned()), "f 1    2 3\n\n\n");
    }

    #[test]
    fn backslashes_of_comments_and_names_take_no_line() {
        for text in ["# a \\\nv 1 2 3\n", "usemtl a\\\nf 1 2 3\n", "f 1 2 3 # b \\\nf 3 2 1\n"] {
            assert_eq!(join_lines(text.to_owned()), text);
        }
        assert_eq!(join_lines("v 1 2 3\\\nv 4 5 6\n".to_owned()), "v 1 2 3\nv 4 5 6\n");
    }

    #[test]
    fn what_is_no_text_is_refused_and_names_may_be_in_any_encoding() {
        assert!(decode(b"\xff\xfev\0 \0".to_vec()).unwrap_err().contains("UTF-16"));
        assert!(decode(b"v 0\0 0".to_vec()).unwrap_err().contains("byte 3 is 0"));
        assert_eq!(decode(b"\xef\xbb\xbfv 1".to_vec()).unwrap(), "v 1");
        assert_eq!(decode(b"g M\xfcller".to_vec()).unwrap(), "g M\u{fffd}ller");
        assert_eq!(decode(b"v 1\rv 2\r".to_vec()).unwrap(), "v 1\nv 2\n");
    }
}
