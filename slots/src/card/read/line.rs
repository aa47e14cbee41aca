//! Reading texts, spans and lines: a string, a number or null where a text is meant, a string for a span, for a line and for
//! lines.
//!
//! Text of a span is made printable here by its role, since nobody knows who wrote it. The blocks are in `card/read.rs`.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::card::{Line, Role, Span};

/// A value that is a text: a string, a number, a truth value, or null for an empty one.
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number, true, false or null")
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Text, E> {
                Ok(Text(text))
            }

            fn visit_bool<E>(self, is: bool) -> Result<Text, E> {
                Ok(Text(is.to_string()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }

            fn visit_unit<E>(self) -> Result<Text, E> {
                Ok(Text(String::new()))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// For a field that is a [`Text`].
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Text::deserialize(deserializer).map(|text| text.0)
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or {\"text\", \"role\"}")
            }

            fn visit_str<E>(self, text: &str) -> Result<Span, E> {
                Ok(Span::new(Role::Plain, text))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Span, E> {
                Ok(Span::new(Role::Plain, &number.to_string()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Span, E> {
                Ok(Span::new(Role::Plain, &number.to_string()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Span, E> {
                Ok(Span::new(Role::Plain, &number.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Span, A::Error> {
                let fields = SpanFields::deserialize(de::value::MapAccessDeserializer::new(fields))?;
                Ok(Span::new(fields.role, &fields.text))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

#[derive(serde::Deserialize)]
struct SpanFields {
    #[serde(default, deserialize_with = "text")]
    text: String,
    #[serde(default, deserialize_with = "role")]
    role: Role,
}

/// A role that is not known, a later one say, is plain: colour is not worth a card.
fn role<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Role, D::Error> {
    let word = Text::deserialize(deserializer)?.0;
    Ok(Role::deserialize(de::value::StrDeserializer::<de::value::Error>::new(&word)).unwrap_or_default())
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Line;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, or a list of strings and {\"text\", \"role\"}")
            }

            fn visit_str<E>(self, text: &str) -> Result<Line, E> {
                Ok(Line::from(text))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Line, E> {
                Ok(Line::from(number.to_string().as_str()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Line, E> {
                Ok(Line::from(number.to_string().as_str()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Line, E> {
                Ok(Line::from(number.to_string().as_str()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, spans: A) -> Result<Line, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(spans)).map(|spans| Line { spans })
            }

            fn visit_map<A: MapAccess<'de>>(self, span: A) -> Result<Line, A::Error> {
                let span = Span::deserialize(de::value::MapAccessDeserializer::new(span))?;
                Ok(Line { spans: vec![span] })
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// Lines: a list of them, or a text whose line feeds part them.
#[derive(Default)]
pub struct Lines(pub Vec<Line>);

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lines, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Lines;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of lines")
            }

            fn visit_str<E>(self, text: &str) -> Result<Lines, E> {
                Ok(Lines(text.lines().map(Line::from).collect()))
            }

            fn visit_unit<E>(self) -> Result<Lines, E> {
                Ok(Lines::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, lines: A) -> Result<Lines, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(lines)).map(Lines)
            }
        }
        deserializer.deserialize_any(Read)
    }
}
