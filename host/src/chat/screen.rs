//! How the chat looks: rows to commit, and the live rows from the active region down to the composer's list.
//!
//! The flow has the rows above the status row; this module stacks status, draft, list and words below them and says
//! where the cursor stands. Room is given from the bottom: the draft's row of the cursor always shows.

use std::time::Duration;

use carpel_protocol::MethodLine;
use carpel_slots::{Printable, Role};
use ratatui::layout::Position;

use crate::chat::approval;
use crate::chat::approval_panel::{self, Panel};
use crate::chat::inspect;
use crate::chat::key::{LEAVE_PATIENCE, is_command};
use crate::chat::list;
use crate::chat::new_session;
use crate::chat::picker;
use crate::chat::queue;
use crate::chat::speech;
use crate::chat::state::Chat;
use crate::chat::status;
use crate::chat::welcome;
use crate::composer::layout::{Layout, layout};
use crate::flow::{self, FlowCx};
use crate::link::provider_names;
use crate::paint::{Inspect, Paint};
use crate::render::look::Look;
use crate::render::painter::motion::Motion;
use crate::row::Row;

/// Live rows are at most this wide where nothing else is said: a wider row leaves copies behind in some terminals when
/// the window narrows.
pub const LIVE_COLUMNS: usize = 80;

/// How much room live rows have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveRows {
    /// They are at most this wide.
    pub columns: usize,
    /// Rows of the active region; `None` is half the window.
    pub most: Option<usize>,
    /// Whether they move by themselves.
    pub motion: Motion,
    /// There are none but those of the draft: what happens is told in lines that are written once, to be heard.
    pub spoken: bool,
}

impl Default for LiveRows {
    fn default() -> Self {
        LiveRows { columns: LIVE_COLUMNS, most: None, motion: Motion::Full, spoken: false }
    }
}

/// Cells in front of the draft.
pub(super) const PROMPT: usize = 2;

/// The draft takes at most this many rows, then it scrolls.
const DRAFT_ROWS: usize = 10;

/// Rows of the active region while a question stands below it: each call that goes on keeps its header.
const BESIDE_PANEL: usize = 1;

/// The list below the composer takes at most this many rows.
const LIST_ROWS: usize = 8;

/// One drawing of the chat.
#[derive(Debug, Default)]
pub struct Drawing {
    /// Rows for the alternate screen, which is shown while there are any.
    pub alternate: Option<Vec<Row>>,
    /// Rows that are final.
    pub commit: Vec<Row>,
    /// Rows as they are now.
    pub live: Vec<Row>,
    /// Where the cursor stands within the live rows.
    pub cursor: Option<Position>,
    /// The time at which the chat should be drawn again though nothing happens: a timer, an awaited colour.
    pub due: Option<Duration>,
    /// What the pod should be asked for, since it is in sight.
    pub ask: Option<MethodLine>,
}

/// Columns that the draft is folded to.
pub fn draft_width(chat: &Chat) -> usize {
    live_width(chat).saturating_sub(PROMPT).max(1)
}

fn live_width(chat: &Chat) -> usize {
    usize::from(chat.window.width).min(chat.live.columns)
}

/// Draws the chat at the time `now`. `room` is how many rows of the window the live rows have without pushing history
/// away: from their first row to the last row of the window.
pub fn draw(chat: &mut Chat, paint: &mut dyn Inspect, look: &Look, now: Duration, room: usize) -> Drawing {
    chat.expire(now);
    let window = (usize::from(chat.window.width), usize::from(chat.window.height));
    if let Some(picker) = &chat.picker {
        let (rows, column) = picker::rows(picker, look, window);
        return on_alternate(rows, Some((0, column)), look);
    }
    if let Some(dialog) = &chat.new_session {
        let (rows, cursor) = new_session::rows(dialog, &provider_names(), look, window);
        return on_alternate(rows, Some(cursor), look);
    }
    if let Some(drawing) = inspect::draw(chat, paint, look, now) {
        return drawing;
    }
    if chat.live.spoken {
        return draw_spoken(chat, paint, look, now);
    }
    let height = usize::from(chat.window.height);
    match approval_panel::question(chat, look, live_width(chat)) {
        None => draw_main(chat, paint, look, now, None),
        Some(question) if question.height() <= height => {
            // What lacks is had from the history, as by any rows that grow: it goes up into the scrollback.
            let room = room.max(question.height() + BESIDE_PANEL).min(height);
            let panel = question.fit(room);
            draw_main(chat, paint, look, now, Some((panel, room)))
        }
        Some(_) => draw_alternate(chat, look),
    }
}

/// The question alone, on a screen of its own.
fn draw_alternate(chat: &mut Chat, look: &Look) -> Drawing {
    let (width, height) = (usize::from(chat.window.width), usize::from(chat.window.height));
    let Some(question) = approval_panel::question(chat, look, width.max(1)) else {
        return Drawing::default();
    };
    approval::bound_scroll(chat, question.most_scroll(height), question.room(height));
    let panel = question.fit(height);
    let due = chat.leave_armed.map(|since| since + LEAVE_PATIENCE);
    Drawing { due, ..on_alternate(panel.rows, panel.cursor, look) }
}

/// Rows that have the alternate screen to themselves, and the row and column of the cursor among them.
pub(super) fn on_alternate(mut rows: Vec<Row>, cursor: Option<(usize, usize)>, look: &Look) -> Drawing {
    look.glyphs.fit(&mut rows);
    let cursor = cursor.map(|(row, column)| Position::new(cells(column), cells(row)));
    Drawing { alternate: Some(rows), cursor, ..Drawing::default() }
}

fn draw_main(
    chat: &mut Chat,
    paint: &mut dyn Paint,
    look: &Look,
    now: Duration,
    panel: Option<(Panel, usize)>,
) -> Drawing {
    // The panel shows what is asked; above it the headers tell which calls go on.
    let room = panel.as_ref().map(|(panel, room)| room.saturating_sub(panel.rows.len()).min(BESIDE_PANEL));
    // A long list is looked through piece by piece, a frame each.
    let is_looking = chat.completion.step();
    let below = match panel {
        Some((panel, _)) => Bottom { rows: panel.rows, cursor: panel.cursor },
        None => Bottom::of(chat, look),
    };
    let cx = FlowCx {
        window: flow::Size { cols: usize::from(chat.window.width), rows: usize::from(chat.window.height) },
        composer_rows: below.rows.len(),
        now,
        density: chat.density,
        active_max: room.or(chat.live.most),
        live_columns: chat.live.columns,
        hold: false,
    };
    let mut frame = chat.flow.frame(&mut chat.transcript, paint, cx);
    let mut live = frame.live;
    let above = live.len();
    live.extend(below.rows);
    // A first Ctrl+C is forgotten, and its word goes, at a time of its own.
    let forgotten = chat.leave_armed.map(|since| since + LEAVE_PATIENCE);
    let looking = is_looking.then_some(now);
    let ticks = chat.live.motion == Motion::Full && !chat.approvals.is_open();
    let working = chat.work.due().filter(|_| ticks);
    let due = frame
        .due_later
        .map(|left| now + left)
        .into_iter()
        .chain(forgotten)
        .chain(looking)
        .chain(working)
        .min();
    look.glyphs.fit(&mut frame.commit);
    look.glyphs.fit(&mut live);
    let cursor = below.cursor.map(|(row, column)| Position::new(cells(column), cells(above + row)));
    Drawing { alternate: None, commit: frame.commit, live, cursor, due, ask: None }
}

/// What there is to hear since the last drawing, as rows that are final, and the draft below them.
fn draw_spoken(chat: &mut Chat, paint: &mut dyn Paint, look: &Look, now: Duration) -> Drawing {
    let heard = draw_main(chat, paint, look, now, None);
    let (said, due) = speech::say(chat, paint, look, now);
    let (mut live, cursor) = match speech::reason(chat, look, live_width(chat)) {
        Some((row, column)) => (vec![row], (0, column)),
        None => spoken_draft(chat, look),
    };
    let mut commit = heard.commit;
    commit.extend(said);
    look.glyphs.fit(&mut commit);
    look.glyphs.fit(&mut live);
    let due = heard.due.into_iter().chain(due).min();
    let cursor = Some(Position::new(cells(cursor.1), cells(cursor.0)));
    Drawing { commit, live, cursor, due, ..Drawing::default() }
}

/// The draft with nothing in front of it: a sign there would be read again below each new line.
fn spoken_draft(chat: &Chat, look: &Look) -> (Vec<Row>, (usize, usize)) {
    let folded = layout(&chat.composer.buffer, draft_width(chat));
    let shown = draft_rows(&folded, usize::from(chat.window.height));
    let (rows, row) = draft(&folded, shown, true, look);
    (rows, (row, PROMPT + folded.cursor_column))
}

/// The last drawing: everything of the chat as rows to commit, none of them live.
pub fn draw_last(chat: &mut Chat, paint: &mut dyn Paint, look: &Look, now: Duration) -> Vec<Row> {
    let below = Bottom::of(chat, look).rows.len();
    let Drawing { mut commit, mut live, .. } = draw_main(chat, paint, look, now, None);
    live.truncate(live.len().saturating_sub(below));
    // Empty rows at the end only keep the composer where it is.
    while live.last().is_some_and(|row| row.text().trim().is_empty()) {
        live.pop();
    }
    commit.extend(live);
    commit
}

/// Rows that a list below the draft may take.
pub(super) fn list_room(chat: &Chat) -> usize {
    let height = usize::from(chat.window.height);
    room_for_list(height, draft_rows(&layout(&chat.composer.buffer, draft_width(chat)), height))
}

fn room_for_list(height: usize, draft: usize) -> usize {
    height.saturating_sub(draft + 2).min(LIST_ROWS)
}

fn draft_rows(folded: &Layout, height: usize) -> usize {
    folded.rows.len().min(DRAFT_ROWS).min((height / 2).max(1))
}

fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The rows from the status row down.
struct Bottom {
    rows: Vec<Row>,
    /// Row and column of the cursor within them.
    cursor: Option<(usize, usize)>,
}

impl Bottom {
    fn of(chat: &Chat, look: &Look) -> Bottom {
        let width = live_width(chat);
        let height = usize::from(chat.window.height);
        let folded = layout(&chat.composer.buffer, draft_width(chat));
        let shown = draft_rows(&folded, height);
        let list = list::rows(chat, look, width, room_for_list(height, shown));
        let status = status::row(chat, look, width);

        let mut rows = Vec::new();
        // What stands above is set apart, where the window has room for that.
        if height >= 8 {
            rows.push(Row::default());
        }
        // A list is what the person looks at, and it needs the room.
        if list.is_empty() {
            rows.extend(welcome::rows(chat, look, width));
        }
        if height > shown + list.len() && !status.spans.is_empty() {
            rows.push(status);
        }
        let left = height.saturating_sub(rows.len() + shown + list.len());
        rows.extend(queue::rows(chat, look, width, left / 3));
        let first = rows.len();
        let (draft, cursor_row) = draft(&folded, shown, is_command(chat), look);
        rows.extend(draft);
        rows.extend(list);
        let column = (PROMPT + folded.cursor_column).min(width.saturating_sub(1));
        Bottom { rows, cursor: Some((first + cursor_row, column)) }
    }
}

/// The rows of the draft around the cursor, and the cursor's row among them.
fn draft(folded: &Layout, shown: usize, is_command: bool, look: &Look) -> (Vec<Row>, usize) {
    let first = folded.cursor_row.saturating_sub(shown.saturating_sub(1)).min(folded.rows.len() - shown);
    let rows = folded.rows.iter().enumerate().skip(first).take(shown).map(|(at, source)| {
        let mut row = Row::default();
        let sign = if at == 0 && !is_command { look.glyphs.prompt } else { " " };
        row.push(look.theme.role(Role::Accent), Printable::line(&format!("{sign} ")));
        for (text, is_label) in &source.parts {
            let role = if *is_label { Role::Accent } else { Role::Plain };
            join(&mut row, look, role, text);
        }
        row
    });
    (rows.collect(), folded.cursor_row - first)
}

/// Adds text to a row, to its last span where that looks the same: a draft comes cluster by cluster.
fn join(row: &mut Row, look: &Look, role: Role, text: &Printable) {
    let style = look.theme.role(role);
    if row.spans.len() > 1
        && let Some(last) = row.spans.last_mut()
        && last.style == style
    {
        last.text = Printable::prose(&format!("{}{}", last.text, text));
        return;
    }
    row.push(style, text.clone());
}
