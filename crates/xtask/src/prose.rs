//! Length of sentences and paragraphs in pages and comments, and openings of doc comments.
//!
//! Pages are parsed as Markdown, and so is each run of comment lines. Headings, code blocks and HTML are left out. A cell of a
//! table is a paragraph of its own. Code in a sentence is one word; of a link the text counts.

use crate::project;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::fmt;
use std::ops::AddAssign;
use std::path::Path;
use std::process::Command;

/// The most of each kind that pages and comments may have. Lower it with every rewrite; never raise it.
const CEILING: Counts = Counts { sentences: 0, paragraphs: 0, openings: 0 };

/// Words that a sentence may have.
const SENTENCE: usize = 30;
/// Words that a paragraph may have.
const PARAGRAPH: usize = 90;
/// Words that no doc comment begins with: a noun phrase or a verb in the third person reads better out of order.
const OPENINGS: [&str; 5] = ["What ", "Whether ", "Where ", "How ", "The same "];
/// Pages made from doc comments, which are read in the code.
const GENERATED: [&str; 2] = ["docs/keys.md", "docs/outputs.md"];
/// Words with a period that end no sentence.
const ABBREVIATIONS: [&str; 11] =
    ["e.g.", "i.e.", "cf.", "vs.", "al.", "Eq.", "Fig.", "Sec.", "no.", "vol.", "approx."];

/// Numbers of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Sentences that are too long.
    sentences: usize,
    /// Paragraphs that are too long.
    paragraphs: usize,
    /// Doc comments with a wrong opening.
    openings: usize,
}

impl Counts {
    fn of(findings: &[Finding]) -> Self {
        let count = |is_wanted: fn(&Kind) -> bool| findings.iter().filter(|f| is_wanted(&f.kind)).count();
        Self {
            sentences: count(|kind| matches!(kind, Kind::Sentence(_))),
            paragraphs: count(|kind| matches!(kind, Kind::Paragraph(_))),
            openings: count(|kind| matches!(kind, Kind::Opening)),
        }
    }

    fn as_array(self) -> [usize; 3] {
        [self.sentences, self.paragraphs, self.openings]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.sentences += more.sentences;
        self.paragraphs += more.paragraphs;
        self.openings += more.openings;
    }
}

/// Kind of a finding, with the number of words.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Sentence(usize),
    Paragraph(usize),
    Opening,
}

/// A place that should be rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    /// Line in the file, from 1.
    line: usize,
    kind: Kind,
    /// The beginning of the text.
    text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Sentence(words) => write!(f, "sentence of {words} words: {}", self.text),
            Kind::Paragraph(words) => write!(f, "paragraph of {words} words: {}", self.text),
            Kind::Opening => write!(f, "opening: {}", self.text),
        }
    }
}

/// A word with the line on which it is.
type Word = (String, usize);

/// Lists the findings below `paths`, or only counts them without paths; returns whether none of the counts of the whole project
/// is above its ceiling.
pub(crate) fn run(paths: &[String]) -> bool {
    let mut total = Counts::default();
    println!("{:>9} {:>10} {:>8}", "sentences", "paragraphs", "openings");
    for file in files() {
        let text = std::fs::read_to_string(project().join(&file)).unwrap_or_default();
        let findings = find(&file, &text);
        let counts = Counts::of(&findings);
        total += counts;
        let is_listed = paths.iter().any(|path| Path::new(&file).starts_with(path));
        if !findings.is_empty() && (paths.is_empty() || is_listed) {
            let [sentences, paragraphs, openings] = counts.as_array();
            println!("{sentences:>9} {paragraphs:>10} {openings:>8}  {file}");
        }
        if is_listed {
            findings.iter().for_each(|finding| println!("{file}:{}: {finding}", finding.line));
        }
    }
    let [sentences, paragraphs, openings] = total.as_array();
    println!("{sentences:>9} {paragraphs:>10} {openings:>8}  all");
    compare(total)
}

/// Compares counts with the ceiling and says what to do.
fn compare(total: Counts) -> bool {
    let kinds = ["sentences", "paragraphs", "openings"];
    let mut is_good = true;
    for ((kind, count), ceiling) in kinds.iter().zip(total.as_array()).zip(CEILING.as_array()) {
        if count > ceiling {
            println!(
                "{kind}: {count}, the ceiling is {ceiling}; `cargo run -p xtask -- prose PATH ...` lists them"
            );
            is_good = false;
        } else if count < ceiling {
            println!("{kind}: lower the ceiling in crates/xtask/src/prose.rs from {ceiling} to {count}");
        }
    }
    is_good
}

/// All pages and Rust files of the project that are not ignored by Git, in alphabetical order.
fn files() -> Vec<String> {
    let mut command = Command::new("git");
    command.args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md", "*.rs"]);
    let output = command.current_dir(project()).output().expect("git runs");
    assert!(output.status.success(), "git lists the files of the project");
    let names = String::from_utf8(output.stdout).expect("names of files are UTF-8");
    let mut files: Vec<String> = names.lines().map(str::to_owned).collect();
    files.retain(|file| !GENERATED.contains(&file.as_str()));
    files.sort();
    files.dedup();
    files
}

/// Findings in a page or Rust file.
fn find(file: &str, text: &str) -> Vec<Finding> {
    if file.ends_with(".md") {
        return find_in_markdown(text, 1);
    }
    let mut findings = Vec::new();
    for Comment { line, is_doc, text } in comments(text) {
        findings.extend(find_in_markdown(&text, line));
        let begin = text.trim_start();
        if is_doc && OPENINGS.iter().any(|opening| begin.starts_with(opening)) {
            findings.push(Finding { line, kind: Kind::Opening, text: beginning(begin.split_whitespace()) });
        }
    }
    findings
}

/// A run of comment lines of one kind.
struct Comment {
    /// First line, from 1.
    line: usize,
    is_doc: bool,
    /// The text without slashes.
    text: String,
}

/// Comments of a Rust file that have lines of their own.
fn comments(code: &str) -> Vec<Comment> {
    let mut comments: Vec<(&str, usize, Comment)> = Vec::new();
    for (line, text) in code.lines().enumerate().map(|(n, text)| (n + 1, text.trim_start())) {
        let Some(marker) = ["//!", "///", "//"].into_iter().find(|marker| text.starts_with(marker)) else {
            continue;
        };
        let text = &text[marker.len()..];
        match comments.last_mut() {
            Some((last_marker, last_line, comment)) if *last_marker == marker && *last_line + 1 == line => {
                *last_line = line;
                comment.text += "\n";
                comment.text += text.strip_prefix(' ').unwrap_or(text);
            }
            _ => {
                let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
                comments.push((marker, line, Comment { line, is_doc: marker != "//", text }));
            }
        }
    }
    comments.into_iter().map(|(.., comment)| comment).collect()
}

/// Findings in Markdown that begins on a line of a file.
fn find_in_markdown(text: &str, first_line: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    for words in paragraphs(text, first_line) {
        if words.len() > PARAGRAPH {
            findings.push(finding(Kind::Paragraph(words.len()), &words));
        }
        for sentence in sentences(&words) {
            if sentence.len() > SENTENCE {
                findings.push(finding(Kind::Sentence(sentence.len()), sentence));
            }
        }
    }
    findings
}

fn finding(kind: Kind, words: &[Word]) -> Finding {
    let text = beginning(words.iter().map(|(word, _)| word.as_str()));
    Finding { line: words.first().map_or(0, |(_, line)| *line), kind, text }
}

/// The first words of a text.
fn beginning<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.take(12).collect::<Vec<_>>().join(" ") + " ..."
}

/// Words of each paragraph, item of a list, and cell of a table.
fn paragraphs(text: &str, first_line: usize) -> Vec<Vec<Word>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let line_of = |offset: usize| first_line + text[..offset].matches('\n').count();
    let mut blocks = vec![Vec::new()];
    let mut skipped = 0;
    // A word that is not at its end yet, as before code or emphasis.
    let mut open: Option<Word> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let mut add = |piece: &str, open: &mut Option<Word>| {
            for (k, part) in piece.split(char::is_whitespace).enumerate() {
                if k > 0 {
                    blocks.last_mut().expect("there is a block").extend(open.take());
                }
                if !part.is_empty() {
                    open.get_or_insert_with(|| (String::new(), line_of(range.start))).0 += part;
                }
            }
        };
        match event {
            Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Image { .. }) => skipped += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Image) => skipped -= 1,
            _ if skipped > 0 => {}
            Event::Text(piece) => add(&piece, &mut open),
            Event::Code(code) => add(&format!("`{}`", code.replace(char::is_whitespace, "_")), &mut open),
            Event::SoftBreak | Event::HardBreak => add(" ", &mut open),
            Event::Start(tag) if is_block(&tag) => {
                blocks.last_mut().expect("there is a block").extend(open.take());
                blocks.push(Vec::new());
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) => {
                blocks.last_mut().expect("there is a block").extend(open.take());
                blocks.push(Vec::new());
            }
            _ => {}
        }
    }
    blocks.last_mut().expect("there is a block").extend(open.take());
    blocks.into_iter().map(join_signs).filter(|block| !block.is_empty()).collect()
}

/// Joins signs that are no words, as `%.` in `3 %.`, to the word before.
fn join_signs(words: Vec<Word>) -> Vec<Word> {
    let mut joined: Vec<Word> = Vec::new();
    for (text, line) in words {
        match joined.last_mut() {
            _ if text.contains(char::is_alphanumeric) => joined.push((text, line)),
            Some((word, _)) => *word += &text,
            None => {}
        }
    }
    joined
}

/// Returns whether an element begins a paragraph of its own.
fn is_block(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Paragraph | Tag::Item | Tag::List(_) | Tag::TableCell | Tag::BlockQuote(_))
}

/// Sentences of a paragraph: a sentence ends before a word that does not begin with a small letter, after a period, an
/// exclamation or a question mark.
fn sentences(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let mut ends: Vec<usize> = (1..words.len()).filter(|k| is_end(&words[k - 1].0, &words[*k].0)).collect();
    ends.push(words.len());
    let starts = std::iter::once(0).chain(ends.clone());
    starts.zip(ends).map(|(start, end)| &words[start..end])
}

/// Returns whether a sentence ends between two words.
fn is_end(word: &str, next: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', '*', '_', '”']);
    let is_initial = bare.len() == 2 && bare.starts_with(char::is_uppercase);
    let is_stop = bare.ends_with(['.', '!', '?']) && !is_initial;
    let next = next.trim_start_matches(['"', '\'', '(', '*', '_', '“']);
    is_stop && !ABBREVIATIONS.contains(&bare) && !next.starts_with(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<Vec<usize>> {
        let of = |words: &Vec<Word>| sentences(words).map(<[Word]>::len).collect();
        paragraphs(text, 1).iter().map(of).collect()
    }

    #[test]
    fn sentences_and_paragraphs_are_those_that_a_reader_sees() {
        let page = "# A heading does not count.\n\nOne two [three](http://a.b/c). `four` `f i v e`!\nSix, e.g. 7.5 s.\n\n\
            ```text\nno code. At all.\n```\n\n| a | b c |\n|---|---|\n| d. | e f. G |\n\n* h i\n* j\n  k\n";
        assert_eq!(
            lengths(page),
            [vec![3, 2, 4], vec![1], vec![2], vec![1], vec![2, 1], vec![2], vec![2]],
            "{:?}",
            paragraphs(page, 1)
        );
        assert_eq!(lengths("By H. Hinnant et al. 2010 - it is."), [[8]]);
        assert_eq!(lengths("It is 3 %. That is all."), [[3, 3]]);
    }

    #[test]
    fn long_sentences_and_paragraphs_are_found_on_their_lines() {
        let (short, long) = ("Word word.", "Word ".to_owned() + &"word ".repeat(30));
        let found = find_in_markdown(&format!("{short}\n{long}.\n\n{}", "A b c.\n".repeat(31)), 5);
        let places: Vec<(usize, &Kind)> = found.iter().map(|f| (f.line, &f.kind)).collect();
        assert_eq!(places, [(6, &Kind::Sentence(31)), (8, &Kind::Paragraph(93))]);
    }

    #[test]
    fn comments_of_code_are_read_with_their_openings() {
        let code = "//! How a module begins.\n\nfn f() {} // Where it ends.\n/// What it is.\n/// Whatever.\n\
            // Whether it is.\nlet x = 1;\n    /// Whatever it is. How it is.\n    /// The same again.\n///The same as a.\n";
        let lines: Vec<usize> = find("a.rs", code).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 4]);
        assert_eq!(comments(code).len(), 4);
    }
}
