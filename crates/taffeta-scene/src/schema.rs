//! The JSON schema of scenes (draft 2020-12), with which an editor completes and checks scene files.
//!
//! It says what a scene may look like: keys, types, ranges, words, defaults, units. Words and defaults are those of the
//! reader, restrictions those of its table. A test compares the keys of every table with those that the reader knows.
//! What depends on several keys at once (a bending model that a solver does not have) is left to the reader.

mod bodies;
mod node;
mod parts;
#[cfg(test)]
mod tests;

use node::{Node, object};
use serde_json::{Value, json};

/// The dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of scenes.
pub fn scene_schema() -> Value {
    let lists = |key: &str, about: &str| {
        let items = json!({ "$ref": format!("#/$defs/{key}") });
        Node(json!({ "type": "array", "description": about, "items": items }))
    };
    let Node(mut schema) = object(
        "A scene of the Taffeta cloth simulator. All quantities are in SI units.",
        [
            ("$schema", Node::string("The schema of this file, for editors. It is not looked at.")),
            ("simulation", parts::simulation()),
            ("cloth", lists("cloth", "The cloths.")),
            ("rope", lists("rope", "The ropes.")),
            ("solid", lists("solid", "The solids.")),
            ("materials", bodies::materials()),
            ("obstacle", lists("obstacle", "What the cloths meet.")),
            ("contact", parts::contact()),
            ("air", parts::air()),
            ("probe", lists("probe", "Points whose motion is recorded in probes.csv.")),
            ("camera", parts::camera()),
            ("output", parts::output()),
        ],
        &["simulation"],
    );
    let is_there = |key: &str| json!({ "properties": { key: { "minItems": 1 } }, "required": [key] });
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!("Taffeta scene");
    schema["anyOf"] = json!([is_there("cloth"), is_there("rope"), is_there("solid")]);
    schema["$defs"] = json!({
        "cloth": bodies::cloth().0,
        "rope": bodies::rope().0,
        "solid": bodies::solid().0,
        "material": bodies::material().0,
        "friction": parts::friction().0,
        "place": parts::place().0,
        "motion": parts::motion().0,
        "obstacle": parts::obstacle().0,
        "probe": parts::probe().0,
    });
    schema
}
