//! Which files of a crate import which, read from their text.
//!
//! A file imports another if it names something that the other defines: in a `use`, or in a path that starts with `crate` or
//! `super`. Names are followed through `pub use` to the file that defines them. Declaring or re-exporting a child is no import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The place of a file in its crate, as the path of its module.
type Module = Vec<String>;

/// A path in a file.
struct Mention {
    is_reexport: bool,
    path: Vec<String>,
    /// The name under which the file knows it.
    name: String,
}

/// The imports of each file, with the names that it takes.
pub(super) struct Imports(BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>>);

impl Imports {
    /// Reads a folder of sources, without its tests.
    pub(super) fn of_folder(folder: &Path) -> Self {
        let mut texts = Vec::new();
        collect_texts(folder, &mut Vec::new(), &mut texts);
        Self::of_texts(texts.iter().map(|(module, text)| (module.clone(), text.as_str())))
    }

    fn of_texts<'a>(texts: impl Iterator<Item = (Module, &'a str)>) -> Self {
        let mentions: BTreeMap<Module, Vec<Mention>> =
            texts.map(|(module, text)| (module, find_mentions(&tokenize(without_tests(text))))).collect();
        let mut reexports: BTreeMap<(&[String], &str), Vec<String>> = BTreeMap::new();
        for (module, list) in &mentions {
            for mention in list.iter().filter(|mention| mention.is_reexport) {
                if let Some(path) = make_absolute(module, &mention.path, &mentions) {
                    reexports.insert((module, &mention.name), path);
                }
            }
        }
        let mut imports: BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>> = BTreeMap::new();
        for (module, list) in &mentions {
            let taken = imports.entry(module.clone()).or_default();
            for mention in list {
                let Some(path) = make_absolute(module, &mention.path, &mentions) else { continue };
                let target = find_definer(path, &mentions, &reexports);
                if target != *module && !(mention.is_reexport && target.starts_with(module)) {
                    taken.entry(target).or_default().insert(mention.name.clone());
                }
            }
        }
        Self(imports)
    }

    /// The circles, a line per import.
    pub(super) fn describe_circles(&self) -> Vec<String> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.0.keys().map(|module| (module, self.reach(module))).collect();
        let mut lines = Vec::new();
        for (module, taken) in &self.0 {
            for (target, names) in taken.iter().filter(|(target, _)| reached[target].contains(module)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lines.push(format!("{} → {}: {}", show(module), show(target), names.join(", ")));
            }
        }
        lines
    }

    /// The imports from one room into another that is not below it, a line per import. Rooms are folders of `house`, a folder of the
    /// crate, from the bottom up; files of it that are in none of them are above all.
    pub(super) fn describe_climbs(&self, house: &[&str], rooms: &[&str]) -> Vec<String> {
        let floor = |module: &Module| {
            let is_within = house.len() <= module.len() && house.iter().zip(module).all(|(a, b)| a == b);
            let room = module.get(house.len());
            let number = room.and_then(|name| rooms.iter().position(|room| room == name));
            is_within.then(|| number.unwrap_or(rooms.len()))
        };
        let mut lines = Vec::new();
        for (module, taken) in &self.0 {
            let Some(own) = floor(module) else { continue };
            for (target, names) in taken.iter().filter(|(target, _)| floor(target) > Some(own)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                lines.push(format!("{} → {}: {}", show(module), show(target), names.join(", ")));
            }
        }
        lines
    }

    /// All files that a file imports, directly or through others.
    fn reach(&self, start: &Module) -> BTreeSet<&Module> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<&Module> = self.0[start].keys().collect();
        while let Some(module) = waiting.pop() {
            if reached.insert(module) {
                waiting.extend(self.0[module].keys());
            }
        }
        reached
    }
}

fn show(module: &Module) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("/") }
}

fn collect_texts(folder: &Path, module: &mut Module, texts: &mut Vec<(Module, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder of sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if stem.contains("tests") {
            continue;
        }
        module.push(stem.clone());
        if path.is_dir() {
            collect_texts(&path, module, texts);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_root = module.len() == 1 && ["lib", "main"].contains(&stem.as_str());
            let is_face = is_root || stem == "mod";
            let name = if is_face { module[..module.len() - 1].to_vec() } else { module.clone() };
            texts.push((name, fs::read_to_string(&path).expect("a source")));
        }
        module.pop();
    }
}

/// A source up to its module of tests, which is its last item.
fn without_tests(text: &str) -> &str {
    let is_module = |after: &str| {
        let rest = after.trim_start();
        rest.starts_with("mod ") && rest.find('{') < rest.find(';').or(Some(usize::MAX))
    };
    let marks = text.match_indices("#[cfg(test)]");
    let start = marks.map(|(at, mark)| (at, at + mark.len())).find(|(_, end)| is_module(&text[*end..]));
    &text[..start.map_or(text.len(), |(at, _)| at)]
}

/// Words and signs, without comments and without what is in quotes.
fn tokenize(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        match chars[i] {
            '/' if at(i + 1) == '/' => i += chars[i..].iter().take_while(|c| **c != '\n').count(),
            '"' => i = skip_quotes(&chars, i),
            '\'' if at(i + 1) == '\\' => {
                i += 3 + chars[i + 3..].iter().take_while(|c| **c != '\'').count() + 1
            }
            '\'' if at(i + 2) == '\'' => i += 3,
            c if c.is_alphanumeric() || c == '_' => {
                i += chars[i..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
                tokens.push(chars[start..i].iter().collect());
            }
            ':' if at(i + 1) == ':' => {
                tokens.push("::".to_owned());
                i += 2;
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(c.to_string());
                }
                i += 1;
            }
        }
    }
    tokens
}

/// The place after a text in quotes; `#` signs before the first one, as raw texts have them, stand after the last one too.
fn skip_quotes(chars: &[char], start: usize) -> usize {
    let signs = chars[..start].iter().rev().take_while(|c| **c == '#').count();
    let is_raw = start > signs && chars[start - signs - 1] == 'r';
    let mut i = start + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' if !is_raw => i += 1,
            '"' if !is_raw || chars[i + 1..].iter().take_while(|c| **c == '#').count() >= signs => {
                return i + 1;
            }
            _ => (),
        }
        i += 1;
    }
    i
}

fn find_mentions(tokens: &[String]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        match tokens[i].as_str() {
            "use" => {
                let end = i + tokens[i..].iter().take_while(|token| *token != ";").count();
                let is_reexport = i > 0 && ["pub", ")"].contains(&tokens[i - 1].as_str());
                let mut rest = tokens[i + 1..end].iter();
                read_tree(&mut rest, &[], is_reexport, &mut mentions);
                i = end;
            }
            "crate" | "super" if tokens.get(i + 1).is_some_and(|next| next == "::") => {
                let mut path = vec![tokens[i].clone()];
                while tokens.get(i + 1).is_some_and(|next| next == "::") && i + 2 < tokens.len() {
                    path.push(tokens[i + 2].clone());
                    i += 2;
                }
                let name = path[path.len() - 1].clone();
                mentions.push(Mention { is_reexport: false, path, name });
            }
            _ => (),
        }
        i += 1;
    }
    mentions
}

/// Reads one tree of a `use` up to its end, or up to the comma or brace after it.
fn read_tree<'a>(
    tokens: &mut impl Iterator<Item = &'a String>,
    prefix: &[String],
    is_reexport: bool,
    mentions: &mut Vec<Mention>,
) -> bool {
    let mut path = prefix.to_vec();
    let mut name = None;
    let mut has_children = false;
    let ends_list = loop {
        match tokens.next().map(String::as_str) {
            None | Some("}") => break true,
            Some(",") => break false,
            Some("{") => {
                has_children = true;
                while !read_tree(tokens, &path, is_reexport, mentions) {}
            }
            Some("as") => name = tokens.next().cloned(),
            Some("::") => (),
            Some(word) => path.push(word.to_owned()),
        }
    };
    if !has_children && path.len() > prefix.len() {
        let name = name.unwrap_or_else(|| path[path.len() - 1].clone());
        mentions.push(Mention { is_reexport, path, name });
    }
    ends_list
}

/// A path from the root of the crate; `None`: it leads to another crate.
fn make_absolute(
    module: &Module,
    path: &[String],
    files: &BTreeMap<Module, Vec<Mention>>,
) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    match path[0].as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([&module[..module.len().saturating_sub(supers)], &path[supers..]].concat()),
        child => {
            let is_child = files.contains_key(&[&module[..], &[child.to_owned()]].concat());
            is_child.then(|| [module, path].concat())
        }
    }
}

/// The file that defines what a path from the root names.
fn find_definer(
    mut path: Vec<String>,
    files: &BTreeMap<Module, Vec<Mention>>,
    reexports: &BTreeMap<(&[String], &str), Vec<String>>,
) -> Module {
    // A name is passed on through fewer files than there are.
    for _ in 0..files.len() {
        let length = (0..=path.len()).rev().find(|length| files.contains_key(&path[..*length]));
        let (module, rest) = path.split_at(length.unwrap_or_default());
        let passed_on = rest.first().and_then(|name| reexports.get(&(module, name.as_str())));
        match passed_on {
            Some(further) => path = [further, &rest[1..]].concat(),
            None => return module.to_vec(),
        }
    }
    path
}

#[test]
fn a_circle_of_files_is_found_through_what_the_root_passes_on() {
    let texts = [
        ("", "mod a;\nmod b;\nmod c;\npub use b::{B, inner::{C as D}};"),
        ("a", "use crate::{B, D};\nuse std::fmt;\nfn a() {}"),
        ("b", "pub mod inner;\npub struct B;\nfn b() { crate::a::a(); }"),
        ("b/inner", "use super::B;"),
        ("c", "use super::a::A;\n// use crate::c;\nconst TEXT: &str = \"crate::c\";"),
        ("a/d", "fn d() {}\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}"),
    ];
    let module = |name: &str| name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let imports = Imports::of_texts(texts.iter().map(|(name, text)| (module(name), *text)));
    assert_eq!(imports.describe_circles(), ["a → b: B", "a → b/inner: D", "b → a: a", "b/inner → b: B"]);
    let without_b = texts.iter().filter(|(name, _)| *name != "b");
    assert!(
        Imports::of_texts(without_b.map(|(name, text)| (module(name), *text))).describe_circles().is_empty()
    );
}

#[test]
fn an_import_from_a_room_into_one_above_it_is_found() {
    let texts = [
        ("", "mod low;\nmod high;\nmod face;"),
        ("low/a", "use crate::high::b::B;\npub struct A;"),
        ("high/b", "use crate::low::a::A;\npub struct B;"),
        ("face", "use crate::low::a::A;\nuse crate::high::b::B;"),
    ];
    let module = |name: &str| name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let imports = Imports::of_texts(texts.iter().map(|(name, text)| (module(name), *text)));
    assert_eq!(imports.describe_climbs(&[], &["low", "high"]), ["low/a → high/b: B"]);
    let texts = texts
        .map(|(name, text)| (module(&format!("house/{name}")), text.replace("crate::", "crate::house::")));
    let imports = Imports::of_texts(texts.iter().map(|(name, text)| (name.clone(), text.as_str())));
    assert_eq!(imports.describe_climbs(&["house"], &["low", "high"]), ["house/low/a → house/high/b: B"]);
}
