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
pub(super) fn join_lines(text: String) -> String {
    if !text.contains("\\\n") && !text.contains("\\\r\n") {
        return text;
    }
    let mut joined = String::with_capacity(text.len());
    let mut taken = 0;
    for line in text.lines() {
        match line.strip_suffix('\\') {
            Some(part) => {
                joined += part;
                joined.push(' ');
                taken += 1;
            }
            None => {
                joined += line;
                (0..=taken).for_each(|_| joined.push('\n'));
                taken = 0;
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_on_several_lines_become_one_and_others_keep_their_lines() {
        let joined = join_lines("v 1 \\\n 2 \\\r\n 3\nf 1 2 3\n".to_owned());
        assert_eq!(joined, "v 1   2   3\n\n\nf 1 2 3\n");
        assert_eq!(join_lines("a\\b\nc".to_owned()), "a\\b\nc");
        assert_eq!(join_lines("f 1 2 3 \\".to_owned()), "f 1 2 3 \\");
        assert_eq!(join_lines("x \\\nf 1 2 \\".to_owned()), "x  f 1 2  ");
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
