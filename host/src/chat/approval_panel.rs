//! How a question looks: its title, the whole of what it asks about, and the choices, which are always in sight.
//!
//! The text is shown exactly: nothing in it is hidden or left out, what does not fit is scrolled to, and how much there
//! is stands below it. It takes the place of draft and status row, and pushes the history up where the live rows have no room
//! for it; one that the window does not hold stands on the alternate screen.

use carpel_protocol::event::ApprovalRequest;
use carpel_slots::{Printable, Role};

use crate::chat::approval::{self, Open};
use crate::chat::choices::{self, Choices};
use crate::chat::request_rows;
use crate::chat::screen::LIVE_COLUMNS;
use crate::chat::state::Chat;
use crate::composer::layout::layout;
use crate::render::look::Look;
use crate::render::wrap::{self, Indent, blanks, text_width};
use crate::row::{Row, RowSpan};

/// A window of fewer rows has none to spare for blank ones.
const TIGHT: usize = 12;

/// A narrower window cuts a choice.
const NARROWEST: usize = 12;

/// The rows of a panel.
#[derive(Debug, Default)]
pub struct Panel {
    /// Top to bottom; never more than asked for.
    pub rows: Vec<Row>,
    /// Row and column of the cursor within them, while words are being written.
    pub cursor: Option<(usize, usize)>,
}

/// The question as rows before it is fitted into a height.
pub struct Question {
    head: Vec<Row>,
    detail: Vec<Row>,
    foot: Foot,
    scroll: usize,
}

/// What stands below the detail.
enum Foot {
    Choices { choices: Choices, said: Vec<Row>, is_tight: bool },
    Why { rows: Vec<Row>, cursor: (usize, usize) },
}

/// Which rows of the detail are shown: the first, the last, and how many there are; all from 1.
type Position = (usize, usize, usize);

/// The question on the screen, laid out for a width; `None` when nothing is asked.
pub fn question(chat: &Chat, look: &Look, width: usize) -> Option<Question> {
    let open = chat.approvals.shown()?;
    let (request, place, of) = approval::current(chat)?;
    let height = usize::from(chat.window.height);
    let is_tight = height < TIGHT;
    let mut foot = Foot::of(chat, open, request, look, width);
    let mut head = title(request, (place, of), look, width, is_tight);
    let mut detail = request_rows::rows(&request.detail, look, width);
    let why = why(request, look, width);
    // A low window shows what is asked first.
    if is_tight {
        detail.extend(why);
    } else {
        head.extend(why);
    }
    // In the lowest windows what helps goes before what is asked.
    while foot.rows(Some(widest(detail.len()))).len() + 2 > height && foot.drop_help() {}
    // A title that leaves no room is scrolled with the rest; what is wanted stays in sight in one row.
    if head.len() > 1 && head.len() + foot.rows(Some(widest(detail.len()))).len() >= height {
        head.append(&mut detail);
        detail = std::mem::replace(&mut head, vec![short_title(request, (place, of), look, width)]);
    }
    if !is_tight {
        head.insert(0, Row::default());
        head.push(Row::default());
    }
    Some(Question { head, detail, foot, scroll: open.scroll })
}

/// True when the window shows what a yes would be to: the title, a row of the detail, and all choices whole.
pub fn is_seen(chat: &Chat) -> bool {
    if chat.live.spoken {
        // It was written whole, however low the window is.
        return true;
    }
    let (width, height) = (usize::from(chat.window.width), usize::from(chat.window.height));
    let Some(question) = question(chat, &Look::PLAIN, width.clamp(1, chat.live.columns)) else {
        return false;
    };
    width >= NARROWEST && (question.height() <= height || question.taken() < height)
}

fn widest(detail: usize) -> Position {
    (detail, detail, detail)
}

impl Question {
    /// Rows that it takes when nothing is scrolled.
    pub fn height(&self) -> usize {
        self.head.len() + self.detail.len() + self.foot.rows(None).len()
    }

    /// How far it can be scrolled in so many rows.
    pub fn most_scroll(&self, height: usize) -> usize {
        self.detail.len().saturating_sub(self.room(height))
    }

    /// Rows of the detail that are seen at once.
    pub fn room(&self, height: usize) -> usize {
        if self.height() <= height {
            return self.detail.len().max(1);
        }
        height.saturating_sub(self.taken()).max(1)
    }

    /// Rows that do not scroll when the detail does.
    fn taken(&self) -> usize {
        self.head.len() + self.foot.rows(Some(widest(self.detail.len()))).len()
    }

    /// The panel in so many rows: title and choices stay, the detail scrolls between them.
    pub fn fit(self, height: usize) -> Panel {
        let room = self.room(height);
        let all = self.detail.len();
        let first = self.scroll.min(all.saturating_sub(room));
        let position = (all > room).then_some((first + 1, first + room, all));
        let foot = self.foot.rows(position);
        let mut rows = self.head;
        rows.extend(self.detail.into_iter().skip(first).take(room));
        let above = rows.len();
        rows.extend(foot);
        let surplus = rows.len().saturating_sub(height.max(1));
        rows.drain(..surplus);
        let cursor = self.foot.cursor().map(|(row, column)| ((above + row).saturating_sub(surplus), column));
        Panel { rows, cursor }
    }
}

impl Foot {
    fn of(chat: &Chat, open: &Open, request: &ApprovalRequest, look: &Look, width: usize) -> Foot {
        let is_tight = usize::from(chat.window.height) < TIGHT;
        if let Some(why) = &open.why {
            return Foot::why(why, chat, look, width);
        }
        let choices = Choices::new(approval::session_label(request), look, width, is_tight);
        Foot::Choices { choices, said: choices::said(chat, look, width, is_tight), is_tight }
    }

    fn why(why: &crate::composer::Composer, chat: &Chat, look: &Look, width: usize) -> Foot {
        let lead = if width < 30 { "no: " } else { "  no, because " };
        let folded = layout(&why.buffer, width.saturating_sub(text_width(lead)).max(1));
        // The row of the cursor stays in sight however much is written.
        let most = (usize::from(chat.window.height) / 3).max(1);
        let from = (folded.cursor_row + 1).saturating_sub(most);
        let rows = folded.rows.iter().enumerate().skip(from).take(most).map(|(at, source)| {
            let lead = if at == 0 { lead.to_owned() } else { " ".repeat(lead.len()) };
            let mut row = Row::of(look.theme.role(Role::Warning), Printable::line(&lead));
            source.parts.iter().for_each(|(text, _)| row.push(look.theme.role(Role::Plain), text.clone()));
            row
        });
        let mut rows: Vec<Row> = rows.collect();
        let hint = match &chat.below.word {
            Some(word) => RowSpan { text: Printable::line(word), style: look.theme.role(Role::Warning) },
            None if width < 30 => RowSpan { text: Printable::line("Enter says no"), style: look.theme.dim() },
            None => {
                let text = Printable::line("Enter refuses with these words   Esc goes back");
                RowSpan { text, style: look.theme.dim() }
            }
        };
        let mut hint = wrap::wrap(&[hint], width, &Indent::blanks(if width < 30 { 0 } else { 2 }));
        hint.truncate(if usize::from(chat.window.height) < TIGHT { 1 } else { 2 });
        rows.extend(hint);
        let column = (lead.len() + folded.cursor_column).min(width.saturating_sub(1));
        Foot::Why { rows, cursor: (folded.cursor_row - from, column) }
    }

    fn rows(&self, position: Option<Position>) -> Vec<Row> {
        match self {
            Foot::Choices { choices, said, is_tight } => {
                let mut rows = if *is_tight { Vec::new() } else { vec![Row::default()] };
                // In a low window a word stands in place of what helps only.
                let helps = !*is_tight || said.is_empty();
                rows.extend(choices.rows(position, helps));
                rows.extend(said.iter().cloned());
                rows
            }
            Foot::Why { rows, .. } => rows.clone(),
        }
    }

    /// Leaves out the last thing that is no choice; false when there is none.
    fn drop_help(&mut self) -> bool {
        match self {
            Foot::Choices { choices, .. } => choices.drop_help(),
            Foot::Why { .. } => false,
        }
    }

    fn cursor(&self) -> Option<(usize, usize)> {
        match self {
            Foot::Choices { .. } => None,
            Foot::Why { cursor, .. } => Some(*cursor),
        }
    }
}

/// What is wanted, whole: it wraps where it is long. How many questions wait stands at the end of its row.
fn title(
    request: &ApprovalRequest,
    place: (usize, usize),
    look: &Look,
    width: usize,
    is_tight: bool,
) -> Vec<Row> {
    let mut spans = Vec::new();
    if !is_tight {
        let text = Printable::line("carpel wants to ");
        spans.push(RowSpan { text, style: look.theme.role(Role::Warning) });
    }
    spans.push(RowSpan { text: Printable::exact(&request.title), style: look.theme.title() });
    let count = count(place, is_tight);
    if count.is_empty() {
        return wrap::wrap(&spans, width, &Indent::default());
    }
    let style = look.theme.dim();
    let taken = wrap::spans_width(&spans) + text_width(&count);
    if taken + 2 <= width {
        spans.extend(blanks(width.min(LIVE_COLUMNS).saturating_sub(taken).max(2)));
        spans.push(RowSpan { text: Printable::line(&count), style });
        return vec![Row { spans, unbroken: false }];
    }
    spans.push(RowSpan { text: Printable::line(&format!("  {count}")), style });
    wrap::wrap(&spans, width, &Indent::default())
}

/// Why it is asked, below the title.
fn why(request: &ApprovalRequest, look: &Look, width: usize) -> Vec<Row> {
    let Some(reason) = request.reason.as_deref().filter(|reason| !reason.trim().is_empty()) else {
        return Vec::new();
    };
    if request.detail.starts_with(reason.trim().trim_end_matches('.')) {
        // What is shown below says it, and more.
        return Vec::new();
    }
    let span = RowSpan { text: Printable::exact(reason.trim()), style: look.theme.dim() };
    wrap::wrap(&[span], width, &Indent::default())
}

/// `1 of 2`; empty for a single question.
fn count((place, of): (usize, usize), is_tight: bool) -> String {
    match (of > 1, is_tight) {
        (false, _) => String::new(),
        (true, false) => format!("{place} of {of}"),
        (true, true) => format!("{place}/{of}"),
    }
}

/// The title in one row: a path in it loses its middle, never its end.
fn short_title(request: &ApprovalRequest, place: (usize, usize), look: &Look, width: usize) -> Row {
    let whole = Printable::exact(&request.title);
    let count = count(place, true);
    let room = if count.is_empty() { width } else { width.saturating_sub(text_width(&count) + 2) };
    let (verb, subject) = whole.as_str().split_once(' ').unwrap_or(("", whole.as_str()));
    let verb = if verb.is_empty() { String::new() } else { format!("{verb} ") };
    let subject = wrap::cut_path(subject, room.saturating_sub(text_width(&verb)), look.glyphs.ellipsis);
    let mut row = Row::of(look.theme.title(), Printable::prose(&format!("{verb}{subject}")));
    if !count.is_empty() {
        row.push(look.theme.dim(), Printable::line(&format!("  {count}")));
    }
    wrap::cut(&row, width, look.glyphs.ellipsis)
}
