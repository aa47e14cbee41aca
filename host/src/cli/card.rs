//! `carpel card --call FILE`: the card of one tool call, as text or as data.
//!
//! The file has the events or items of the call, one JSON object a line, as a pod would send or log them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use carpel_protocol::event::{History, TurnStart};
use carpel_protocol::recording::{Step, decode_step};
use carpel_protocol::{Event, EventLine, Record};
use carpel_slots::{CardCx, Printable, Registry};
use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::{Common, look, out};
use crate::paint::{Paint, PaintCx, Place};
use crate::render::highlight::Highlighter;
use crate::render::painter::{Folders, Painter};
use crate::row::Row;
use crate::transcript::Transcript;
use crate::transcript::item::ItemBody;

/// Print the card of one tool call.
#[derive(Args)]
pub struct Card {
    /// The call: JSON Lines of its events or items.
    #[arg(long, value_name = "FILE")]
    call: PathBuf,
    /// Columns.
    #[arg(long, value_name = "N", default_value_t = 80)]
    width: usize,
    /// Print the card as data, before it is laid out.
    #[arg(long)]
    json: bool,
}

impl Card {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<Exit> {
        let mut transcript = fold(&self.call)?;
        let call = transcript.items().iter().find_map(|item| match &item.body {
            ItemBody::Call(call) => Some(Arc::clone(call)),
            _ => None,
        });
        let Some(call) = call else {
            bail!(
                "`{}` has no tool call; it needs at least a tool_call_start or a tool_call item",
                self.call.display()
            );
        };
        let registry = Registry::linked();
        if self.json {
            let cx = CardCx { density: common.density, ..CardCx::default() };
            let placed =
                registry.tree().map(|tree| tree.place(&call, None, &registry, &cx)).unwrap_or_default();
            let cards: Vec<_> = placed.into_iter().map(|placed| placed.card).collect();
            out::json(&format!("{}\n", serde_json::to_string_pretty(&cards)?))?;
            return Ok(Exit::Done);
        }
        let look = look::from_environment(common.theme).look();
        let mut painter = Painter::new(look, registry, Folders::default(), Highlighter::inline());
        let cx = PaintCx {
            width: self.width.max(1),
            density: common.density,
            now: Duration::ZERO,
            place: Place::Settled,
        };
        let cards = painter.call(&call, None, &cx);
        let mut rows: Vec<Row> = cards.iter().flat_map(|card| card.all()).cloned().collect();
        look.glyphs.fit(&mut rows);
        out::rows(&rows.iter().map(|row| Printable::prose(&row.text())).collect::<Vec<_>>())?;
        Ok(Exit::Done)
    }
}

fn fold(file: &PathBuf) -> anyhow::Result<Transcript> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("`{}` could not be read", file.display()))?;
    let mut transcript = Transcript::new();
    let mut apply = |line: EventLine| transcript.apply(&line, Duration::ZERO);
    apply(EventLine::from(Event::TurnStart(TurnStart { turn: 1 })));
    let is_directive = |line: &str| matches!(decode_step(line.as_bytes()), Ok(Step::Directive(_)));
    let lines = text.lines().enumerate();
    // What a recording says to its player, waits and keys, concerns no card.
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty() && !is_directive(line)) {
        let event = EventLine::decode(line.as_bytes()).or_else(|_| {
            let item = Record::decode(line.as_bytes())?;
            Ok::<_, carpel_protocol::frame::LineError>(EventLine::from(Event::History(History {
                items: vec![item],
                more: true,
            })))
        });
        apply(
            event.with_context(|| {
                format!("line {} of `{}` is no event and no item", at + 1, file.display())
            })?,
        );
    }
    Ok(transcript)
}
