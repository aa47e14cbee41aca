//! The order of choice as a table: wishes, environment and answers in, a provider or a sentence out.

use super::decide::Asked;
use super::*;

/// `line | manifest | environment | what 127.0.0.1's Ollama or a named address lists`, words of the form `name=value`.
fn decided(case: &str) -> String {
    let mut parts = case.split('|').map(|part| {
        part.split_whitespace().filter_map(|word| word.split_once('=')).collect::<Vec<(&str, &str)>>()
    });
    let mut wish = || {
        let part = parts.next().unwrap_or_default();
        let of = |name| part.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Wish { provider: of("provider"), model: of("model"), base_url: of("base_url") }
    };
    let wishes = Wishes { line: wish(), manifest: wish(), thinking: None };
    let (environment, lists) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let variable = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    let mut ask = |asked: Asked<'_>| {
        let found = lists.iter().find(|(url, _)| *url == asked.base_url);
        match found {
            Some((_, "")) => Listed::Models(Vec::new()),
            Some((_, models)) => Listed::Models(models.split(',').map(str::to_owned).collect()),
            None => Listed::Failed(format!("nothing answers at {}; start it", asked.base_url)),
        }
    };
    match decide(&wishes, &variable, &mut ask) {
        Err(error) => error.to_string(),
        Ok(Decision { key, how }) => {
            let key =
                key.map_or_else(String::new, |(secret, variable)| format!(" key {secret} of {variable}"));
            let at = how.base_url.as_ref().map_or_else(String::new, |url| format!(" at {url}"));
            format!("{how}{at}{key} {}", how.passed.join(" ")).trim_end().to_owned()
        }
    }
}

#[test]
fn who_answers() {
    let rows = [
        // Nothing at all.
        ("", "guide answers: no other provider is named, has a key or answers."),
        // The command line beats everything.
        (
            "provider=guide | provider=openai | ANTHROPIC_API_KEY=a",
            "guide answers: the command line says so.",
        ),
        (
            "provider=openai model=m | provider=anthropic model=c base_url=http://x | OPENAI_API_KEY=o",
            "openai answers with m: the command line says so. at https://api.openai.com/v1 key o of OPENAI_API_KEY",
        ),
        // What the manifest says of another provider is not for this one.
        (
            "provider=openai | provider=anthropic model=c base_url=http://x | OPENAI_API_KEY=o",
            "openai answers with gpt-5.5: the command line says so. at https://api.openai.com/v1 key o of OPENAI_API_KEY",
        ),
        // The manifest beats the environment.
        (
            "| provider=openai model=m base_url=http://x/v1 | ANTHROPIC_API_KEY=a",
            "openai answers with m: the manifest says so. at http://x/v1",
        ),
        (
            "model=n | provider=openai model=m base_url=http://x/v1/ |",
            "openai answers with n: the manifest says so; the command line names the model. at http://x/v1",
        ),
        ("| provider=guide | ANTHROPIC_API_KEY=a", "guide answers: the manifest says so."),
        // Keys, Anthropic's first; an empty one is none.
        (
            "| | ANTHROPIC_API_KEY=a OPENAI_API_KEY=o",
            "anthropic answers with claude-sonnet-5: ANTHROPIC_API_KEY is set. at https://api.anthropic.com key a of ANTHROPIC_API_KEY",
        ),
        (
            "| | ANTHROPIC_API_KEY= OPENAI_API_KEY=o",
            "openai answers with gpt-5.5: OPENAI_API_KEY is set. at https://api.openai.com/v1 key o of OPENAI_API_KEY",
        ),
        (
            "model=x | | ANTHROPIC_API_KEY=a ANTHROPIC_BASE_URL=http://proxy/",
            "anthropic answers with x: ANTHROPIC_API_KEY is set; the command line names the model. at http://proxy key a of ANTHROPIC_API_KEY",
        ),
        (
            "| model=x | OPENAI_API_KEY=o",
            "openai answers with x: OPENAI_API_KEY is set; the manifest names the model. at https://api.openai.com/v1 key o of OPENAI_API_KEY",
        ),
        // A local server asks for no key: its address is enough.
        (
            "| | OPENAI_BASE_URL=http://l:8080/v1 | http://l:8080/v1=q,r",
            "openai answers with q: OPENAI_BASE_URL is set; the model is the first that it lists. at http://l:8080/v1",
        ),
        (
            "| | OPENAI_BASE_URL=http://l:8080/v1 ANTHROPIC_API_KEY=a",
            "anthropic answers with claude-sonnet-5: ANTHROPIC_API_KEY is set. at https://api.anthropic.com key a of ANTHROPIC_API_KEY",
        ),
        // A foreign address has models of its own.
        (
            "| | OPENAI_API_KEY=o OPENAI_BASE_URL=http://l:8080/v1 | http://l:8080/v1=bge-small,q,r",
            "openai answers with q: OPENAI_API_KEY is set; the model is the first that it lists. at http://l:8080/v1 key o of OPENAI_API_KEY",
        ),
        ("provider=openai base_url=http://l:8080/v1", "nothing answers at http://l:8080/v1; start it"),
        (
            "provider=openai base_url=http://l:8080/v1 | | | http://l:8080/v1=",
            "no model is chosen, and openai at http://l:8080/v1 lists none; name one with --model",
        ),
        // A local Ollama.
        (
            "| | | http://127.0.0.1:11434/v1=nomic-embed-text,qwen3:8b,llama3",
            "ollama answers with qwen3:8b: it is at http://127.0.0.1:11434/v1; the model is the first that it lists. at http://127.0.0.1:11434/v1",
        ),
        (
            "model=llama3 | | | http://127.0.0.1:11434/v1=qwen3:8b",
            "ollama answers with llama3: it is at http://127.0.0.1:11434/v1; the command line names the model. at http://127.0.0.1:11434/v1",
        ),
        (
            "| | | http://127.0.0.1:11434/v1=",
            "guide answers: no other provider is named, has a key or answers. Ollama answers at http://127.0.0.1:11434/v1, but has no models; `ollama pull NAME` gets one.",
        ),
        (
            "| | OLLAMA_HOST=box",
            "guide answers: no other provider is named, has a key or answers. OLLAMA_HOST is set, but nothing answers at http://box:11434/v1; start it.",
        ),
        ("provider=ollama", "nothing answers at http://127.0.0.1:11434/v1; start it"),
        (
            "provider=ollama | | | http://127.0.0.1:11434/v1=bge-small",
            "no model is chosen, and ollama at http://127.0.0.1:11434/v1 lists none; `ollama pull NAME` gets one",
        ),
        (
            "provider=ollama model=m | | OLLAMA_HOST=0.0.0.0",
            "ollama answers with m: the command line says so. at http://127.0.0.1:11434/v1",
        ),
        (
            "provider=ollama base_url=https://box | | | https://box/v1=a",
            "ollama answers with a: the command line says so; the model is the first that it lists. at https://box/v1",
        ),
        (
            "| | OLLAMA_HOST=ftp://box",
            "guide answers: no other provider is named, has a key or answers. the address `ftp://box` from OLLAMA_HOST begins with neither http:// nor https://; write for example `http://host:11434`.",
        ),
        // A key that nobody takes yet.
        (
            "| | GEMINI_API_KEY=g",
            "guide answers: no other provider is named, has a key or answers. GEMINI_API_KEY is set, but the provider `gemini` is not in this version.",
        ),
        // A model of the manifest is not guide's.
        ("| model=x", "guide answers: no other provider is named, has a key or answers."),
        // What cannot be.
        (
            "model=x",
            "the provider `guide` has no models, so `x` cannot be chosen; leave --model out, or say --provider",
        ),
        (
            "provider=guide base_url=http://x",
            "the provider `guide` is at no address; leave --base-url out, or say --provider",
        ),
        (
            "base_url=http://x | | OPENAI_API_KEY=o",
            "--base-url needs --provider: say who is to be spoken to at `http://x`",
        ),
        (
            "provider=nobody",
            "there is no provider `nobody` in this version; there are guide, anthropic, openai, ollama",
        ),
        (
            "provider=openai-responses",
            "the provider `openai-responses` is not in this version; there are guide, anthropic, openai, ollama",
        ),
        (
            "provider=gemini",
            "the provider `gemini` is not in this version; there are guide, anthropic, openai, ollama",
        ),
        ("provider=anthropic", "the provider `anthropic` needs a key; set ANTHROPIC_API_KEY"),
        ("provider=openai | | OPENAI_API_KEY=", "the provider `openai` needs a key; set OPENAI_API_KEY"),
        (
            "provider=openai base_url=ftp://x",
            "the address `ftp://x` from --base-url begins with neither http:// nor https://; write for example `https://host/v1`",
        ),
        (
            "provider=anthropic | | ANTHROPIC_API_KEY=a ANTHROPIC_BASE_URL=host",
            "the address `host` from ANTHROPIC_BASE_URL begins with neither http:// nor https://; write for example `https://host`",
        ),
        (
            "| provider=ollama base_url=http://x?y |",
            "the address `http://x?y` from `base_url` of the manifest has a `?` or `#` in it; write for example `http://host:11434`",
        ),
        (
            "| | OPENAI_BASE_URL=ftp://x",
            "the address `ftp://x` from OPENAI_BASE_URL begins with neither http:// nor https://; write for example `https://host/v1`",
        ),
    ];
    for (case, expected) in rows {
        assert_eq!(decided(case), expected, "{case}");
    }
}

#[test]
fn what_can_be_known_without_asking() {
    let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "o".to_owned());
    let wishes = |provider: Option<&str>, model: Option<&str>| Wishes {
        line: Wish { provider: provider.map(str::to_owned), model: model.map(str::to_owned), base_url: None },
        ..Wishes::default()
    };
    assert_eq!(check(&wishes(None, None), &|_| None), Ok(()));
    // An Ollama may answer, and have it.
    assert_eq!(check(&wishes(None, Some("m")), &|_| None), Ok(()));
    assert_eq!(check(&wishes(Some("ollama"), None), &|_| None), Ok(()));
    assert_eq!(check(&wishes(Some("openai"), None), &environment), Ok(()));
    assert!(check(&wishes(Some("openai"), None), &|_| None).is_err());
    assert!(check(&wishes(Some("guide"), Some("m")), &environment).is_err());
}

#[test]
fn what_is_said_in_the_chat() {
    let notice = |case: &[(&str, &str)]| {
        let variable =
            |name: &str| case.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let mut ask = |_: Asked<'_>| Listed::Failed("does not answer".to_owned());
        decide(&Wishes::default(), &variable, &mut ask).unwrap().how.notice()
    };
    assert_eq!(notice(&[]), None);
    assert_eq!(
        notice(&[("ANTHROPIC_API_KEY", "a")]).as_deref(),
        Some("anthropic answers with claude-sonnet-5: ANTHROPIC_API_KEY is set.")
    );
    assert_eq!(
        notice(&[("GEMINI_API_KEY", "g")]).as_deref(),
        Some("GEMINI_API_KEY is set, but the provider `gemini` is not in this version.")
    );
}

#[test]
fn a_key_is_not_shown() {
    let wishes = Wishes::default();
    let variable = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-secret".to_owned());
    let decision = decide(&wishes, &variable, &mut |_| Listed::NotAsked).unwrap();
    let shown = format!("{decision:?}");
    assert!(!shown.contains("sk-secret") && shown.contains("OPENAI_API_KEY"), "{shown}");
}

#[test]
fn addresses() {
    let rows = [
        ("https://host/v1/", Ok("https://host/v1")),
        (" http://host:80 ", Ok("http://host:80")),
        ("host", Err("begins with neither")),
        ("https://", Err("is none")),
        ("file:///x", Err("begins with neither")),
        ("https://me:pass@host", Err("a password")),
        ("https://host/?a=b", Err("has a `?`")),
    ];
    for (text, expected) in rows {
        match (address::base_url(text), expected) {
            (Ok(got), Ok(expected)) => assert_eq!(got, expected),
            (Err(got), Err(expected)) => assert!(got.to_string().contains(expected), "{got}"),
            (got, _) => panic!("{text}: {got:?}"),
        }
    }
    assert!(!address::base_url("https://me:pass@host").unwrap_err().to_string().contains("pass@"));
    for (text, expected) in [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        (":1234", "http://127.0.0.1:1234/v1"),
        ("box:80", "http://box/v1"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434/v1"),
        ("https://box/ollama", "https://box/ollama/v1"),
        ("http://box:11434/v1/", "http://box:11434/v1"),
    ] {
        assert_eq!(address::ollama(text).as_deref(), Ok(expected), "{text}");
    }
}
