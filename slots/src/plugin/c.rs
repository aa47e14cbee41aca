//! The C interface of a plugin that is a library: one symbol, one table, JSON text in and out.
//!
//! A library exports the function [`SYMBOL`], an [`EntryFn`]. It returns a [`Table`] that lives as long as the process. The
//! table has one function, which takes a line of the wire (see [`crate::wire`]) and gives its reply lines to a sink. So a
//! library knows nothing but text: who owns a buffer is never asked, as each is only lent for the call that names it.
//! `slots/include/carpel.h` is the same for C, and a test holds the two together. This file owns the types and the words of
//! the contract; it opens no library and calls none. `plugin/export.rs` makes the Rust side of it.

use std::ffi::{CStr, c_char, c_void};

/// The function that a library exports, an [`EntryFn`]. Its number is that of the [`Table`]'s layout: it changes when the
/// fields that stand there now are no longer read as they are.
pub const SYMBOL: &CStr = c"carpel_plugin_v1";

/// The same contract for C: the text of `carpel.h`, which an author puts beside their source.
pub const HEADER: &str = include_str!("../../include/carpel.h");

/// Gives the table, the same one each time, or null when the library cannot be used here. It is called once.
pub type EntryFn = unsafe extern "C" fn() -> *const Table;

/// Takes one request line and gives its reply lines, none or more, to `reply`, before it returns.
///
/// `line` has `length` bytes of UTF-8 without a line feed, is not ended by a zero byte, and is lent for this call. The
/// function is called from one thread, one call at a time. It returns [`ANSWERED`]; any other number is a failure, for
/// which the request gets `error` as its reply.
pub type RequestFn =
    unsafe extern "C" fn(line: *const c_char, length: usize, reply: ReplyFn, to: *mut c_void) -> i32;

/// The sink: takes one reply line of `length` bytes of UTF-8, without its line feed, and copies it. `to` is what came with
/// the request. It must not be called once the request's function has returned. It returns [`TAKEN`], [`TOO_LONG`] or
/// [`NOT_TEXT`]; nothing is kept of what is not taken.
pub type ReplyFn = unsafe extern "C" fn(to: *mut c_void, text: *const c_char, length: usize) -> i32;

/// What a library is to the host.
///
/// A later layout adds fields at the end and never changes those before: whoever reads it looks at [`Table::size`] first.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// [`crate::wire::ABI`] that the library was built against. It stands first in every layout.
    pub abi: u32,
    /// Bytes of this table as the library knows it, at least [`Table::SIZE`].
    pub size: u32,
    /// Answers a line; null is a fault.
    pub request: Option<RequestFn>,
}

impl Table {
    /// Bytes of the table in this version.
    pub const SIZE: u32 = size_of::<Table>() as u32;
}

/// [`RequestFn`]: the line was dealt with.
pub const ANSWERED: i32 = 0;
/// [`RequestFn`]: the line could not be dealt with.
pub const FAILED: i32 = 1;

/// [`ReplyFn`]: the line was copied.
pub const TAKEN: i32 = 0;
/// [`ReplyFn`]: `length` is over [`crate::wire::MAX_REPLY`]; `text` was not looked at.
pub const TOO_LONG: i32 = 1;
/// [`ReplyFn`]: `text` is null, holds a line feed, or is not UTF-8.
pub const NOT_TEXT: i32 = 2;
