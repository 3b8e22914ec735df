//! Overrides of single values: `cloth.0.grid.cells=[64,64]`.

use crate::document::Document;
use crate::document::toml_tree;
use crate::document::value::{Entry, Kind, Origin, Value};
use crate::error::SceneError;
use crate::scene::settings::material::preset_table;

/// Keys on the way to a value. Scenes nest a handful deep; JSON and TOML files may nest as deep as this.
const MAX_KEYS: usize = 80;

/// One override, applied before a scene is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    text: String,
    keys: Vec<String>,
    value: Value,
}

impl Override {
    /// Reads `key.path=value`. The value is TOML; words that are no TOML are taken as strings. Numbers in the path count
    /// the elements of arrays from 0.
    ///
    /// # Errors
    /// If there is no `=`, a key is empty, or the value is malformed.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let fail = |reason: String| SceneError::Override { text: text.to_owned(), reason };
        let Some((path, value)) = text.split_once('=') else {
            return Err(fail("expected key.path=value, for example cloth.0.grid.cells=[64,64]".to_owned()));
        };
        let keys: Vec<String> = path.trim().split('.').map(|key| key.trim().to_owned()).collect();
        if keys.iter().any(String::is_empty) {
            return Err(fail(format!("`{path}` has an empty key; expected key.path=value")));
        }
        if keys.len() > MAX_KEYS {
            return Err(fail(format!("it has {} keys; scenes nest no deeper than {MAX_KEYS}", keys.len())));
        }
        let value = value.trim();
        let origin = Origin::Setting(0);
        let value = match toml_tree::parse_value(value, origin) {
            Ok(parsed) => parsed,
            // A bare word, such as `denim` or `../meshes/shirt.obj`.
            Err(_) if !value.is_empty() && !value.starts_with(['[', '{', '"', '\'']) => {
                Value { kind: Kind::String(value.to_owned()), origin }
            }
            Err(error) => return Err(fail(format!("the value is malformed: {}", error.message))),
        };
        Ok(Self { text: text.to_owned(), keys, value })
    }

    /// The override as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets the value in a tree; what is missing on the way is created.
    fn apply(&self, root: &mut Value, origin: Origin) -> Result<(), String> {
        self.expand_material(root, origin);
        let mut target = &mut *root;
        for (depth, key) in self.keys.iter().enumerate() {
            let so_far = self.keys[..depth].join(".");
            target = step(target, key, &so_far, origin)?;
        }
        *target = with_origin(self.value.clone(), origin);
        Ok(())
    }

    /// Below `cloth.N.material` that names a material, puts that material's values in place of the name, so that one of
    /// them can be changed.
    fn expand_material(&self, root: &mut Value, origin: Origin) {
        let [cloth, _, material, _, ..] = self.keys.as_slice() else { return };
        if cloth != "cloth" || material != "material" {
            return;
        }
        let Some(Kind::String(name)) = find(root, &self.keys[..3]).map(|value| value.kind.clone()) else {
            return;
        };
        let own = find(root, &["materials".to_owned(), name.clone()]).cloned();
        let preset = preset_table(&name).map(|table| Value::from_json(&table, origin));
        let expanded = match (preset, own) {
            (Some(mut preset), Some(own)) => {
                merge_table(&mut preset, own);
                preset
            }
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => return,
        };
        let mut target = root;
        for (depth, key) in self.keys[..3].iter().enumerate() {
            let Ok(next) = step(target, key, &self.keys[..depth].join("."), origin) else { return };
            target = next;
        }
        *target = Value { kind: expanded.kind, origin: target.origin };
    }
}

/// Applies the overrides of a document in their order.
pub(crate) fn apply_all(document: &mut Document) -> Result<(), SceneError> {
    let settings = document.source.settings.iter();
    let overrides =
        settings.map(|text| Override::parse(text)).collect::<Result<Vec<Override>, SceneError>>()?;
    for (number, setting) in overrides.iter().enumerate() {
        if let Err(message) = setting.apply(&mut document.root, Origin::Setting(number)) {
            let key = setting.keys.join(".");
            let problem = document.problem_at(Origin::Setting(number), &key, message, None);
            return Err(SceneError::Invalid { problems: vec![problem], warnings: Vec::new() });
        }
    }
    Ok(())
}

/// Applies one more override, after those that the document had.
pub(crate) fn apply_one(document: &mut Document, setting: &Override) -> Result<(), SceneError> {
    let origin = Origin::Setting(document.source.settings.len());
    document.source.settings.push(setting.text.clone());
    setting.apply(&mut document.root, origin).map_err(|message| {
        let problem = document.problem_at(origin, &setting.keys.join("."), message, None);
        SceneError::Invalid { problems: vec![problem], warnings: Vec::new() }
    })
}

fn find<'a>(root: &'a Value, keys: &[String]) -> Option<&'a Value> {
    keys.iter().try_fold(root, |value, key| value.child(key))
}

/// Puts the entries of `change` over those of `base`.
fn merge_table(base: &mut Value, change: Value) {
    let (Kind::Table(entries), Kind::Table(changes)) = (&mut base.kind, change.kind) else { return };
    for entry in changes {
        match entries.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry,
            None => entries.push(entry),
        }
    }
}

/// The child of a table or array, created if it is missing.
fn step<'a>(value: &'a mut Value, key: &str, path: &str, origin: Origin) -> Result<&'a mut Value, String> {
    let index = key.parse::<usize>().ok();
    let empty = matches!(&value.kind, Kind::Table(entries) if entries.is_empty());
    if index.is_some() && empty && value.origin == origin {
        // A table that this override has just made turns out to be an array.
        value.kind = Kind::Array(Vec::new());
    }
    if !matches!(value.kind, Kind::Table(_) | Kind::Array(_)) {
        return Err(format!("`{path}` is {}: it has no `{key}`", value.describe()));
    }
    let new = || Value { kind: Kind::Table(Vec::new()), origin };
    match &mut value.kind {
        Kind::Table(entries) => {
            let at = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
                entries.push(Entry { key: key.to_owned(), key_origin: origin, value: new() });
                entries.len() - 1
            });
            Ok(&mut entries[at].value)
        }
        Kind::Array(items) => {
            let count = items.len();
            let Some(index) = index else {
                return Err(format!("`{path}` is an array: `{key}` must be a number below {count}"));
            };
            if index > count {
                return Err(format!("`{path}` has {count} elements: there is no number {index}"));
            }
            if index == count {
                items.push(new());
            }
            Ok(&mut items[index])
        }
        _ => unreachable!("only tables and arrays come here"),
    }
}

fn with_origin(value: Value, origin: Origin) -> Value {
    let kind = match value.kind {
        Kind::Array(items) => Kind::Array(items.into_iter().map(|item| with_origin(item, origin)).collect()),
        Kind::Table(entries) => Kind::Table(
            entries
                .into_iter()
                .map(|e| Entry { key: e.key, key_origin: origin, value: with_origin(e.value, origin) })
                .collect(),
        ),
        other => other,
    };
    Value { kind, origin }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml_or_bare_words() {
        let kind = |text: &str| Override::parse(text).unwrap().value.kind;
        assert_eq!(kind("a.b=3"), Kind::Integer(3));
        assert_eq!(kind("a=2.5"), Kind::Float(2.5));
        assert_eq!(kind("a = denim"), Kind::String("denim".into()));
        assert_eq!(kind("a=../m/shirt.obj"), Kind::String("../m/shirt.obj".into()));
        assert_eq!(kind("a=\"x y\""), Kind::String("x y".into()));
        assert!(matches!(kind("a=[64,64]"), Kind::Array(items) if items.len() == 2));
        assert!(matches!(kind("a={ density = 0.1 }"), Kind::Table(entries) if entries.len() == 1));
    }

    #[test]
    fn malformed_overrides_are_refused() {
        for (text, part) in
            [("abc", "key.path=value"), ("a..b=1", "empty key"), ("a=[1", "malformed"), ("a=", "malformed")]
        {
            let message = Override::parse(text).unwrap_err().to_string();
            assert!(message.starts_with(&format!("--set {text}: ")) && message.contains(part), "{message}");
        }
    }

    #[test]
    fn missing_tables_and_arrays_are_created() {
        let mut root = Value { kind: Kind::Table(Vec::new()), origin: Origin::File { start: 0, end: 0 } };
        Override::parse("cloth.0.pin.0.x=1").unwrap().apply(&mut root, Origin::Setting(0)).unwrap();
        Override::parse("cloth.0.pin.1.x=2").unwrap().apply(&mut root, Origin::Setting(1)).unwrap();
        assert_eq!(root.to_json(), serde_json::json!({"cloth": [{"pin": [{"x": 1}, {"x": 2}]}]}));
        let error = Override::parse("cloth.5.x=1").unwrap().apply(&mut root, Origin::Setting(2)).unwrap_err();
        assert!(error.contains("`cloth` has 1 elements"), "{error}");
    }
}
