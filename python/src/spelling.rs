//! Overrides as the assignments of Python that have made them, for messages.

/// Longest value that a message shows of an assignment, in characters.
const SHOWN_VALUE: usize = 60;

/// Spells an override, `key.path=value` with a value in TOML on one line, as the assignment that has made it.
pub(crate) fn spell_assignment(setting: &str) -> String {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let value = toml_as_python(value);
    let value = if value.chars().count() > SHOWN_VALUE { "…" } else { &value };
    format!("scene[\"{}\"] = {value}", key.trim())
}

/// Words with one spelling in TOML and another in Python, outside of strings.
const SPELLINGS: [(&str, &str); 5] = [
    (" = ", ": "),
    ("true", "True"),
    ("false", "False"),
    ("inf", "float(\"inf\")"),
    ("nan", "float(\"nan\")"),
];

/// A value of TOML on one line in the notation of Python. Its strings have double quotes and escapes of JSON, which Python reads.
fn toml_as_python(text: &str) -> String {
    let mut python = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let spelling = SPELLINGS.iter().find(|(toml, _)| rest.starts_with(toml));
        let (length, spelled) = match spelling {
            _ if first == '"' => (string_length(rest), &rest[..string_length(rest)]),
            Some((toml, spelled)) => (toml.len(), *spelled),
            None => (first.len_utf8(), &rest[..first.len_utf8()]),
        };
        python.push_str(spelled);
        rest = &rest[length..];
    }
    python
}

/// Length of the string at the start of a text, with its quotes \[bytes\].
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
