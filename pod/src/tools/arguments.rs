//! Checks a call's arguments against its tool's schema, and hands them out typed.
//!
//! Owns the part of JSON Schema that tool arguments use: an object with `properties`, `required`, and for each property
//! `type`, `enum`, `minimum`. Tolerated: unknown keys (models add them; a missing required key names them), `null` for
//! an optional key, `3.0` for an integer. An unknown key that is a known one spelt otherwise (`filePath`, `head-limit`)
//! is an error, since what was asked for would be left undone in silence. Anything else that does not fit is an error
//! which names the field and what was expected. Refuses to know any tool. Read next: `toolbox.rs`, which calls this.

use serde_json::{Map, Value};

use super::{ToolFailure, ToolSpec};

/// Whether `arguments` fit the schema of `spec`.
pub fn check_arguments(spec: &ToolSpec, arguments: &Value) -> Result<(), ToolFailure> {
    let Value::Object(given) = arguments else {
        return Err(ToolFailure::new(format!(
            "{}: the arguments are {}, expected a JSON object",
            spec.name,
            kind_of(arguments)
        )));
    };
    let none = Map::new();
    let properties = spec.schema["properties"].as_object().unwrap_or(&none);
    for name in spec.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if given.get(name).is_none_or(Value::is_null) {
            return Err(missing(spec, name, properties, given));
        }
    }
    for key in given.keys().filter(|key| !properties.contains_key(*key)) {
        if let Some(meant) = properties.keys().find(|name| same_name(name, key)) {
            return Err(ToolFailure::new(format!(
                "{}: `{key}` is not known; it is spelt `{meant}` here",
                spec.name
            )));
        }
    }
    for (name, schema) in properties {
        match given.get(name) {
            None | Some(Value::Null) => {}
            Some(value) => check_value(schema, value)
                .map_err(|problem| ToolFailure::new(format!("{}: `{name}` {problem}", spec.name)))?,
        }
    }
    Ok(())
}

/// Arguments that have been checked. A getter answers `None` for what is absent.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<'a>(pub &'a Value);

impl<'a> Arguments<'a> {
    pub fn string(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    pub fn integer(self, name: &str) -> Option<u64> {
        as_integer(self.0.get(name)?).and_then(|number| u64::try_from(number).ok())
    }

    pub fn boolean(self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }
}

fn missing(
    spec: &ToolSpec,
    name: &str,
    properties: &Map<String, Value>,
    given: &Map<String, Value>,
) -> ToolFailure {
    let unknown: Vec<String> =
        given.keys().filter(|key| !properties.contains_key(*key)).map(|key| format!("`{key}`")).collect();
    let got = if unknown.is_empty() {
        String::new()
    } else {
        format!(" (got {}, which {} does not know)", unknown.join(", "), spec.name)
    };
    let schema = &properties.get(name).cloned().unwrap_or_default();
    // The list behind it is for a model; `expected` names what there is.
    let about = schema["description"].as_str().and_then(|about| about.lines().next());
    let about = about.map_or(String::new(), |about| format!(": {}", about.trim_end_matches(':')));
    ToolFailure::new(format!("{}: `{name}` is missing{got}; expected {}{about}", spec.name, expected(schema)))
}

/// Whether two names differ only in case and in what joins their words.
fn same_name(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.replace(['-', '_', ' '], "").to_lowercase();
    // `-n` and `n` are one name, `-C` and `-c` are not: single letters keep their case.
    let one_letters = letters(one);
    if one_letters.len() < 2 {
        return one.trim_start_matches('-') == other.trim_start_matches('-');
    }
    one_letters == letters(other)
}

fn check_value(schema: &Value, value: &Value) -> Result<(), String> {
    let fits = match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => as_integer(value).is_some(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        Some(_) | None => true,
    };
    let listed = schema["enum"].as_array().is_none_or(|allowed| allowed.contains(value));
    let large_enough = match (schema["minimum"].as_f64(), value.as_f64()) {
        (Some(minimum), Some(number)) => number >= minimum,
        _ => true,
    };
    if fits && listed && large_enough {
        Ok(())
    } else if let (false, Some("integer"), Some(number)) = (fits, schema["type"].as_str(), value.as_f64())
        && number.fract() == 0.0
    {
        let fact = if number > 0.0 { "large" } else { "small" };
        Err(format!("is {value}, which is too {fact}; expected {}", expected(schema)))
    } else if fits && !value.is_object() && !value.is_array() {
        // What the argument is for tells whether there is a value for "all".
        let about =
            schema["description"].as_str().filter(|_| !large_enough).map(|about| format!(": {about}"));
        Err(format!("is {value}, expected {}{}", expected(schema), about.unwrap_or_default()))
    } else {
        Err(format!("is {}, expected {}", kind_of(value), expected(schema)))
    }
}

fn expected(schema: &Value) -> String {
    if let Some(allowed) = schema["enum"].as_array() {
        let names: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        return format!("one of {}", names.join(", "));
    }
    let kind = match schema["type"].as_str() {
        Some("integer") => "an integer",
        Some("object") => "an object",
        Some("array") => "an array",
        Some("string") => "a string",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some(_) | None => "a value",
    };
    match &schema["minimum"] {
        Value::Null => kind.to_owned(),
        minimum => format!("{kind}, {minimum} or more"),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    // Some models write every number with a fraction; beyond 2^53 a fraction is no longer exact.
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(whole))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Access, ToolKind};
    use super::*;

    fn check(arguments: Value, expected: Result<(), &str>) {
        let spec = ToolSpec {
            name: "Peel",
            kind: ToolKind::Unspecified,
            description: "",
            schema: json!({"type": "object", "required": ["fruit"], "properties": {
                "fruit": {"type": "string", "description": "what to peel"},
                "times": {"type": "integer", "minimum": 1},
                "all": {"type": "boolean"},
                "mode": {"type": "string", "enum": ["thin", "thick"]},
                "parts": {"type": "array"},
            }}),
            access: Access::Reads,
        };
        let got = check_arguments(&spec, &arguments).map_err(|failure| failure.summary);
        assert_eq!(got, expected.map_err(str::to_owned), "{arguments}");
    }

    #[test]
    fn arguments_and_verdicts() {
        check(json!({"fruit": "fig"}), Ok(()));
        check(json!({"fruit": "fig", "times": 2, "all": false, "mode": "thin", "parts": []}), Ok(()));
        check(json!({"fruit": "fig", "times": 2.0, "all": null, "extra": {}}), Ok(()));
        check(json!([]), Err("Peel: the arguments are an array, expected a JSON object"));
        check(json!({}), Err("Peel: `fruit` is missing; expected a string: what to peel"));
        check(json!({"fruit": null}), Err("Peel: `fruit` is missing; expected a string: what to peel"));
        check(
            json!({"fruti": "fig"}),
            Err(
                "Peel: `fruit` is missing (got `fruti`, which Peel does not know); expected a string: what to peel",
            ),
        );
        check(json!({"fruit": 3}), Err("Peel: `fruit` is a number, expected a string"));
        check(json!({"fruit": "fig", "times": 0}), Err("Peel: `times` is 0, expected an integer, 1 or more"));
        check(
            json!({"fruit": "fig", "times": -4}),
            Err("Peel: `times` is -4, expected an integer, 1 or more"),
        );
        check(
            json!({"fruit": "fig", "times": 1.5}),
            Err("Peel: `times` is a number, expected an integer, 1 or more"),
        );
        check(
            json!({"fruit": "fig", "times": "2"}),
            Err("Peel: `times` is a string, expected an integer, 1 or more"),
        );
        for (number, expected) in [
            ("99999999999999999999", "is 1e+20, which is too large; expected an integer, 1 or more"),
            ("1e300", "is 1e+300, which is too large; expected an integer, 1 or more"),
            ("-99999999999999999999", "is -1e+20, which is too small; expected an integer, 1 or more"),
        ] {
            let times: Value = serde_json::from_str(number).unwrap();
            check(json!({"fruit": "fig", "times": times}), Err(&format!("Peel: `times` {expected}")));
        }
        check(json!({"fruit": "fig", "zzz": 1}), Ok(()));
        check(
            json!({"fruit": "fig", "Mode": "thin"}),
            Err("Peel: `Mode` is not known; it is spelt `mode` here"),
        );
        check(json!({"fruit": "fig", "all": "yes"}), Err("Peel: `all` is a string, expected true or false"));
        check(
            json!({"fruit": "fig", "mode": "fat"}),
            Err("Peel: `mode` is \"fat\", expected one of \"thin\", \"thick\""),
        );
        check(json!({"fruit": "fig", "parts": {}}), Err("Peel: `parts` is an object, expected an array"));
    }

    #[test]
    fn getters() {
        let value = json!({"s": "x", "i": 3.0, "b": true, "n": null});
        let arguments = Arguments(&value);
        assert_eq!(arguments.string("s"), Some("x"));
        assert_eq!(arguments.integer("i"), Some(3));
        assert_eq!(arguments.boolean("b"), Some(true));
        assert_eq!(arguments.string("n"), None);
        assert_eq!(arguments.integer("absent"), None);
    }
}
