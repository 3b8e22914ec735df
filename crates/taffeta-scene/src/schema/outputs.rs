//! The files that runs and studies write, described by the types that are written.
//!
//! The comment of a field is its meaning. Its unit is in the first brackets of that comment, `1` for a ratio.

use super::page::describe;
use crate::output::{BodyRow, MetricsRow, ProbeRow, header};
use crate::words::plain;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use taffeta_sim::StepReport;
use taffeta_sim::columns::{Column, Value};

/// Beginning of the page.
const HEAD: &str = "# Output files\n\n\
    Columns and fields of the files that `taffeta run` and `taffeta study` write, with units. Written by \
    `taffeta schema --outputs --markdown` from the types that are written. The [guide](guide.md#where-are-the-results) says \
    which to look at first. The unit `1` is that of a ratio. Frames are mesh files; `scene.json` is the scene with all \
    [keys](keys.md) resolved.\n";

/// Description of a file that a run or a study writes.
pub struct OutputFile {
    name: &'static str,
    /// The columns of a table in their order; `None` for a JSON file.
    columns: Option<Vec<String>>,
    schema: Json,
}

impl OutputFile {
    /// A table whose rows are values of `R`.
    pub fn table<R: JsonSchema + Serialize + Default>(name: &'static str) -> Self {
        Self { name, columns: Some(header::<R>()), schema: written_schema::<R>() }
    }

    /// A table with some columns, and a comment.
    pub fn of_columns(
        name: &'static str,
        about: &str,
        columns: impl Iterator<Item = &'static Column>,
    ) -> Self {
        let schema = json!({ "type": "object", "description": about, "properties": {}, "required": [], "additionalProperties": false });
        let table = Self { name, columns: Some(Vec::new()), schema };
        table.with_columns(0, false, columns.map(|column| (column, column.meaning.to_owned())))
    }

    /// The table with further columns from a place on, each with its meaning there; `true`: their values may be missing.
    pub fn with_columns(
        mut self,
        place: usize,
        may_miss: bool,
        columns: impl Iterator<Item = (&'static Column, String)>,
    ) -> Self {
        let start = StepReport::default();
        let mut names = Vec::new();
        for (column, meaning) in columns {
            names.push(column.name.to_owned());
            let value = column.read(&start);
            let kind = if matches!(value, None | Some(Value::Count(_))) { "integer" } else { "number" };
            let kind = if may_miss || value.is_none() { json!([kind, "null"]) } else { json!(kind) };
            self.schema["properties"][column.name] = json!({ "type": kind, "description": meaning });
            if let Some(required) = self.schema["required"].as_array_mut() {
                required.push(column.name.into());
            }
        }
        self.columns.get_or_insert_default().splice(place..place, names);
        self
    }

    /// A JSON file that holds a value of `T`.
    pub fn json<T: JsonSchema>(name: &'static str) -> Self {
        Self { name, columns: None, schema: written_schema::<T>() }
    }

    /// Name of the file.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// JSON schema of the file, or of a row of the table.
    pub fn schema(&self) -> &Json {
        &self.schema
    }

    /// Columns of a table in their order; `None` for a JSON file.
    pub fn columns(&self) -> Option<&[String]> {
        self.columns.as_deref()
    }

    /// Fields that have no meaning, and numbers that have no unit: none if the description is complete.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for (table, fields) in self.objects() {
            for (field, value) in fields {
                let (unit, meaning) = split_unit(value);
                let is_real = self.is_real(value);
                if meaning.is_empty() || (is_real && unit.is_empty()) {
                    gaps.push(format!("{}: {table}.{field}", self.name));
                }
            }
        }
        gaps
    }

    /// All objects with fields: the file or row itself, then those that it refers to, by name.
    fn objects(&self) -> impl Iterator<Item = (&str, &Map<String, Json>)> {
        let inner = self.schema["$defs"].as_object().into_iter().flatten();
        let all =
            std::iter::once(("", &self.schema)).chain(inner.map(|(name, value)| (name.as_str(), value)));
        all.filter_map(|(name, value)| Some((name, value["properties"].as_object()?)))
    }

    /// Returns whether a value is made of real numbers, for which a unit is needed.
    fn is_real(&self, value: &Json) -> bool {
        let kind = &value["type"];
        kind == "number"
            || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "number"))
            || value.get("items").is_some_and(|items| self.is_real(items))
    }

    /// Adds the file to a page: one table for a row, or for each object of a JSON file.
    fn write(&self, page: &mut String) {
        let about = |value: &Json| value["description"].as_str().unwrap_or_default().to_owned();
        // Writing into a text cannot fail.
        let _ = writeln!(page, "\n## {}\n\n{}", self.name, about(&self.schema));
        if let Some(columns) = &self.columns {
            *page += "\n| column | unit | meaning |\n|---|---|---|\n";
            for column in columns {
                let (unit, meaning) = split_unit(&self.schema["properties"][column]);
                let _ = writeln!(page, "| `{column}` | {unit} | {meaning} |");
            }
            return;
        }
        for (name, fields) in self.objects() {
            if !name.is_empty() {
                let _ = writeln!(page, "\n### {name}\n\n{}", about(&self.schema["$defs"][name]));
            }
            *page += "\n| field | value | unit | meaning |\n|---|---|---|---|\n";
            for (field, value) in fields {
                let (unit, meaning) = split_unit(value);
                let _ = writeln!(page, "| `{field}` | {} | {unit} | {meaning} |", describe(field, value));
            }
        }
    }
}

/// Tables that a run writes.
pub fn run_tables() -> [OutputFile; 3] {
    [
        OutputFile::of_columns("metrics.csv", MetricsRow::ABOUT, Column::of_tables()),
        OutputFile::table::<ProbeRow>("probes.csv"),
        OutputFile::table::<BodyRow>("bodies.csv"),
    ]
}

/// Page of Markdown with the columns and fields of files.
pub fn outputs_page(files: &[OutputFile]) -> String {
    let mut page = HEAD.to_owned();
    files.iter().for_each(|file| file.write(&mut page));
    page
}

/// JSON schemas of files by name; of a table the schema of a row.
pub fn outputs_schema(files: &[OutputFile]) -> Json {
    files.iter().map(|file| (file.name.to_owned(), file.schema.clone())).collect::<Map<_, _>>().into()
}

/// Schema of a type as it is written, with plain descriptions and without further fields.
fn written_schema<T: JsonSchema>() -> Json {
    let close = |schema: &mut Schema| {
        if let Some(text) = schema.get("description").and_then(Json::as_str) {
            let text = plain(text);
            schema.insert("description".to_owned(), text.into());
        }
        if schema.get("properties").is_some() {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
    };
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(RecursiveTransform(close));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Unit and meaning of a field: what its description has in the first brackets, and the rest.
fn split_unit(value: &Json) -> (String, String) {
    let text = value["description"].as_str().unwrap_or_default().replace('|', "\\|");
    let Some((before, rest)) = text.split_once(" [") else { return (String::new(), text) };
    let Some((unit, after)) = rest.split_once(']') else { return (String::new(), text) };
    (unit.to_owned(), format!("{before}{after}"))
}
