//! How a question looks: its title, the whole of what it asks about, and the choices, which are always in sight.
//!
//! The text is shown exactly: nothing in it is hidden or left out, what does not fit is scrolled to. It takes the place
//! of draft and status row; where the live rows have no room for it, it stands on the alternate screen, so that no row
//! of the history is pushed away for something that goes again.

use carpel_protocol::event::ApprovalRequest;
use carpel_protocol::word::Decision;
use carpel_slots::{Printable, Role};

use crate::chat::approval::{self, Open};
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
    foot: Vec<Row>,
    cursor: Option<(usize, usize)>,
    scroll: usize,
}

/// The question on the screen, laid out for a width; `None` when nothing is asked.
pub fn question(chat: &Chat, look: &Look, width: usize) -> Option<Question> {
    let open = chat.approvals.open()?;
    let (request, place, of) = approval::current(chat)?;
    let is_tight = usize::from(chat.window.height) < TIGHT;
    let (mut foot, cursor) = foot(open, request, look, width, is_tight);
    let mut head = title(request, (place, of), look, width, is_tight);
    if !is_tight {
        head.insert(0, Row::default());
        head.push(Row::default());
        foot.insert(0, Row::default());
    }
    Some(Question {
        head,
        detail: detail(request, look, width),
        foot,
        cursor: cursor.map(|(row, column)| (row + usize::from(!is_tight), column)),
        scroll: open.scroll,
    })
}

/// True when the window shows what a yes would be to: the title, a row of the detail, and all choices whole.
pub fn is_seen(chat: &Chat) -> bool {
    let (width, height) = (usize::from(chat.window.width), usize::from(chat.window.height));
    let Some(question) = question(chat, &Look::PLAIN, width.clamp(1, chat.live.columns)) else {
        return false;
    };
    width >= NARROWEST && height > question.head.len() + question.foot.len()
}

impl Question {
    /// Rows that it takes when nothing is scrolled.
    pub fn height(&self) -> usize {
        self.head.len() + self.detail.len() + self.foot.len()
    }

    /// How far it can be scrolled in so many rows.
    pub fn most_scroll(&self, height: usize) -> usize {
        self.detail.len().saturating_sub(self.room(height))
    }

    fn room(&self, height: usize) -> usize {
        height.saturating_sub(self.head.len() + self.foot.len()).max(1)
    }

    /// The panel in so many rows: title and choices stay, the detail scrolls between them.
    pub fn fit(self, height: usize) -> Panel {
        let room = self.room(height);
        let first = self.scroll.min(self.detail.len().saturating_sub(room));
        let mut rows = self.head;
        rows.extend(self.detail.into_iter().skip(first).take(room));
        let above = rows.len();
        rows.extend(self.foot);
        let surplus = rows.len().saturating_sub(height.max(1));
        rows.drain(..surplus);
        let cursor = self.cursor.map(|(row, column)| ((above + row).saturating_sub(surplus), column));
        Panel { rows, cursor }
    }
}

/// What is wanted, whole: it wraps where it is long.
fn title(
    request: &ApprovalRequest,
    (place, of): (usize, usize),
    look: &Look,
    width: usize,
    is_tight: bool,
) -> Vec<Row> {
    let span = |style, text| RowSpan { text, style };
    let mut spans = Vec::new();
    if !is_tight {
        spans.push(span(look.theme.role(Role::Warning), Printable::line("carpel wants to ")));
    }
    spans.push(span(look.theme.title(), Printable::exact(&request.title)));
    if of > 1 {
        spans.push(span(look.theme.dim(), Printable::line(&format!("  {place} of {of}"))));
    }
    wrap::wrap(&spans, width, &Indent::default())
}

fn detail(request: &ApprovalRequest, look: &Look, width: usize) -> Vec<Row> {
    let indent = Indent::blanks(if width < 30 { 0 } else { 2 });
    let rows = request.detail.lines().flat_map(|line| {
        let style = look.theme.role(line_role(line));
        wrap::wrap(&[RowSpan { text: Printable::exact(line), style }], width, &indent)
    });
    rows.collect()
}

/// A line of a diff is coloured by its sign.
fn line_role(line: &str) -> Role {
    match line.as_bytes() {
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        [b'@', b'@', ..] => Role::Dim,
        _ => Role::Plain,
    }
}

fn foot(
    open: &Open,
    request: &ApprovalRequest,
    look: &Look,
    width: usize,
    is_tight: bool,
) -> (Vec<Row>, Option<(usize, usize)>) {
    let Some(why) = &open.why else {
        return (choices(request, look, width, is_tight), None);
    };
    let lead = "  no, because ";
    let folded = layout(&why.buffer, width.saturating_sub(text_width(lead)).max(1));
    let rows = folded.rows.iter().enumerate().map(|(at, source)| {
        let lead = if at == 0 { lead.to_owned() } else { " ".repeat(lead.len()) };
        let mut row = Row::of(look.theme.role(Role::Warning), Printable::line(&lead));
        source.parts.iter().for_each(|(text, _)| row.push(look.theme.role(Role::Plain), text.clone()));
        row
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.push(Row::of(look.theme.dim(), Printable::line("  Enter refuses with these words   Esc goes back")));
    (rows, Some((folded.cursor_row, lead.len() + folded.cursor_column)))
}

/// The choices in as many rows as they need; a key and its meaning stay together.
fn choices(request: &ApprovalRequest, look: &Look, width: usize, is_tight: bool) -> Vec<Row> {
    let offers_session = request.options.iter().any(|option| option.kind == Decision::Session);
    let offers = [
        ("y", "once"),
        ("s", if is_tight { "session" } else { "for this session" }),
        ("n", "no"),
        ("m", if is_tight { "why" } else { "no, and say why" }),
        ("Esc", if is_tight { "cancel" } else { "cancel the turn" }),
    ];
    let indent = if width < 30 { 0 } else { 2 };
    let gap = if is_tight { 2 } else { 3 };
    let mut rows: Vec<Row> = Vec::new();
    for (key, meaning) in offers.into_iter().filter(|(key, _)| offers_session || *key != "s") {
        let cells = key.len() + 1 + meaning.len();
        let fits = rows.last().is_some_and(|row| row.width() + gap + cells <= width);
        let lead = if fits { gap } else { indent };
        if !fits {
            rows.push(Row::default());
        }
        if let Some(row) = rows.last_mut() {
            row.spans.extend(blanks(lead));
            row.push(look.theme.role(Role::Accent), Printable::line(key));
            row.push(look.theme.role(Role::Plain), Printable::line(&format!(" {meaning}")));
        }
    }
    rows.iter().map(|row| wrap::cut(row, width, look.glyphs.ellipsis)).collect()
}
