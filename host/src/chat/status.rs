//! The status row above the composer: what the items of the slot `status` say, divided by a sign.
//!
//! What does not fit is left out from the end, item by item; the first is cut. While there is no pod the row says that instead.

use carpel_slots::{Line, Printable, Role, StatusCx};

use crate::chat::approval;
use crate::chat::state::{Chat, Link};
use crate::render::look::Look;
use crate::render::painter::motion::Motion;
use crate::render::wrap::{self, text_width};
use crate::row::Row;
use crate::status_items;

/// The row, at most `width` cells wide; empty when there is nothing to tell.
pub fn row(chat: &Chat, look: &Look, width: usize) -> Row {
    let mut row = Row::default();
    let mut taken = 0;
    for line in lines(chat) {
        let gap = if taken == 0 { 0 } else { 3 };
        let cells: usize = line.spans.iter().map(|span| text_width(span.text.as_str())).sum();
        if taken + gap + cells > width {
            if taken == 0 {
                // A model's name may be longer than the window is wide.
                return wrap::cut(&spans(line, look), width, look.glyphs.ellipsis);
            }
            break;
        }
        if gap > 0 {
            row.push(look.theme.dim(), Printable::line(&format!(" {} ", look.glyphs.separator)));
        }
        row.spans.extend(spans(line, look).spans);
        taken += gap + cells;
    }
    row
}

fn spans(line: Line, look: &Look) -> Row {
    let mut row = Row::default();
    for span in line.spans {
        row.push(look.theme.role(span.role), span.text);
    }
    row
}

fn lines(chat: &Chat) -> Vec<Line> {
    match &chat.link {
        Link::Connecting => vec![Line::of(Role::Dim, "starting")],
        Link::Reconnecting => vec![Line::of(Role::Warning, "reconnecting")],
        Link::Gone(_) => vec![Line::of(Role::Error, "no pod"), Line::of(Role::Dim, ":quit leaves")],
        Link::Connected if chat.outbox.is_waiting() => vec![Line::of(Role::Dim, "sending")],
        Link::Connected => {
            let cx = cx(chat);
            chat.registry.status().into_iter().filter_map(|item| item.text(&cx)).collect()
        }
    }
}

/// Who answers.
pub(super) fn who(chat: &Chat) -> String {
    let session = chat.transcript.session();
    status_items::who(&session.provider, &session.model)
}

fn cx(chat: &Chat) -> StatusCx {
    let session = chat.transcript.session();
    let (context_used, context_limit) =
        session.usage.as_ref().map(|usage| (usage.context_used, usage.context_limit)).unwrap_or_default();
    StatusCx {
        state: chat.pod_state(),
        provider: session.provider.clone(),
        model: session.model.clone(),
        context_used,
        context_limit,
        elapsed: chat.work.shown().filter(|_| chat.live.motion == Motion::Full),
        queue: session.queue.len(),
        clients: session.clients,
        questions: if chat.approvals.is_open() { approval::waiting(chat) } else { 0 },
    }
}
