//! The `carpel` program: hands the command line to [`carpel::cli`] and its answer to the shell.
//!
//! Everything else is in the library, so that tests reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    carpel::cli::main()
}
