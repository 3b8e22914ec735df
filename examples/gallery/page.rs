//! The page of the gallery.

use crate::entries::Entry;

const HEAD: &str = "# Gallery

A picture of every method, with the commands that make it. `cargo run --release --example gallery` makes all of them
again, and this page; `cargo run --release --example gallery -- NAME` only those of the entry of that name.

The commands are those of the program (`cargo install --path crates/taffeta-cli`), run in the folder of the project. A
study also writes a page with all its plots and tables, `report.html`.
";

/// The page in Markdown.
pub(crate) fn page(entries: &[Entry]) -> String {
    let list = entries.iter().map(|entry| format!("* [{}](#{})\n", entry.title, anchor(entry.title)));
    let sections = entries.iter().map(section);
    format!("{HEAD}\n{}{}", list.collect::<String>(), sections.collect::<String>())
}

fn section(entry: &Entry) -> String {
    let title = entry.title;
    let picture = |name: &String| format!("![{title}](gallery/{name})\n");
    let pictures: String = entry.picture_names().iter().map(picture).collect();
    let commands = entry.commands.join("\n");
    format!("\n## {title}\n\n{pictures}\n{}\n\n```sh\n{commands}\n```\n", entry.text)
}

/// The anchor that Markdown gives a heading.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
}
