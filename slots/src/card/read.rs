//! Reading cards as an author of any language writes them: what may be left out, and the short forms.
//!
//! A line is also a string, a span too; a body is also one block or a text; a value in a table is also a number; what is
//! missing is empty; what is not known is skipped. A block of a kind that is not known is an error that names the kinds,
//! since an author who misspelt one has to learn of it. `docs/plugin-wire.md` tells the forms. This file knows no
//! wire; `card/read/line.rs` reads texts and lines.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Action, Block, DiffLine, DiffTag, Hunk, Line, MatchGroup, MatchLine};
use line::{Lines, Text, text};

mod line;

/// The kinds of [`Block`], as the wire names them.
const BLOCKS: [&str; 8] = ["text", "code", "diff", "matches", "table", "fields", "markdown", "output"];

/// The kinds of [`Action`].
const ACTIONS: [&str; 2] = ["open_file", "open_url"];

/// For lines below a record: the same forms.
pub(crate) fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Line>, D::Error> {
    Lines::deserialize(deserializer).map(|lines| lines.0)
}

/// The body of a card: a list of blocks, one block, a text, or null for none given.
pub(super) fn body<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Block>>, D::Error> {
    struct Read;
    impl<'de> Visitor<'de> for Read {
        type Value = Option<Vec<Block>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of blocks, a block, a string or null")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(vec![Block::deserialize(de::value::StrDeserializer::new(text))?]))
        }

        fn visit_map<A: MapAccess<'de>>(self, block: A) -> Result<Self::Value, A::Error> {
            Ok(Some(vec![Block::deserialize(de::value::MapAccessDeserializer::new(block))?]))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(de::value::SeqAccessDeserializer::new(blocks)).map(Some)
        }
    }
    deserializer.deserialize_any(Read)
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Block, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Block;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a string or an object with one of {}", BLOCKS.join(", "))
            }

            fn visit_str<E>(self, text: &str) -> Result<Block, E> {
                Ok(Block::Text(text.lines().map(Line::from).collect()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Block, A::Error> {
                one_of(&BLOCKS, &mut fields, block)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Action;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object with one of {}", ACTIONS.join(", "))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Action, A::Error> {
                one_of(&ACTIONS, &mut fields, action)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// Reads what stands under the first field that names one of `kinds`, and skips the others.
fn one_of<'de, A: MapAccess<'de>, T>(
    kinds: &'static [&'static str],
    fields: &mut A,
    read: fn(&str, &mut A) -> Result<T, A::Error>,
) -> Result<T, A::Error> {
    let mut found = None;
    let mut unknown = String::new();
    while let Some(kind) = fields.next_key::<String>()? {
        if found.is_none() && kinds.contains(&kind.as_str()) {
            found = Some(read(&kind, fields)?);
        } else {
            fields.next_value::<IgnoredAny>()?;
            unknown = kind;
        }
    }
    found.ok_or_else(|| de::Error::unknown_variant(&unknown, kinds))
}

/// What stands under the name of an action.
fn action<'de, A: MapAccess<'de>>(kind: &str, fields: &mut A) -> Result<Action, A::Error> {
    #[derive(serde::Deserialize)]
    struct OpenFile {
        path: String,
        line: Option<u64>,
    }
    Ok(match kind {
        "open_file" => {
            let OpenFile { path, line } = fields.next_value()?;
            Action::OpenFile { path, line }
        }
        _ => Action::OpenUrl(fields.next_value()?),
    })
}

/// What stands under the name of a block.
fn block<'de, A: MapAccess<'de>>(kind: &str, fields: &mut A) -> Result<Block, A::Error> {
    Ok(match kind {
        "text" => Block::Text(fields.next_value::<Lines>()?.0),
        "code" => {
            let Code { lang, first_line, text } = fields.next_value()?;
            Block::Code { lang, first_line, text }
        }
        "diff" => {
            let Diff { path, hunks } = fields.next_value()?;
            Block::Diff { path, hunks }
        }
        "matches" => Block::Matches { groups: fields.next_value::<Matches>()?.groups },
        "table" => {
            let Table { columns, rows } = fields.next_value()?;
            let texts = |row: Vec<Text>| row.into_iter().map(|text| text.0).collect();
            Block::Table { columns: texts(columns), rows: rows.into_iter().map(texts).collect() }
        }
        "fields" => Block::Fields(fields.next_value::<Fields>()?.0),
        "markdown" => Block::Markdown(fields.next_value::<Text>()?.0),
        _ => Block::Output(fields.next_value::<Text>()?.0),
    })
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Code {
    lang: Option<String>,
    first_line: Option<u64>,
    #[serde(deserialize_with = "text")]
    text: String,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Diff {
    path: Option<String>,
    hunks: Vec<Hunk>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Matches {
    groups: Vec<MatchGroup>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Table {
    columns: Vec<Text>,
    rows: Vec<Vec<Text>>,
}

/// Pairs, or an object, whose names are then in the order in which they were read.
struct Fields(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of [name, value] or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pairs: A) -> Result<Fields, A::Error> {
                let mut all = Vec::new();
                while let Some((name, value)) = pairs.next_element::<(Text, Text)>()? {
                    all.push((name.0, value.0));
                }
                Ok(Fields(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Fields, A::Error> {
                let mut all = Vec::new();
                while let Some((name, value)) = pairs.next_entry::<String, Text>()? {
                    all.push((name, value.0));
                }
                Ok(Fields(all))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for DiffLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DiffLine, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = DiffLine;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string that begins with `+`, `-` or a blank, or {\"tag\", \"text\"}")
            }

            fn visit_str<E>(self, line: &str) -> Result<DiffLine, E> {
                let tag = match line.as_bytes().first() {
                    Some(b'+') => DiffTag::Added,
                    Some(b'-') => DiffTag::Removed,
                    Some(b' ') => DiffTag::Context,
                    _ => return Ok(DiffLine::new(DiffTag::Context, line)),
                };
                Ok(DiffLine::new(tag, &line[1..]))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<DiffLine, A::Error> {
                let line = DiffLineFields::deserialize(de::value::MapAccessDeserializer::new(fields))?;
                Ok(DiffLine { tag: line.tag, text: line.text, open: line.open })
            }
        }
        deserializer.deserialize_any(Read)
    }
}

#[derive(serde::Deserialize)]
struct DiffLineFields {
    tag: DiffTag,
    #[serde(default, deserialize_with = "text")]
    text: String,
    #[serde(default)]
    open: bool,
}

impl<'de> Deserialize<'de> for MatchGroup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MatchGroup, D::Error> {
        #[derive(serde::Deserialize)]
        struct Fields {
            #[serde(default, deserialize_with = "text")]
            path: String,
            count: Option<u64>,
            #[serde(default)]
            lines: Vec<MatchLine>,
        }
        let Fields { path, count, lines } = Fields::deserialize(deserializer)?;
        Ok(MatchGroup { path, count: count.unwrap_or(lines.len() as u64), lines })
    }
}
