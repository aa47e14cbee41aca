//! A Rust plugin as a library: the macro [`crate::export!`] and what stands behind the symbol that it makes.
//!
//! It owns the step from a C buffer to a text and back, and that no panic leaves it. What the text says is
//! `plugin/answer.rs`'s business, and the contract is that of [`super::c`].

#![allow(unsafe_code, reason = "a C buffer is a text only by its caller's word")]

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use super::Plugin;
use super::c::{ANSWERED, FAILED, ReplyFn};
use crate::wire::MAX_REQUEST;

/// Makes a library of a plugin: the symbol `carpel_plugin_v1`, which `carpel plugin-host` looks for, and the function
/// `carpel_plugin`, which gives the same plugin to the author's own tests.
///
/// ```
/// use carpel_slots::{Card, CardCx, Line, ToolCall, ToolView};
///
/// struct Clock;
///
/// impl ToolView for Clock {
///     fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
///         Card { title: Some(Line::from("now")), ..Card::default() }
///     }
/// }
///
/// carpel_slots::export! {
///     name: "clock",
///     views: ["clock_now" => Clock, "clock_zone_*" => Clock],
///     commands: [],
/// }
/// # fn main() { assert_eq!(carpel_plugin().hello().views, ["clock_now", "clock_zone_*"]); }
/// ```
///
/// The version is that of the crate. `views` and `commands` may be left out. The crate's `Cargo.toml` says
/// `crate-type = ["cdylib", "rlib"]` below `[lib]`, and does not set `panic = "abort"`: a panic then costs one card, not the
/// process. The macro stands once, at the top of a module.
#[macro_export]
macro_rules! export {
    (
        name: $name:expr
        $(, views: [$($key:expr => $view:expr),* $(,)?])?
        $(, commands: [$($command:expr),* $(,)?])?
        $(,)?
    ) => {
        /// The plugin that this library is.
        pub fn carpel_plugin() -> $crate::plugin::Plugin {
            $crate::plugin::Plugin::new($name, env!("CARGO_PKG_VERSION"))
                $($(.view($key, $view))*)?
                $($(.command($command))*)?
        }

        #[allow(unsafe_code)]
        const _: () = {
            static PLUGIN: $crate::plugin::export::Held = $crate::plugin::export::Held::new(carpel_plugin);

            unsafe extern "C" fn request(
                line: *const ::std::ffi::c_char,
                length: usize,
                reply: $crate::plugin::c::ReplyFn,
                to: *mut ::std::ffi::c_void,
            ) -> i32 {
                // SAFETY: the host keeps the contract of `RequestFn`, which is that of `request`.
                unsafe { PLUGIN.request(line, length, reply, to) }
            }

            static TABLE: $crate::plugin::c::Table = $crate::plugin::c::Table {
                abi: $crate::wire::ABI,
                size: $crate::plugin::c::Table::SIZE,
                request: Some(request),
            };

            // SAFETY: the symbol is the contract's, and a library that is loaded for it defines it once.
            #[unsafe(no_mangle)]
            pub extern "C" fn carpel_plugin_v1() -> *const $crate::plugin::c::Table {
                &TABLE
            }
        };
    };
}

/// A plugin that is made when it is first asked.
pub struct Held {
    make: fn() -> Plugin,
    made: OnceLock<Plugin>,
}

impl Held {
    /// Makes nothing yet.
    pub const fn new(make: fn() -> Plugin) -> Held {
        Held { make, made: OnceLock::new() }
    }

    /// Answers a line through the sink.
    ///
    /// # Safety
    /// `line` is null or has `length` bytes that stay as they are during the call, and `reply` may be called with `to`,
    /// as [`super::c::RequestFn`] has it.
    pub unsafe fn request(&self, line: *const c_char, length: usize, reply: ReplyFn, to: *mut c_void) -> i32 {
        if line.is_null() || length > MAX_REQUEST {
            return FAILED;
        }
        // SAFETY: not null, and the caller vouches for `length` bytes, which are far below `isize::MAX`.
        let bytes = unsafe { std::slice::from_raw_parts(line.cast::<u8>(), length) };
        let Ok(text) = std::str::from_utf8(bytes) else { return FAILED };
        let answer = || self.made.get_or_init(self.make).answer_line(text);
        match catch_unwind(AssertUnwindSafe(answer)) {
            Err(_) => FAILED,
            Ok(None) => ANSWERED,
            // SAFETY: the text lives until the sink has returned, and the caller vouches for `reply` and `to`.
            Ok(Some(text)) => match unsafe { reply(to, text.as_ptr().cast(), text.len()) } {
                super::c::TAKEN => ANSWERED,
                _ => FAILED,
            },
        }
    }
}
