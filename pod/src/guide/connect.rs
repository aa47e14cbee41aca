//! What guide says about itself: that no model is behind it, and how one is connected.
//!
//! One place, so that the sentences change in one place. It refuses to know requests and results.

/// Said once in a conversation: in help, in a greeting, or when something first asks for more than the table.
pub const NO_MODEL: &str = "No model is behind these answers: I am guide, a fixed table of requests that are carried \
                            out with carpel's own tools.";

/// How to connect a model.
pub const CONNECT: &str = "To connect a model, set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` (with `OPENAI_BASE_URL` for \
                           another server that speaks the same), or start a local Ollama, and start carpel again; \
                           `carpel doctor` says what it finds.";
