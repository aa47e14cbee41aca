//! What guide says about itself: that no model is behind it, and how one is connected.
//!
//! One place, so that the sentences change in one place. It refuses to know requests and results.

/// Said whenever a person could take guide for a model.
pub const NO_MODEL: &str = "No model is behind these answers: I am guide, a fixed table of requests that are carried \
                            out with carpel's own tools.";

/// How to connect a model. Replace this sentence when the first provider lands.
pub const CONNECT: &str = "Model providers come with a later version. Then a model is connected by an environment key \
                           (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY`), by a local Ollama, or with \
                           `--provider`.";
