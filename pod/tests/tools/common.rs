//! The hard tree (`data/make_tree.sh`) and the seam through which the tools are tested.
//!
//! Built once and shared by the tests that run at the same time; taken away when the last of them ends. Nobody writes
//! into it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use carpel_pod::tools::{ToolReport, run_tool};
use serde_json::Value;

pub struct HardTree {
    folder: tempfile::TempDir,
}

impl HardTree {
    pub fn get() -> Arc<HardTree> {
        static SHARED: Mutex<Weak<HardTree>> = Mutex::new(Weak::new());
        thread_local! {
            // A test keeps the tree to its end; it runs on a thread of its own.
            static KEPT: RefCell<Option<Arc<HardTree>>> = const { RefCell::new(None) };
        }
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let tree = shared.upgrade().unwrap_or_else(|| Arc::new(HardTree::build()));
        *shared = Arc::downgrade(&tree);
        KEPT.set(Some(Arc::clone(&tree)));
        tree
    }

    fn build() -> HardTree {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/make_tree.sh");
        let built = Command::new("sh").arg(script).arg(folder.path().join("tree")).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        HardTree { folder }
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("tree/work")
    }

    pub fn run(&self, name: &str, arguments: Value) -> ToolReport {
        run_tool(name, &arguments.to_string(), &self.work())
    }
}

impl Drop for HardTree {
    fn drop(&mut self) {
        // Some folders of the tree forbid their own removal.
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(self.folder.path()).output();
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
            eprintln!("skipped: rg is not installed");
            None
        }
    }
}
