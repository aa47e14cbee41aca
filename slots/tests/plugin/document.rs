//! `docs/plugin-wire.md` says what is so.
