//! The built-in items of the status row, in the order in which they stand.
//!
//! Each is an entry of the list slot `status`, as a plugin's would be: values in, a line or nothing out.

use carpel_protocol::word::PodState;
use carpel_slots::{Line, Role, StatusCx, StatusItem, register_status};

register_status!(10, Doing);
register_status!(20, Window);
register_status!(30, Queue);
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
            PodState::Idle => Line::of(Role::Dim, &who(cx)),
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

/// The model's name, and the provider's where that is another word.
fn who(cx: &StatusCx) -> String {
    match (cx.provider.as_str(), cx.model.as_str()) {
        (provider, "") => provider.to_owned(),
        (provider, model) if model.starts_with(provider) => model.to_owned(),
        (provider, model) => format!("{model} by {provider}"),
    }
}

/// How much of the model's window is taken: `12k of 200k`.
struct Window;

impl StatusItem for Window {
    fn id(&self) -> &str {
        "window"
    }

    fn text(&self, cx: &StatusCx) -> Option<Line> {
        let text = || format!("{} of {}", short(cx.context_used), short(cx.context_limit));
        (cx.context_limit > 0).then(|| Line::of(Role::Dim, &text()))
    }
}

fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
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
    use super::*;

    #[test]
    fn what_is_told() {
        let idle =
            StatusCx { provider: "guide".into(), model: "guide (no model)".into(), ..StatusCx::default() };
        let busy = StatusCx {
            state: PodState::Running,
            context_used: 12_345,
            context_limit: 1_250_000,
            queue: 2,
            ..StatusCx::default()
        };
        let rows = [
            (idle, "guide (no model) | : for commands"),
            (busy, "running | 12k of 1.2M | 2 queued | Esc cancels"),
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
            (StatusCx { state: PodState::Cancelling, ..StatusCx::default() }, "cancelling"),
            (StatusCx::default(), ": for commands"),
        ];
        let items: [&dyn StatusItem; 4] = [&Doing, &Window, &Queue, &Hint];
        for (cx, want) in rows {
            let texts: Vec<String> =
                items.iter().filter_map(|item| item.text(&cx)).map(|line| line.text()).collect();
            assert_eq!(texts.join(" | "), want);
        }
    }
}
