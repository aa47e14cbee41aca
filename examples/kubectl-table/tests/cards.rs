//! The cards of this plugin, as an author tests them: no carpel is needed.

use carpel_slots::testing::{Sample, faults, snapshot};
use carpel_slots::{CallState, Density};

const PODS: &str = "\
NAME                     READY   STATUS             RESTARTS      AGE   NODE
web-7d4b9c6f5d-abcde     1/1     Running            0             5d    one
worker-5c9f-xyz          0/1     CrashLoopBackOff   12 (3m ago)   2h    two
";

fn sample() -> Sample {
    Sample::new("kubectl").arguments(r#"{"command":"get pods -n web"}"#).summary("2 lines").output(PODS)
}

fn card(call: CallState, width: usize, density: Density) -> String {
    let plugin = kubectl_table::carpel_plugin();
    snapshot(plugin.view_of("kubectl").unwrap(), &sample().in_state(call), width, density)
}

#[test]
fn pods_are_a_table() {
    let want = "\
✓ kubectl  get pods -n web  2 found, 1 not well
    NAME                  READY  STATUS            RESTARTS     AGE
    web-7d4b9c6f5d-abcde  1/1    Running           0            5d
    worker-5c9f-xyz       0/1    CrashLoopBackOff  12 (3m ago)  2h
";
    assert_eq!(card(CallState::Done, 80, Density::Normal), want);
    assert!(card(CallState::Done, 80, Density::Detail).contains("NODE"));
}

#[test]
fn what_is_no_table_is_shown_as_it_came() {
    assert!(card(CallState::Error, 80, Density::Normal).contains("    NAME                     READY"));
    assert_eq!(
        card(CallState::Executing, 80, Density::Normal),
        "● kubectl  get pods -n web  running\n    (generic body)\n"
    );
    assert_eq!(
        card(CallState::Streaming, 80, Density::Normal),
        "◌ kubectl  ge  writing\n    (generic body)\n"
    );
}

#[test]
fn nothing_breaks_it() {
    let plugin = kubectl_table::carpel_plugin();
    for key in plugin.keys() {
        assert_eq!(faults(plugin.view_of(key).unwrap(), &sample()), Vec::<String>::new(), "{key}");
    }
}
