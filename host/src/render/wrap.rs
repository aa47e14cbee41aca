//! Wrapping and cutting of styled text.
//!
//! Text is measured and broken between grapheme clusters, never inside one, and by cells, never by bytes. Words stay
//! whole where they fit. A cluster that is wider than the whole row becomes a question mark, so that no row is ever wider
//! than it may be. It knows neither Markdown nor calls.

use carpel_slots::Printable;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::graphemes::graphemes;
use crate::render::clip::LINE_CELLS;
use crate::row::{Row, RowSpan};

/// What stands in front of the rows of a wrapped text.
#[derive(Debug, Clone, Default)]
pub struct Indent {
    /// In front of the first.
    pub first: Vec<RowSpan>,
    /// In front of the others.
    pub rest: Vec<RowSpan>,
}

impl Indent {
    /// So many blanks in front of every row.
    pub fn blanks(count: usize) -> Indent {
        Indent { first: blanks(count), rest: blanks(count) }
    }

    /// A sign in front of the first row, as many blanks in front of the others.
    pub fn hanging(first: Vec<RowSpan>) -> Indent {
        let rest = blanks(spans_width(&first));
        Indent { first, rest }
    }
}

/// A span of so many blanks; none for 0.
pub fn blanks(count: usize) -> Vec<RowSpan> {
    if count == 0 {
        return Vec::new();
    }
    vec![RowSpan { text: Printable::line(&" ".repeat(count)), style: Style::new() }]
}

/// The cells that spans take together.
pub fn spans_width(spans: &[RowSpan]) -> usize {
    spans.iter().map(|span| text_width(span.text.as_str())).sum()
}

/// The cells that text takes, cluster by cluster, as it is laid out here.
pub fn text_width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    graphemes(text).map(UnicodeWidthStr::width).sum()
}

/// One cluster with its style.
#[derive(Clone, Copy)]
struct Cell<'a> {
    text: &'a str,
    width: usize,
    style: Style,
}

impl Cell<'_> {
    fn is_blank(&self) -> bool {
        self.text == " "
    }

    /// Scripts without blanks may be broken on either side of a wide cluster.
    fn is_wide(&self) -> bool {
        self.width == 2
    }
}

fn cells(spans: &[RowSpan]) -> impl Iterator<Item = Cell<'_>> {
    spans.iter().flat_map(|span| {
        let style = span.style;
        graphemes(span.text.as_str()).map(move |text| Cell {
            text,
            width: if text.len() == 1 { 1 } else { text.width() },
            style,
        })
    })
}

/// Appends cells as spans, one for each run of the same style.
fn put(spans: &mut Vec<RowSpan>, cells: &[Cell<'_>]) {
    for run in cells.chunk_by(|left, right| left.style == right.style) {
        let text: String = run.iter().map(|cell| cell.text).collect();
        let style = run[0].style;
        spans.push(RowSpan { text: Printable::prose(&text), style });
    }
}

/// Text as rows at most `width` cells wide, broken at blanks. Blanks at a break are dropped, those at the beginning
/// stay. Empty text is one row of the first indent.
pub fn wrap(spans: &[RowSpan], width: usize, indent: &Indent) -> Vec<Row> {
    fill(spans, width, indent, LongWord::Broken)
}

/// The same for prose, where an address that does not fit is left whole for the terminal to fold, so that it can be
/// copied and followed: it stands in an unbroken row of its own, with at most two blanks in front.
pub fn wrap_prose(spans: &[RowSpan], width: usize, indent: &Indent) -> Vec<Row> {
    fill(spans, width, indent, LongWord::AddressWhole)
}

/// What becomes of a word that is longer than a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LongWord {
    Broken,
    AddressWhole,
}

fn fill(spans: &[RowSpan], width: usize, indent: &Indent, long_word: LongWord) -> Vec<Row> {
    let width = width.max(1);
    let mut rows = Vec::new();
    let mut row = Open::new(&indent.first, width);
    let all: Vec<Cell<'_>> = cells(spans).collect();
    for word in words(&all) {
        let size: usize = word.iter().map(|cell| cell.width).sum();
        if word.iter().all(Cell::is_blank) {
            // Blanks that do not fit are those at a break.
            if !rows.is_empty() && row.is_fresh() {
                continue;
            }
            row.pending.extend_from_slice(word);
            continue;
        }
        if size <= row.left() {
            row.take(word);
            continue;
        }
        let next_left = width.saturating_sub(prefix_of(&indent.rest, width).1);
        if !row.is_fresh() && size <= next_left {
            rows.push(row.close());
            row = Open::new(&indent.rest, width);
            row.take(word);
            continue;
        }
        if long_word == LongWord::AddressWhole && size <= LINE_CELLS && is_address(word) {
            if !row.is_fresh() {
                rows.push(row.close());
            }
            let mut whole = blanks(spans_width(&indent.rest).min(2));
            put(&mut whole, word);
            rows.push(Row { spans: whole, unbroken: true });
            row = Open::new(&indent.rest, width);
            continue;
        }
        // A word longer than a row: what fits stays, the rest follows.
        row.settle_pending();
        for cell in word {
            let cell = fitted(*cell, next_left.max(1));
            if cell.width > row.left() && !row.is_fresh() {
                rows.push(row.close());
                row = Open::new(&indent.rest, width);
            }
            row.take(&[cell]);
        }
    }
    if !row.is_fresh() || rows.is_empty() {
        rows.push(row.close());
    }
    rows
}

fn is_address(word: &[Cell<'_>]) -> bool {
    word.windows(3).any(|three| three.iter().map(|cell| cell.text).eq([":", "/", "/"]))
}

fn fitted(cell: Cell<'_>, width: usize) -> Cell<'_> {
    if cell.width <= width { cell } else { Cell { text: "?", width: 1, style: cell.style } }
}

/// Runs of blanks and of other clusters, in order; wide clusters stand alone.
fn words<'a, 'b>(cells: &'b [Cell<'a>]) -> impl Iterator<Item = &'b [Cell<'a>]> {
    cells.chunk_by(|left, right| left.is_blank() == right.is_blank() && !left.is_wide() && !right.is_wide())
}

/// An indent that would leave no room is not drawn.
fn prefix_of(indent: &[RowSpan], width: usize) -> (&[RowSpan], usize) {
    let size = spans_width(indent);
    if size < width { (indent, size) } else { (&[], 0) }
}

/// The row that is being filled.
struct Open<'a> {
    prefix: Vec<RowSpan>,
    cells: Vec<Cell<'a>>,
    pending: Vec<Cell<'a>>,
    used: usize,
    width: usize,
}

impl<'a> Open<'a> {
    fn new(indent: &[RowSpan], width: usize) -> Open<'a> {
        let (prefix, used) = prefix_of(indent, width);
        Open { prefix: prefix.to_vec(), cells: Vec::new(), pending: Vec::new(), used, width }
    }

    fn is_fresh(&self) -> bool {
        self.cells.is_empty()
    }

    fn left(&self) -> usize {
        self.width.saturating_sub(self.used + self.pending.len())
    }

    fn settle_pending(&mut self) {
        let room = self.width.saturating_sub(self.used + 1);
        let kept = self.pending.len().min(room);
        self.used += kept;
        self.cells.extend(self.pending.drain(..).take(kept));
    }

    fn take(&mut self, word: &[Cell<'a>]) {
        self.settle_pending();
        self.used += word.iter().map(|cell| cell.width).sum::<usize>();
        self.cells.extend_from_slice(word);
    }

    fn close(self) -> Row {
        let mut spans = self.prefix;
        put(&mut spans, &self.cells);
        trimmed(Row { spans, unbroken: false })
    }
}

/// A row without blanks at its end, which nobody sees and a copy would carry.
#[must_use]
pub fn trimmed(mut row: Row) -> Row {
    while let Some(last) = row.spans.last_mut() {
        let text = last.text.as_str();
        let kept = text.trim_end_matches(' ').len();
        let is_visible = last.style.add_modifier.contains(Modifier::REVERSED) || last.style.bg.is_some();
        if kept == text.len() || is_visible {
            break;
        }
        if kept > 0 {
            last.text = Printable::prose(&text[..kept]);
            break;
        }
        row.spans.pop();
    }
    row
}

/// A row cut to `width` cells, its last cell the ellipsis when something was left out.
pub fn cut(row: &Row, width: usize, ellipsis: &str) -> Row {
    trimmed(Row { spans: cut_spans(&row.spans, width, ellipsis), unbroken: false })
}

/// Spans cut to `width` cells, the last cell the ellipsis when something was left out.
pub fn cut_spans(spans: &[RowSpan], width: usize, ellipsis: &str) -> Vec<RowSpan> {
    if spans_width(spans) <= width {
        return spans.to_vec();
    }
    if width == 0 {
        return Vec::new();
    }
    let mut kept: Vec<Cell<'_>> = Vec::new();
    let mut used = 0;
    for cell in cells(spans) {
        if used + cell.width > width - 1 {
            break;
        }
        used += cell.width;
        kept.push(cell);
    }
    while kept.last().is_some_and(Cell::is_blank) {
        kept.pop();
    }
    let style = kept.last().map_or(Style::new(), |cell| cell.style);
    kept.push(Cell { text: ellipsis, width: 1, style });
    let mut cut = Vec::new();
    put(&mut cut, &kept);
    cut
}

/// A path cut in the middle to `width` cells: folders go, the file name stays. A name that does not fit alone loses
/// its end.
pub fn cut_path(path: &str, width: usize, ellipsis: &str) -> String {
    if text_width(path) <= width {
        return path.to_owned();
    }
    let name_start = path.trim_end_matches('/').rfind('/').unwrap_or(0);
    let (folders, name) = path.split_at(name_start);
    let name_width = text_width(name);
    if name_width + 1 > width {
        let bare = name.trim_start_matches('/');
        return cut_end(bare, width, ellipsis);
    }
    format!("{}{ellipsis}{name}", head(folders, width - name_width - 1))
}

fn cut_end(text: &str, width: usize, ellipsis: &str) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    if width == 0 { String::new() } else { format!("{}{ellipsis}", head(text, width - 1)) }
}

/// As many clusters from the beginning as fit.
fn head(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += cluster.width();
        if used > width {
            return &text[..at];
        }
    }
    text
}

/// Text with tabs expanded to stops of `stop` cells.
pub fn expand_tabs(text: &str, stop: usize) -> std::borrow::Cow<'_, str> {
    if !text.contains('\t') {
        return text.into();
    }
    let mut expanded = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for cluster in graphemes(text) {
        if cluster == "\t" {
            let blanks = stop - column % stop;
            expanded.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        } else {
            expanded.push_str(cluster);
            column += cluster.width();
        }
    }
    expanded.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str) -> Vec<RowSpan> {
        vec![RowSpan { text: Printable::prose(text), style: Style::new() }]
    }

    fn check(text: &str, width: usize, indent: &Indent) -> Vec<String> {
        wrap(&plain(text), width, indent).iter().map(Row::text).collect()
    }

    #[test]
    fn words_stay_whole() {
        let rows: [(&str, usize, &[&str]); 8] = [
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 3, &["one", "two", "thr", "ee"]),
            ("abcdefgh ij", 4, &["abcd", "efgh", "ij"]),
            ("  kept blanks", 8, &["  kept", "blanks"]),
            ("漢字漢字", 5, &["漢字", "漢字"]),
            ("漢字", 1, &["?", "?"]),
            ("", 10, &[""]),
            ("a  b", 10, &["a  b"]),
        ];
        for (text, width, want) in rows {
            assert_eq!(check(text, width, &Indent::default()), want, "{text:?} at {width}");
        }
    }

    #[test]
    fn an_address_is_left_whole() {
        let rows = wrap_prose(&plain("see http://a.b/c?d=e now"), 10, &Indent::default());
        let seen: Vec<(String, bool)> = rows.iter().map(|row| (row.text(), row.unbroken)).collect();
        let want = [("see", false), ("http://a.b/c?d=e", true), ("now", false)];
        assert_eq!(seen, want.map(|(text, unbroken)| (text.to_owned(), unbroken)));
    }

    #[test]
    fn further_rows_hang() {
        let indent = Indent::hanging(plain("› "));
        assert_eq!(check("say it again", 8, &indent), ["› say it", "  again"]);
        assert_eq!(check("say", 2, &indent), ["sa", "y"]);
    }

    /// LOG 2.14: cut inside a letter of three bytes. LOG 2.15, 2.08: Thai marks stay on their base.
    #[test]
    fn cuts_fall_between_clusters() {
        let title = "漢".repeat(60);
        for width in 0..125 {
            let row = cut(&Row::of(Style::new(), Printable::line(&title)), width, "…");
            assert!(row.width() <= width, "{width}");
        }
        let thai = "ภาษาไทยที่มีวรรณยุกต์และสระบนล่างน้ำใจ";
        let rows = check(&thai.repeat(4), 10, &Indent::default());
        assert_eq!(rows.concat(), thai.repeat(4));
        for row in &rows {
            let first = row.chars().next().unwrap();
            assert!(UnicodeWidthStr::width(first.to_string().as_str()) > 0, "{row:?} begins with a mark");
        }
    }

    #[test]
    fn a_path_keeps_its_file_name() {
        let rows = [
            ("src/a/very/deep/parser.rs", 18, "src/a/v…/parser.rs"),
            ("src/parser.rs", 13, "src/parser.rs"),
            ("src/parser.rs", 11, "…/parser.rs"),
            ("src/parser.rs", 6, "parse…"),
            ("parser", 0, ""),
        ];
        for (path, width, want) in rows {
            assert_eq!(cut_path(path, width, "…"), want);
        }
    }

    /// LOG 2.03: tabs expanded to stops before measuring.
    #[test]
    fn tabs_go_to_stops() {
        assert_eq!(expand_tabs("\ta\tbc", 4), "    a   bc");
        assert_eq!(expand_tabs("漢\tx", 4), "漢  x");
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide_and_no_word_is_lost(text in "([a-zé漢ก้👩‍👩‍👧 ]{1,12} ?){0,20}", width in 1usize..40, blanks in 0usize..6) {
            let rows = wrap(&plain(&text), width, &Indent::blanks(blanks));
            for row in &rows {
                prop_assert!(row.width() <= width, "{:?}", row.text());
            }
            // A joined emoji that no row can hold becomes an ellipsis.
            if width > blanks + 8 {
                let joined: String = rows.iter().map(Row::text).collect();
                let squeeze = |text: &str| text.split(' ').collect::<String>();
                prop_assert_eq!(squeeze(&joined), squeeze(Printable::prose(&text).as_str()));
            }
        }
    }
}
