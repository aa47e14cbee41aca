//! The forms in which addresses are written, brought into the one that a wire takes.
//!
//! Base URLs are those of the vendors' own kits: Anthropic's without `/v1`, OpenAI's with it. `OLLAMA_HOST` may be as short
//! as Ollama itself takes it. Pure.

use reqwest::Url;

/// An address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the address `{url}` {fact}")]
pub struct Wrong {
    /// As it was written, without what could be secret in it.
    pub url: String,
    pub fact: String,
}

pub const ANTHROPIC: &str = "https://api.anthropic.com";
pub const OPENAI: &str = "https://api.openai.com/v1";
/// Where Ollama listens when nothing else is said.
const OLLAMA_PORT: u16 = 11434;

impl Wrong {
    /// With an example, where it is not known yet whose address it is.
    pub fn of_any_provider(&self) -> String {
        format!("{self}; write for example `https://host/v1`, or `https://host` for anthropic")
    }
}

/// A base URL, without a slash at its end.
///
/// # Errors
/// With what is wrong.
pub fn base_url(text: &str) -> Result<String, Wrong> {
    let wrong = |fact: &str| Wrong { url: text.to_owned(), fact: fact.to_owned() };
    let text = text.trim();
    if !text.contains("://") {
        return Err(wrong("begins with neither http:// nor https://"));
    }
    let url = Url::parse(text).map_err(|error| wrong(&format!("is none ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("begins with neither http:// nor https://"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("names no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // It would be shown wherever the address is.
        return Err(Wrong {
            url: format!("{}://…", url.scheme()),
            fact: "holds a name or a password; keys come from the environment".to_owned(),
        });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("has a `?` or `#` in it"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// The base URL of an Ollama: `host`, `host:port`, `:port`, or a whole URL, each with or without `/v1`.
///
/// # Errors
/// With what is wrong.
pub fn ollama(text: &str) -> Result<String, Wrong> {
    let text = text.trim();
    let (has_scheme, whole) = match text.contains("://") {
        true => (true, text.to_owned()),
        false if text.starts_with(':') => (false, format!("http://127.0.0.1{text}")),
        false => (false, format!("http://{text}")),
    };
    let whole = base_url(&whole)?;
    let mut url = Url::parse(&whole)
        .map_err(|error| Wrong { url: text.to_owned(), fact: format!("is none ({error})") })?;
    // A server that listens everywhere is told so by this address; a client cannot go there.
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        url.set_host(Some("127.0.0.1")).ok();
    }
    let authority = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = authority.split('/').next().unwrap_or_default();
    let names_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if !names_port && !has_scheme {
        url.set_port(Some(OLLAMA_PORT)).ok();
    }
    let base = url.as_str().trim_end_matches('/');
    Ok(if base.ends_with("/v1") { base.to_owned() } else { format!("{base}/v1") })
}
