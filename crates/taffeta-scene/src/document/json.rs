//! JSON with places: serde_json checks the syntax, this scanner then finds where each value stands.

use super::value::{Entry, Kind, Origin, SyntaxError, Value};

/// Parses a JSON text.
pub(crate) fn parse(text: &str) -> Result<Value, SyntaxError> {
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        let start = byte_of(text, error.line(), error.column());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        return Err(SyntaxError { start, end: start + 1, message });
    }
    let mut scanner = Scanner { text, at: 0 };
    let value = scanner.value()?;
    match value.kind {
        Kind::Table(_) => Ok(value),
        _ => Err(SyntaxError { start: 0, end: 1, message: "a scene must be an object".to_owned() }),
    }
}

/// The byte at serde_json's line and column, which counts bytes from 1.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    line_start + column.saturating_sub(1)
}

/// Walks a text that is known to be valid JSON.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn value(&mut self) -> Result<Value, SyntaxError> {
        let start = self.skip_space();
        let kind = match self.peek() {
            b'{' => self.object()?,
            b'[' => self.array()?,
            b'"' => Kind::String(self.string()),
            _ => self.scalar(),
        };
        Ok(Value { kind, origin: Origin::File { start, end: self.at } })
    }

    fn object(&mut self) -> Result<Kind, SyntaxError> {
        let mut entries: Vec<Entry> = Vec::new();
        self.at += 1;
        while self.next_item(b'}') {
            let start = self.at;
            let key = self.string();
            let key_origin = Origin::File { start, end: self.at };
            if entries.iter().any(|entry| entry.key == key) {
                return Err(SyntaxError { start, end: self.at, message: format!("duplicate key `{key}`") });
            }
            self.skip_space();
            self.at += 1;
            entries.push(Entry { key, key_origin, value: self.value()? });
        }
        Ok(Kind::Table(entries))
    }

    fn array(&mut self) -> Result<Kind, SyntaxError> {
        let mut items = Vec::new();
        self.at += 1;
        while self.next_item(b']') {
            items.push(self.value()?);
        }
        Ok(Kind::Array(items))
    }

    /// Moves to the next item of a list; at its end moves past `close` and returns `false`.
    fn next_item(&mut self, close: u8) -> bool {
        self.skip_space();
        if self.peek() == b',' {
            self.at += 1;
            self.skip_space();
        }
        let more = self.peek() != close;
        self.at += usize::from(!more);
        more
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.peek() != b'"' {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_str(&self.text[start..self.at]).unwrap_or_default()
    }

    fn scalar(&mut self) -> Kind {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| ",]}".contains(c) || c.is_whitespace()).unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        match word {
            "true" => Kind::Boolean(true),
            "false" => Kind::Boolean(false),
            "null" => Kind::Other("null", String::new()),
            _ => match (word.parse::<i64>(), word.parse::<f64>()) {
                (Ok(integer), _) => Kind::Integer(integer),
                (_, Ok(number)) => Kind::Float(number),
                _ => Kind::Other("the malformed number", word.to_owned()),
            },
        }
    }

    fn skip_space(&mut self) -> usize {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
        self.at
    }

    fn peek(&self) -> u8 {
        // Only `\0`, which is neither space nor JSON, can follow a valid text.
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_bytes() {
        let text = r#" { "a\"b" : [1, -2.5e1, true, {}], "c": "x]" } "#;
        let root = parse(text).ok().unwrap();
        let list = root.child("a\"b").unwrap();
        assert_eq!(list.child("1").unwrap().kind, Kind::Float(-25.0));
        let Origin::File { start, end } = list.origin else { panic!("a file origin") };
        assert_eq!(&text[start..end], "[1, -2.5e1, true, {}]");
        assert_eq!(root.child("c").unwrap().kind, Kind::String("x]".into()));
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))).is_err());
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let error = parse("{\n  \"a\": 1,,\n}").err().unwrap();
        assert_eq!(error.start, 11, "{}", error.message);
        assert!(parse(r#"{"a": 1, "a": 2}"#).err().unwrap().message.contains("duplicate key `a`"));
    }
}
