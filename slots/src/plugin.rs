//! Plugins: what an author writes to have views and commands in a process of their own.
//!
//! [`c`] is the table by which a library gives its lines to `carpel plugin-host`. The lines themselves are in
//! [`crate::wire`].

pub mod c;
