//! The built-in items of the status row, in the order in which they stand.
//!
//! Each is an entry of the list slot `status`, as a plugin's would be: values in, a line or nothing out.

use crate::render::clock;
use carpel_protocol::word::PodState;
use carpel_slots::{Line, Role, StatusCx, StatusItem, register_status};

register_status!(10, Doing);
register_status!(15, Elapsed);
register_status!(20, Window);
register_status!(30, Queue);
register_status!(40, Clients);
register_status!(90, Hint);

/// What the pod does; who answers while it does nothing.
struct Doing;

impl StatusItem for Doing {
    fn id(&self) -> &str {
        "state"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        let line = match &cx.state {
            PodState::Running if cx.questions > 0 => Line::of(Role::Warning, "waiting for you"),
            PodState::Idle => Line::of(Role::Dim, &who(&cx.provider, &cx.model)),
            PodState::Running => Line::of(Role::Accent, "running"),
            PodState::Paused
            | PodState::Cancelling
            | PodState::Compacting
            | PodState::Stopping
            | PodState::Other(_) => Line::of(Role::Warning, cx.state.as_str()),
        };
        (!line.text().is_empty()).then_some(line)
    }
}

/// How long the turn has been running.
struct Elapsed;

impl StatusItem for Elapsed {
    fn id(&self) -> &str {
        "elapsed"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        // A turn that waits for its person is not slow.
        cx.elapsed.filter(|_| cx.questions == 0).map(|time| Line::of(Role::Dim, &clock::seconds(time)))
    }
}

/// The model's name, and the provider's where that is another word.
pub fn who(provider: &str, model: &str) -> String {
    match (provider, model) {
        (provider, "") => provider.to_owned(),
        (provider, model) if model.starts_with(provider) => model.to_owned(),
        (provider, model) => format!("{model} by {provider}"),
    }
}

/// How much of the model's window is taken: `12k of 200k`, or `12k tokens` where its size is not known. A warning when
/// little of it is left.
struct Window;

impl StatusItem for Window {
    fn id(&self) -> &str {
        "window"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        let (used, limit) = (cx.context_used, cx.context_limit);
        let role = if used.saturating_mul(10) >= limit.saturating_mul(9) { Role::Warning } else { Role::Dim };
        match (used, limit) {
            (0, 0) => None,
            (used, 0) => Some(Line::of(Role::Dim, &format!("{} tokens", clock::tokens(used)))),
            (used, limit) => {
                Some(Line::of(role, &format!("{} of {}", clock::tokens(used), clock::tokens(limit))))
            }
        }
    }
}

/// How many prompts wait.
struct Queue;

impl StatusItem for Queue {
    fn id(&self) -> &str {
        "queue"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        (cx.queue > 0).then(|| Line::of(Role::Dim, &format!("{} queued", cx.queue)))
    }
}

/// How many others may be typing too.
struct Clients;

impl StatusItem for Clients {
    fn id(&self) -> &str {
        "clients"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        (cx.clients > 1).then(|| Line::of(Role::Dim, &format!("{} clients", cx.clients)))
    }
}

/// What a person can do now.
struct Hint;

impl StatusItem for Hint {
    fn id(&self) -> &str {
        "hint"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        match cx.state {
            PodState::Running if cx.questions == 1 => Some(Line::of(Role::Dim, "Esc shows the question")),
            PodState::Running if cx.questions > 1 => {
                Some(Line::of(Role::Dim, &format!("Esc shows {} questions", cx.questions)))
            }
            PodState::Idle => Some(Line::of(Role::Dim, ": for commands")),
            PodState::Running | PodState::Paused | PodState::Compacting => {
                Some(Line::of(Role::Dim, "Esc cancels"))
            }
            PodState::Cancelling | PodState::Stopping | PodState::Other(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn little_room_is_a_warning() {
        for (used, role) in
            [(0, Role::Dim), (179_999, Role::Dim), (180_000, Role::Warning), (u64::MAX, Role::Warning)]
        {
            let cx = StatusCx { context_used: used, context_limit: 200_000, ..StatusCx::default() };
            assert_eq!(Window.text(&cx).unwrap().spans[0].role, role, "{used}");
        }
    }

    #[test]
    fn what_is_told() {
        let idle =
            StatusCx { provider: "guide".into(), model: "guide (no model)".into(), ..StatusCx::default() };
        let busy = StatusCx {
            state: PodState::Running,
            context_used: 12_345,
            context_limit: 1_250_000,
            queue: 2,
            elapsed: Some(Duration::from_secs(83)),
            ..StatusCx::default()
        };
        let rows = [
            (idle, "guide (no model) | : for commands"),
            (busy, "running | 1m23s | 12k of 1.2M | 2 queued | Esc cancels"),
            (
                StatusCx { provider: "openai".into(), model: "gpt".into(), ..StatusCx::default() },
                "gpt by openai | : for commands",
            ),
            (
                StatusCx { state: PodState::Running, questions: 1, ..StatusCx::default() },
                "waiting for you | Esc shows the question",
            ),
            (
                StatusCx { state: PodState::Running, questions: 2, ..StatusCx::default() },
                "waiting for you | Esc shows 2 questions",
            ),
            (StatusCx { context_used: 12_345, ..StatusCx::default() }, "12k tokens | : for commands"),
            (StatusCx { state: PodState::Cancelling, ..StatusCx::default() }, "cancelling"),
            (
                StatusCx { queue: 1, clients: 2, ..StatusCx::default() },
                "1 queued | 2 clients | : for commands",
            ),
            (StatusCx { clients: 1, ..StatusCx::default() }, ": for commands"),
            (StatusCx::default(), ": for commands"),
        ];
        let items: [&dyn StatusItem; 6] = [&Doing, &Elapsed, &Window, &Queue, &Clients, &Hint];
        for (cx, want) in rows {
            let texts: Vec<String> =
                items.iter().filter_map(|item| item.text(&cx)).map(|line| line.text()).collect();
            assert_eq!(texts.join(" | "), want);
        }
    }
}
