//! Inline content of a block: styled spans, line by line.
//!
//! Emphasis is an attribute, code is the accent (between its signs where there are no colours), the target of a link
//! stands dim behind its text. All text becomes printable here, after the parser has decoded it. It wraps nothing.

use carpel_slots::{Printable, Role};
use pulldown_cmark::{CowStr, Event, Tag, TagEnd};
use ratatui::style::{Modifier, Style};

use crate::render::theme::ColorMode;
use crate::render::{Look, code, wrap};
use crate::row::RowSpan;

/// What stands before a text so that its first line cannot begin a block; taken off again.
pub const GUARD: &str = "x ";

/// Inline spans that are being collected.
pub struct Spans<'c> {
    lines: Vec<Vec<RowSpan>>,
    styles: Vec<Style>,
    links: Vec<(CowStr<'c>, usize)>,
}

impl<'c> Spans<'c> {
    /// An empty line in that style.
    pub fn new(base: Style) -> Spans<'c> {
        Spans { lines: vec![Vec::new()], styles: vec![base], links: Vec::new() }
    }

    /// True while a span is open.
    pub fn is_nested(&self) -> bool {
        self.styles.len() > 1
    }

    /// What has been collected.
    pub fn into_lines(self) -> Vec<Vec<RowSpan>> {
        self.lines
    }

    /// Adds what the parser says next. `is_guarded` is true until the guard has been taken off.
    pub fn event(&mut self, event: Event<'c>, look: Look, is_guarded: &mut bool) {
        match event {
            Event::Text(text) => {
                let text = if std::mem::take(is_guarded) {
                    CowStr::from(
                        text.strip_prefix(GUARD.trim_end())
                            .map_or_else(|| text.to_string(), |text| text.trim_start().to_owned()),
                    )
                } else {
                    text
                };
                self.push(&text, self.style());
            }
            Event::InlineHtml(text) | Event::Html(text) => self.push(&text, self.style()),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let style = self.style().patch(look.theme.role(Role::Accent));
                // Code is names and commands: what is invisible in prose is seen in it.
                let text = Printable::line(&text);
                match look.theme.mode() {
                    ColorMode::Colour => self.push(text.as_str(), style),
                    // Without colours the signs tell it.
                    ColorMode::None => self.push(&format!("`{text}`"), style),
                }
            }
            Event::FootnoteReference(label) => self.push(&format!("[^{label}]"), self.style()),
            Event::TaskListMarker(is_done) => self.push(if is_done { "[x] " } else { "[ ] " }, self.style()),
            Event::SoftBreak | Event::HardBreak => self.lines.push(Vec::new()),
            Event::Rule => {}
            Event::Start(tag) => {
                let style = self.style();
                let style = match tag {
                    Tag::Emphasis => style.add_modifier(Modifier::ITALIC),
                    Tag::Strong => style.add_modifier(Modifier::BOLD),
                    Tag::Strikethrough => style.add_modifier(Modifier::CROSSED_OUT),
                    Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                        self.links.push((dest_url, self.length()));
                        style
                    }
                    _ => style,
                };
                self.styles.push(style);
            }
            Event::End(tag) => {
                if self.styles.len() > 1 {
                    self.styles.pop();
                }
                if matches!(tag, TagEnd::Link | TagEnd::Image) {
                    self.end_link(look.theme.dim());
                }
            }
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push(&mut self, text: &str, style: Style) {
        let text = Printable::prose(&wrap::expand_tabs(&text.replace(['\n', '\r'], " "), code::TAB));
        if let Some(line) = self.lines.last_mut().filter(|_| !text.as_str().is_empty()) {
            line.push(RowSpan { text, style });
        }
    }

    fn length(&self) -> usize {
        self.lines.iter().map(Vec::len).sum()
    }

    /// The target behind the text of a link, unless the text is the target.
    fn end_link(&mut self, dim: Style) {
        let Some((target, from)) = self.links.pop() else { return };
        let text: String = self.lines.iter().flatten().skip(from).map(|span| span.text.as_str()).collect();
        let bare = target.strip_prefix("mailto:").unwrap_or(&target);
        if text != bare && text != *target && !target.is_empty() {
            self.push(&format!(" ({target})"), dim);
        }
    }
}

/// True for what ends inline content: a block begins or a container ends.
pub fn is_block(event: &Event<'_>) -> bool {
    match event {
        Event::End(_) | Event::Rule => true,
        Event::Start(tag) => !matches!(
            tag,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
        ),
        _ => false,
    }
}
