//! Names that other programs give to the tools that have a view here.
//!
//! Data only. A call under such a name is drawn by the view when its arguments are understood (`argument.rs` has the
//! names that these may have), else by the generic card. A tool that registers a view of its own keeps it.

use carpel_slots::register_alias;

register_alias!("read_file", "Read");
register_alias!("view", "Read");
register_alias!("write_file", "Write");
register_alias!("create_file", "Write");
register_alias!("edit_file", "Edit");
register_alias!("str_replace", "Edit");
register_alias!("replace", "Edit");
register_alias!("grep_search", "Grep");
register_alias!("search_files", "Grep");
register_alias!("glob_search", "Glob");
register_alias!("find_files", "Glob");
register_alias!("list_files", "Glob");
register_alias!("bash", "Bash");
register_alias!("shell", "Bash");
register_alias!("local_shell", "Bash");
register_alias!("exec_command", "Bash");
register_alias!("execute", "Bash");
register_alias!("execute_command", "Bash");
register_alias!("run_command", "Bash");
register_alias!("run_shell_command", "Bash");
register_alias!("run_terminal_cmd", "Bash");
