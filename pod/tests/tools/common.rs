//! The hard tree (`data/make_tree.sh`) and the seam through which the tools are tested.
//!
//! Built once for all tests of a run; nobody writes into it. A small shell waits for the end of the test program,
//! whatever way it ends, and takes the tree away.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use carpel_pod::tools::{ToolReport, run_tool};
use serde_json::Value;

pub struct HardTree {
    folder: PathBuf,
    /// Its input is closed by the system when this program ends, which is what it waits for.
    _until: Child,
}

impl HardTree {
    pub fn get() -> &'static HardTree {
        static SHARED: OnceLock<HardTree> = OnceLock::new();
        SHARED.get_or_init(HardTree::build)
    }

    fn build() -> HardTree {
        let folder = tempfile::tempdir().unwrap().keep();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/make_tree.sh");
        let built = Command::new("sh").arg(script).arg(folder.join("tree")).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        // Some folders of the tree forbid their own removal.
        let wait_and_remove = r#"cat >/dev/null; chmod -R u+rwx "$1"; rm -rf "$1""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", wait_and_remove, "sh"]).arg(&folder).current_dir("/");
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        HardTree { folder, _until: shell }
    }

    pub fn work(&self) -> PathBuf {
        self.folder.join("tree/work")
    }

    pub fn run(&self, name: &str, arguments: Value) -> ToolReport {
        run_tool(name, &arguments.to_string(), &self.work())
    }
}

/// The strings of an array in the structured part of a report.
pub fn strings(report: &ToolReport, key: &str) -> Vec<String> {
    let array = report.structured.as_ref().unwrap()[key].as_array().unwrap();
    array.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}

/// `rg` when it is installed; says so when it is not.
pub fn rg() -> Option<Command> {
    match Command::new("rg").arg("--version").output() {
        Ok(_) => {
            let mut rg = Command::new("rg");
            rg.arg("--no-config");
            Some(rg)
        }
        Err(_) => {
            assert!(std::env::var_os("CARPEL_TESTS_COMPLETE").is_none(), "rg is not installed");
            eprintln!("skipped: rg is not installed");
            None
        }
    }
}
