//! Seams of two edges as text: tables of a scene file, to paste below a `[[cloth]]`.

use super::panels::Panel;
use std::fmt::Write;

/// A table `[[cloth.seam]]` that sews two edges, given by panel and number. `remark` follows its head as a comment, on one line.
pub fn seam_table(panels: &[Panel], sides: [[usize; 2]; 2], ease: bool, remark: &str) -> String {
    let [a, b] = sides.map(|side| edge_run(panels, side));
    let ease = if ease { "ease = true\n" } else { "" };
    let remark = remark.replace(char::is_control, " ");
    format!("[[cloth.seam]]    # {remark}\na = {a}\nb = {b}\n{ease}")
}

/// An edge as a seam names it: an inline table with `panel` and `edge`.
fn edge_run(panels: &[Panel], [panel, edge]: [usize; 2]) -> String {
    format!("{{ panel = {}, edge = {edge} }}", panel_key(panels, panel))
}

/// A panel as a scene names it: by its name, or by its number if it has none of its own.
fn panel_key(panels: &[Panel], number: usize) -> String {
    let name = &panels[number].name;
    let is_first = panels.iter().position(|panel| panel.name == *name) == Some(number);
    if is_first && *name != number.to_string() { quote(name) } else { number.to_string() }
}

/// A basic string of TOML.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_called_by_names_that_a_scene_can_tell_apart() {
        let names = ["front", "1", "front", "a \"b\" \\ 'ä'\u{7}"];
        let panels = names.map(|name| Panel { name: name.into(), edges: vec![vec![0, 1]] });
        let keys: Vec<String> = (0..4).map(|panel| panel_key(&panels, panel)).collect();
        assert_eq!(keys, ["\"front\"", "1", "2", "\"a \\\"b\\\" \\\\ 'ä'\\u0007\""]);
        let table = seam_table(&panels, [[0, 3], [1, 0]], true, "two\nlines");
        let expected = "[[cloth.seam]]    # two lines\na = { panel = \"front\", edge = 3 }\n\
                        b = { panel = 1, edge = 0 }\nease = true\n";
        assert_eq!(table, expected);
        assert!(!seam_table(&panels, [[0, 0], [1, 0]], false, "").contains("ease"));
    }
}
