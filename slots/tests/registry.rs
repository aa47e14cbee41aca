//! The machinery of slots through a builder: who is seated, who is refused, which key matches, in whatever order.

use std::sync::Arc;

use carpel_protocol::word::ToolKind;
use carpel_slots::call::CallKey;
use carpel_slots::command::{CommandCx, CommandRun, CommandSpec, When};
use carpel_slots::record::{CommandRecord, CommandView};
use carpel_slots::registry::{Owner, Problem, RegistryBuilder, SlotName};
use carpel_slots::{
    Card, CardCx, Command, Line, PlacedCard, Registry, StatusCx, StatusItem, ToolCall, ToolTree, ToolView,
};
use proptest::prelude::*;

struct Stub(&'static str);

impl ToolView for Stub {
    fn card(&self, _call: &ToolCall, _cx: &CardCx) -> Card {
        Card::default()
    }
}

impl ToolTree for Stub {
    fn place(&self, _: &Arc<ToolCall>, _: Option<&CallKey>, _: &Registry, _: &CardCx) -> Vec<PlacedCard> {
        Vec::new()
    }
}

impl Command for Stub {
    fn spec(&self) -> CommandSpec {
        CommandSpec { name: "stub", summary: "does nothing", usage: "", example: ":stub", when: When::Always }
    }

    fn run(&self, _: &str, _: &CommandCx) -> Result<CommandRun, String> {
        Ok(CommandRun::default())
    }
}

impl CommandView for Stub {
    fn card(&self, _: &CommandRecord, _: &CardCx) -> Card {
        Card::default()
    }
}

impl StatusItem for Stub {
    fn id(&self) -> &str {
        self.0
    }

    fn text(&self, _: &StatusCx) -> Option<Line> {
        Some(Line::from(self.0))
    }
}

fn core() -> Owner {
    Owner::built_in("core", "core.rs:1:1")
}

fn plugin(name: &str) -> Owner {
    Owner::plugin(name, "")
}

/// A builder with a view for each of the keys.
fn with_views(views: &[(&str, Owner)]) -> RegistryBuilder {
    let mut builder = RegistryBuilder::default();
    for (key, owner) in views {
        builder.view(key, owner, Arc::new(Stub("")));
    }
    builder
}

/// The key under which a tool's view is found, asked of a fresh registry.
fn found(builder: &RegistryBuilder, name: &str, kind: Option<&str>) -> Option<String> {
    let mut fresh = RegistryBuilder::default();
    for entry in builder.clone().build().entries() {
        fresh.view(&entry.key, &entry.owner, Arc::new(Stub("")));
    }
    for (from, to) in [("read_file", "Read"), ("gh", "mcp__github__x"), ("loop", "read_file")] {
        fresh.alias(from, to);
    }
    let registry = fresh.build();
    registry.view(name, kind.map(ToolKind::from).as_ref());
    registry.entries().into_iter().find(|entry| entry.dispatched).map(|entry| entry.key)
}

#[test]
fn a_tool_finds_its_view() {
    let builder = with_views(&[
        ("Read", core()),
        ("mcp__*", core()),
        ("mcp__github__*", core()),
        ("mcp__github__exact", core()),
        ("kind:read", core()),
    ]);
    let rows = [
        ("Read", None, Some("Read")),
        ("Read", Some("read"), Some("Read")),
        ("read_file", Some("read"), Some("Read")),
        ("gh", None, Some("mcp__github__*")),
        ("mcp__github__exact", Some("read"), Some("mcp__github__exact")),
        ("mcp__github__other", Some("read"), Some("mcp__github__*")),
        ("mcp__git", None, Some("mcp__*")),
        ("mcp__", None, Some("mcp__*")),
        ("cat", Some("read"), Some("kind:read")),
        ("cat", Some("search"), None),
        ("cat", None, None),
        ("read", None, None),
        ("loop", None, None),
        ("", None, None),
    ];
    for (name, kind, want) in rows {
        assert_eq!(found(&builder, name, kind).as_deref(), want, "{name} {kind:?}");
    }
}

#[test]
fn a_plugin_covers_a_built_in_and_uncovers_it() {
    let mut registry = with_views(&[("Read", core()), ("Read", plugin("fancy"))]).build();
    assert_eq!(seated(&registry), ["tool.view Read fancy"]);
    assert_eq!(registry.problems(), []);
    registry.remove("fancy");
    assert_eq!(seated(&registry), ["tool.view Read core"]);
    registry.remove("core");
    assert!(registry.view("Read", None).is_none());
    assert_eq!(registry.entries(), []);
}

#[test]
fn a_duplicate_of_equal_rank_is_refused_and_told() {
    let mut registry = with_views(&[
        ("Read", plugin("zed")),
        ("Read", plugin("abc")),
        ("Read", core()),
        ("Read", plugin("mid")),
    ])
    .build();
    assert_eq!(seated(&registry), ["tool.view Read abc"]);
    assert_eq!(
        texts(&registry),
        [
            "slot tool.view: `mid` is refused the key `Read`, `abc` holds it at the same rank; take one of the two out",
            "slot tool.view: `zed` is refused the key `Read`, `abc` holds it at the same rank; take one of the two out",
        ]
    );
    registry.remove("abc");
    assert_eq!(seated(&registry), ["tool.view Read mid"]);
    assert_eq!(
        texts(&registry),
        [
            "slot tool.view: `zed` is refused the key `Read`, `mid` holds it at the same rank; take one of the two out"
        ]
    );
}

#[test]
fn the_tree_is_a_single_slot() {
    let mut builder = RegistryBuilder::default();
    builder.tree(&Owner::built_in("b", "b.rs:1:1"), Arc::new(Stub("")));
    builder.tree(&Owner::built_in("a", "a.rs:1:1"), Arc::new(Stub("")));
    let registry = builder.build();
    assert!(registry.tree().is_some());
    assert_eq!(
        texts(&registry),
        [
            "slot tool: `b` (b.rs:1:1) is refused the seat, `a` (a.rs:1:1) holds it at the same rank; take one of the two out"
        ]
    );
}

#[test]
fn keys_that_can_never_match_are_told() {
    let rows = [
        ("", "is empty; write the name"),
        ("*", "would match every tool; write a prefix before the `*`"),
        ("a*b", "a `*` stands at the end only"),
        ("a**", "a `*` stands at the end only"),
        ("kind:", "names no kind; write `kind:` and a word such as `read`"),
        ("kind:re*", "a kind is a whole word; leave out the `*`"),
    ];
    for (key, reason) in rows {
        let registry = with_views(&[(key, core())]).build();
        assert_eq!(
            texts(&registry),
            [format!("slot tool.view: the key `{key}` of `core` (core.rs:1:1) {reason}")]
        );
        assert_eq!(registry.entries(), []);
        let mut again = registry.to_builder();
        assert_eq!(again.clone().build().problems(), registry.problems(), "building again tells it again");
        again.remove("core");
        assert_eq!(again.build().problems(), []);
    }
    let mut builder = RegistryBuilder::default();
    for name in ["", ":quit", "two words", "q*"] {
        builder.command(name, &core(), Arc::new(Stub("")));
    }
    builder.status(1, &core(), Arc::new(Stub("")));
    assert_eq!(builder.build().problems().len(), 5);
}

#[test]
fn a_persons_alias_takes_the_place_of_others() {
    let mut builder = with_views(&[("Read", core()), ("Write", core())]);
    builder.alias("open", "Read");
    builder.settled_alias("open", "Write");
    let registry = builder.build();
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
    let view = |name: &str| registry.view(name, None).unwrap();
    assert!(Arc::ptr_eq(view("open"), view("Write")) && !Arc::ptr_eq(view("open"), view("Read")));
}

#[test]
fn aliases_that_lead_nowhere_are_told() {
    let mut builder = with_views(&[("Read", core())]);
    builder.alias("read_file", "Read");
    builder.alias("read_file", "Reed");
    builder.alias("view", "Veiw");
    let registry = builder.build();
    assert_eq!(
        texts(&registry),
        [
            "alias `read_file`: stands for `Read` already, not for `Reed`; take one of the two out",
            "alias `view`: there is no view for `Veiw`; name a tool that has one",
        ]
    );
    assert_eq!(registry.to_builder().build().problems(), registry.problems());
    assert!(registry.view("read_file", None).is_some());
}

#[test]
fn a_key_that_was_never_asked_for_is_listed() {
    let mut builder =
        with_views(&[("Read", core()), ("Raed", core()), ("kind:edit", core()), ("Read", plugin("fancy"))]);
    builder.command("quit", &core(), Arc::new(Stub("")));
    builder.command("help", &core(), Arc::new(Stub("")));
    let registry = builder.build();
    registry.view("Read", None);
    registry.view("Write", Some(&ToolKind::Read));
    registry.command("quit");
    assert_eq!(registry.commands().count(), 2);
    let keys: Vec<String> = registry.never_dispatched().into_iter().map(|entry| entry.key).collect();
    assert_eq!(
        keys,
        ["Raed", "kind:edit", "help"],
        "listing commands is no dispatch, covered entries do not count"
    );
    assert_eq!(
        registry.clone().to_builder().build().never_dispatched(),
        registry.never_dispatched(),
        "and it lasts"
    );
}

#[test]
fn status_items_stand_in_order() {
    let mut builder = RegistryBuilder::default();
    builder.status(30, &core(), Arc::new(Stub("queue")));
    builder.status(10, &core(), Arc::new(Stub("state")));
    builder.status(20, &core(), Arc::new(Stub("tokens")));
    builder.status(20, &core(), Arc::new(Stub("model")));
    builder.status(5, &plugin("clock"), Arc::new(Stub("queue")));
    let registry = builder.build();
    let ids: Vec<&str> = registry.status().into_iter().map(|item| item.id()).collect();
    assert_eq!(ids, ["queue", "state", "model", "tokens"], "the plugin's own queue, in its own place");
    assert_eq!(registry.problems(), []);
}

mod linked {
    use super::{Arc, Registry, SlotName, Stub, seated};
    use carpel_slots::{register_alias, register_command, register_status, register_tree, register_view};

    register_tree!(Stub(""));
    register_view!("Linked", Stub(""));
    register_view!("linked__*", Stub(""));
    register_command!("linked", Stub(""));
    register_status!(3, Stub("linked"));
    register_alias!("foreign", "Linked");

    #[test]
    fn linked_entries_are_seated() {
        let registry = Registry::linked();
        let want = ["tool ", "tool.view Linked", "tool.view linked__*", "command linked", "status linked"];
        let want: Vec<String> = want.into_iter().map(|entry| format!("{entry} carpel-slots")).collect();
        assert_eq!(seated(&registry), want);
        assert_eq!(registry.problems(), []);
        let (foreign, own) =
            (registry.view("foreign", None).unwrap(), registry.view("Linked", None).unwrap());
        assert!(Arc::ptr_eq(foreign, own));
        let sources = registry.entries().into_iter().filter(|entry| entry.slot == SlotName::ToolView);
        for entry in sources {
            assert!(entry.owner.source.contains("tests/registry.rs:"), "{entry:?}");
        }
    }
}

/// What is seated, as `slot key owner`.
fn seated(registry: &Registry) -> Vec<String> {
    let seated = registry.entries().into_iter().filter(|entry| entry.seated);
    seated.map(|entry| format!("{} {} {}", entry.slot, entry.key, entry.owner.name)).collect()
}

fn texts(registry: &Registry) -> Vec<String> {
    registry.problems().iter().map(Problem::to_string).collect()
}

/// One registration of the property tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Given {
    slot: SlotName,
    key: &'static str,
    owner: Owner,
    order: i32,
}

fn given() -> impl Strategy<Value = Given> {
    let slot = prop_oneof![
        Just(SlotName::Tool),
        Just(SlotName::ToolView),
        Just(SlotName::Command),
        Just(SlotName::CommandView),
        Just(SlotName::Status)
    ];
    let key =
        prop_oneof![Just("a"), Just("ab"), Just("a*"), Just("ab*"), Just("kind:read"), Just("*"), Just("")];
    let owner = ("[xyz]", any::<bool>(), "[12]").prop_map(|(name, is_plugin, source)| {
        if is_plugin { Owner::plugin(&name, &source) } else { Owner::built_in(&name, &source) }
    });
    (slot, key, owner, 0..2i32).prop_map(|(slot, key, owner, order)| Given { slot, key, owner, order })
}

/// Registrations without two of the same source for the same place, and another order of them.
fn given_twice() -> impl Strategy<Value = (Vec<Given>, Vec<Given>)> {
    proptest::collection::vec(given(), 0..20)
        .prop_map(|mut given| {
            given.iter_mut().filter(|given| given.slot == SlotName::Tool).for_each(|given| given.key = "");
            given.sort();
            given.dedup_by(|one, other| {
                (one.slot, one.key, &one.owner) == (other.slot, other.key, &other.owner)
            });
            given
        })
        .prop_flat_map(|given| (Just(given.clone()).prop_shuffle(), Just(given).prop_shuffle()))
}

fn built(given: &[Given]) -> RegistryBuilder {
    let mut builder = RegistryBuilder::default();
    register(&mut builder, given);
    builder
}

fn register(builder: &mut RegistryBuilder, given: &[Given]) {
    for Given { slot, key, owner, order } in given {
        match slot {
            SlotName::Tool => builder.tree(owner, Arc::new(Stub(""))),
            SlotName::ToolView => builder.view(key, owner, Arc::new(Stub(""))),
            SlotName::Command => builder.command(key, owner, Arc::new(Stub(""))),
            SlotName::CommandView => builder.command_view(key, owner, Arc::new(Stub(""))),
            _ => builder.status(*order, owner, Arc::new(Stub(key))),
        }
    }
}

/// Everything that can be seen of a registry.
fn dump(registry: &Registry) -> String {
    let names = ["a", "ab", "abc", "b"];
    let kinds = [None, Some(ToolKind::Read)];
    let found: Vec<bool> = names
        .iter()
        .flat_map(|name| kinds.iter().map(|kind| registry.view(name, kind.as_ref()).is_some()))
        .collect();
    let records: Vec<bool> = names.iter().map(|name| registry.command_view(name).is_some()).collect();
    let status: Vec<&str> = registry.status().into_iter().map(|item| item.id()).collect();
    format!("{:#?}\n{:#?}\n{status:?}\n{found:?}\n{records:?}", registry.entries(), registry.problems())
}

proptest! {
    #[test]
    fn order_decides_nothing((one, other) in given_twice()) {
        prop_assert_eq!(dump(&built(&one).build()), dump(&built(&other).build()));
    }

    #[test]
    fn removing_is_as_never_registering((one, other) in given_twice(), name in "[xyz]") {
        let mut registry = built(&one).build();
        registry.remove(&name);
        let without: Vec<Given> = other.into_iter().filter(|given| given.owner.name != name).collect();
        prop_assert_eq!(dump(&registry), dump(&built(&without).build()));
    }

    #[test]
    fn adding_later_is_as_adding_at_once((one, other) in given_twice(), cut in any::<proptest::sample::Index>()) {
        let cut = cut.index(one.len() + 1);
        let mut builder = built(&one[..cut]).build().to_builder();
        register(&mut builder, &one[cut..]);
        prop_assert_eq!(dump(&builder.build()), dump(&built(&other).build()));
    }

    #[test]
    fn each_place_has_one_holder_of_the_highest_rank((one, _) in given_twice()) {
        let entries = built(&one).build().entries();
        for entry in &entries {
            let same: Vec<_> = entries.iter().filter(|other| (other.slot, &other.key) == (entry.slot, &entry.key)).collect();
            prop_assert_eq!(same.iter().filter(|other| other.seated).count(), 1);
            let best = same.iter().map(|other| other.owner.rank).max();
            prop_assert!(!entry.seated || Some(entry.owner.rank) == best);
        }
    }
}
