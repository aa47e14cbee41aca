//! The session log from outside: the folder of bad logs, rows of the bug log, cut tails, two processes, listings.
//!
//! `cases.rs` reads each file of `data/sessions` by name, `rows.rs` has what needs a disk or a large log, `whole.rs` the
//! property that nothing whole is lost, `listing.rs` the picker's view.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod common;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod whole;
