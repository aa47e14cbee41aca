//! How a tagged JSON object becomes a typed value and back.
//!
//! Every enum of the wire is a set of structs told apart by one string field (the tag). The macros here declare the
//! structs with the names of their fields, so that a decoder can tell the fields it knows from those it keeps as
//! data. What cannot be typed (an unknown tag, or a known one with a field of the wrong type) becomes [`Unknown`].

use serde_json::{Map, Value};

/// Fields that the typed struct does not know, kept so that a round trip loses nothing.
pub type Extra = Map<String, Value>;

/// An object whose tag is not known here, or whose fields do not have the types that its tag promises.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// The tag as it stood on the wire, e.g. `"from_the_future"`; empty when there was none.
    pub tag: String,
    /// All other fields, untouched.
    pub fields: Extra,
    /// Why a *known* tag could not be typed, e.g. ``missing field `id` ``; `None` for a tag from the future.
    pub problem: Option<String>,
}

/// Declares a struct of the wire together with the list of its field names.
macro_rules! wire_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident : $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl $name {
            /// The names of the fields as they stand on the wire.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];
        }
    };
}

/// Declares an enum over wire structs, told apart by a tag, and the line type that carries it.
macro_rules! wire_enum {
    (
        $(#[$meta:meta])* pub enum $name:ident tag $tag:literal;
        $(#[$line_meta:meta])* pub struct $line:ident { $body:ident, common: [$($(#[$common_meta:meta])* $common:ident : $common_type:ty),*] }
        $($(#[$variant_meta:meta])* $variant:ident($payload:ty) = $word:literal,)*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($(#[$variant_meta])* $variant($payload),)*
            /// A kind that this version does not know; kept as data.
            Unknown(crate::wire::Unknown),
        }

        impl $name {
            /// Every tag that this version knows, in the order of the reference.
            pub const TAGS: &'static [&'static str] = &[$($word),*];

            /// The tag under which this value stands on the wire.
            pub fn tag(&self) -> &str {
                match self {
                    $($name::$variant(_) => $word,)*
                    $name::Unknown(unknown) => &unknown.tag,
                }
            }

            /// The names of the fields under a tag, beside those that every line may carry; `None` for an unknown tag.
            pub fn fields(tag: &str) -> Option<&'static [&'static str]> {
                match tag {
                    $($word => Some(<$payload>::FIELDS),)*
                    _ => None,
                }
            }

            fn from_fields(tag: String, mut fields: crate::wire::Extra) -> ($name, crate::wire::Extra) {
                match tag.as_str() {
                    $($word => {
                        let extra = crate::wire::split_extra(&mut fields, <$payload>::FIELDS);
                        let object = serde_json::Value::Object(fields);
                        match <$payload as serde::Deserialize>::deserialize(&object) {
                            Ok(payload) => ($name::$variant(payload), extra),
                            Err(error) => ($name::Unknown(crate::wire::untyped(tag, object, extra, &error)), crate::wire::Extra::new()),
                        }
                    })*
                    _ => ($name::Unknown(crate::wire::Unknown { tag, fields, problem: None }), crate::wire::Extra::new()),
                }
            }
        }

        $(#[$line_meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $line {
            $($(#[$common_meta])* pub $common: Option<$common_type>,)*
            /// What the line says.
            pub $body: $name,
            /// Fields that this version does not know.
            pub extra: crate::wire::Extra,
        }

        impl $line {
            /// Reads one object (a line without its line feed).
            ///
            /// # Errors
            /// [`crate::frame::LineError`] when the bytes are not a JSON object with a string under the tag. A known
            /// tag with ill-typed fields is no error: it becomes `Unknown` with its `problem`.
            pub fn decode(line: &[u8]) -> Result<$line, crate::frame::LineError> {
                crate::wire::decode_object(line).and_then($line::from_object)
            }

            /// Like [`Self::decode`], from an object that is parsed already.
            ///
            /// # Errors
            /// [`crate::frame::LineError::NoTag`] when the tag is missing, empty or no string.
            pub fn from_object(mut fields: crate::wire::Extra) -> Result<$line, crate::frame::LineError> {
                match crate::wire::take_tag(&mut fields, $tag) {
                    Some(tag) => Ok($line::from_tagged(tag, fields)),
                    None => Err(crate::frame::LineError::NoTag { name: $tag }),
                }
            }

            #[allow(unused_mut, reason = "a line without common fields takes nothing out")]
            fn from_tagged(tag: String, mut fields: crate::wire::Extra) -> $line {
                $(let $common = crate::wire::take_typed(&mut fields, stringify!($common));)*
                let ($body, extra) = $name::from_fields(tag, fields);
                $line { $($common,)* $body, extra }
            }
        }

        impl From<$name> for $line {
            fn from($body: $name) -> $line {
                $line { $($common: None,)* $body, extra: crate::wire::Extra::new() }
            }
        }

        impl serde::Serialize for $line {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                struct Payload<'a>(&'a $name);

                impl serde::Serialize for Payload<'_> {
                    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                        match self.0 {
                            $($name::$variant(payload) => payload.serialize(serializer),)*
                            $name::Unknown(unknown) => unknown.fields.serialize(serializer),
                        }
                    }
                }

                #[derive(serde::Serialize)]
                struct Flat<'a> {
                    #[serde(rename = $tag, skip_serializing_if = "str::is_empty")]
                    tag: &'a str,
                    $(#[serde(skip_serializing_if = "Option::is_none")] $common: Option<&'a $common_type>,)*
                    #[serde(flatten)]
                    payload: Payload<'a>,
                    #[serde(flatten)]
                    extra: &'a crate::wire::Extra,
                }
                let payload = Payload(&self.$body);
                Flat { tag: self.$body.tag(), $($common: self.$common.as_ref(),)* payload, extra: &self.extra }.serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $line {
            /// Inside another object a line without its tag does not spoil what is around it: it becomes `Unknown`
            /// with an empty tag.
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$line, D::Error> {
                let mut fields = <crate::wire::Extra as serde::Deserialize>::deserialize(deserializer)?;
                if let Some(tag) = crate::wire::take_tag(&mut fields, $tag) {
                    return Ok($line::from_tagged(tag, fields));
                }
                let problem = Some(crate::frame::LineError::NoTag { name: $tag }.to_string());
                let $body = $name::Unknown(crate::wire::Unknown { tag: String::new(), fields, problem });
                Ok($line { $($common: None,)* $body, extra: crate::wire::Extra::new() })
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};

use crate::frame::LineError;

pub(crate) fn decode_object(line: &[u8]) -> Result<Extra, LineError> {
    let text = std::str::from_utf8(line).map_err(|error| LineError::NotUtf8 { at: error.valid_up_to() })?;
    // Editors put a byte order mark before the first line of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str::<Value>(text)
        .map_err(|error| LineError::NotJson { reason: error.to_string() })?
    {
        Value::Object(fields) => Ok(fields),
        _ => Err(LineError::NotAnObject),
    }
}

/// Takes the tag out; leaves the fields as they are when there is none.
pub(crate) fn take_tag(fields: &mut Extra, name: &str) -> Option<String> {
    let tag = fields.get(name)?.as_str().filter(|tag| !tag.is_empty())?.to_owned();
    fields.remove(name);
    Some(tag)
}

/// Takes a field out when it has the right type; one of another type stays with the fields that are kept as data.
pub(crate) fn take_typed<T: serde::de::DeserializeOwned>(fields: &mut Extra, name: &str) -> Option<T> {
    let value = fields.get(name)?;
    let typed = T::deserialize(value).ok()?;
    fields.remove(name);
    Some(typed)
}

pub(crate) fn split_extra(fields: &mut Extra, known: &[&str]) -> Extra {
    if fields.keys().all(|name| known.contains(&name.as_str())) {
        return Extra::new();
    }
    let (kept, extra) =
        std::mem::take(fields).into_iter().partition(|(name, _)| known.contains(&name.as_str()));
    *fields = kept;
    extra
}

pub(crate) fn untyped(tag: String, object: Value, extra: Extra, error: &serde_json::Error) -> Unknown {
    let mut fields = match object {
        Value::Object(fields) => fields,
        _ => Extra::new(),
    };
    fields.extend(extra);
    Unknown { tag, fields, problem: Some(error.to_string()) }
}
