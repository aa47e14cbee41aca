//! The gallery on the terminal: keys in, frames on the alternate screen out.
//!
//! Nothing wakes it but a key, the window and colours that come late. An old terminal has no alternate screen; there the
//! rows stand in place of the live ones.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::chat::ending::Ended;
use crate::gallery::exhibits::Exhibit;
use crate::gallery::keys::{self, Wish};
use crate::gallery::{Gallery, draw};
use crate::render::glyph::Glyphs;
use crate::render::ground::Ground;
use crate::render::highlight::Highlighter;
use crate::render::painter::Folders;
use crate::render::{Look, Painter};
use crate::terminal::dialect::Dialect;
use crate::terminal::input::Input;
use crate::terminal::screen::Frame;
use crate::terminal::session::Session;
use crate::terminal::tty::Tty;
use carpel_slots::Registry;

/// How the terminal is drawn on.
pub struct Options {
    /// The views.
    pub registry: Registry,
    /// To shorten paths by.
    pub folders: Folders,
    /// The glyphs that the locale can show.
    pub glyphs: &'static Glyphs,
    /// What the terminal understands.
    pub dialect: Dialect,
    /// Tells what is shown instead, where that may change.
    pub changes: Option<UnboundedReceiver<Change>>,
}

/// What changes while the gallery is open.
pub struct Change {
    /// The views and what is shown of them; `None` leaves what is there.
    pub shown: Option<(Registry, Vec<Exhibit>)>,
    /// What there is to say about it.
    pub word: Option<String>,
}

/// Shows the gallery until the person leaves.
///
/// # Errors
/// When there is no terminal, or it cannot be written to.
pub async fn run(gallery: Gallery, options: Options) -> anyhow::Result<Ended> {
    let (session, input) = Session::start(Tty::open()?, options.dialect)?;
    let awaited = Arc::new(Notify::new());
    let Options { registry, folders, glyphs, changes, .. } = options;
    let look = Look { theme: gallery.themes.theme(), glyphs };
    let painter = Painter::new(look, registry, folders.clone(), highlighter(&awaited));
    Running { gallery, painter, session, glyphs, folders, awaited }.run(input, changes).await
}

/// Colours that come late tell of it.
fn highlighter(awaited: &Arc<Notify>) -> Highlighter {
    let wake = Arc::clone(awaited);
    Highlighter::threaded(Box::new(move || wake.notify_one()))
}

struct Running {
    gallery: Gallery,
    painter: Painter,
    session: Session,
    glyphs: &'static Glyphs,
    folders: Folders,
    awaited: Arc<Notify>,
}

impl Running {
    async fn run(
        mut self,
        mut input: UnboundedReceiver<Input>,
        mut changes: Option<UnboundedReceiver<Change>>,
    ) -> anyhow::Result<Ended> {
        let awaited = Arc::clone(&self.awaited);
        let ended = loop {
            let change = async {
                match &mut changes {
                    Some(changes) => changes.recv().await,
                    None => std::future::pending().await,
                }
            };
            let ended = tokio::select! {
                input = input.recv() => self.take(input.unwrap_or(Input::Closed))?,
                Some(change) = change => {
                    self.change(change);
                    None
                }
                () = awaited.notified() => None,
            };
            if let Some(ended) = ended {
                break ended;
            }
            self.draw()?;
        };
        self.session.leave()?;
        Ok(ended)
    }

    /// Shows something else, the same view of it where it is still there.
    fn change(&mut self, change: Change) {
        self.gallery.word = change.word;
        let Some((registry, exhibits)) = change.shown else { return };
        self.painter = Painter::new(self.look(), registry, self.folders.clone(), highlighter(&self.awaited));
        self.gallery.at = self.gallery.at.min(exhibits.len().saturating_sub(1));
        self.gallery.exhibits = exhibits;
    }

    /// The theme may have changed.
    fn look(&self) -> Look {
        Look { theme: self.gallery.themes.theme(), glyphs: self.glyphs }
    }

    fn take(&mut self, input: Input) -> anyhow::Result<Option<Ended>> {
        match input {
            Input::Key(stroke) => {
                let size = self.session.size();
                let page = draw::page(usize::from(size.height));
                match keys::key(&mut self.gallery, stroke.event, usize::from(size.width), page) {
                    Wish::Draw => {}
                    Wish::Leave => return Ok(Some(Ended::Left)),
                    Wish::Suspend => self.session.suspend()?,
                }
            }
            Input::Keyboard => self.session.on_keyboard()?,
            Input::Background(rgb) => self.gallery.themes.ground = Some(Ground::of_rgb(rgb)),
            Input::Resizing => self.session.on_resizing(),
            Input::Screen(screen) => {
                self.session.on_screen(screen)?;
            }
            Input::Suspend => self.session.suspend()?,
            Input::Continued => self.session.on_continued()?,
            Input::Paste(_) | Input::Focus(_) => {}
            Input::Stop(_) | Input::Closed => return Ok(Some(Ended::Stopped)),
        }
        Ok(None)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        if !self.session.is_ready() {
            return Ok(());
        }
        let size = self.session.size();
        let look = self.look();
        self.painter.set_look(look);
        let window = (usize::from(size.width), usize::from(size.height));
        let rows = draw::window(&mut self.gallery, &mut self.painter, look, window);
        if !self.session.has_alternate() {
            return Ok(self.session.draw(Frame { commit: &[], live: &rows, cursor: None })?);
        }
        if !self.session.is_alternate() {
            if self.gallery.themes.wants_ground() {
                self.session.ask_background();
            }
            // The first frame of the main screen turns the input modes on and puts the question.
            self.session.draw(Frame::default())?;
            self.session.enter_alternate()?;
        }
        Ok(self.session.draw_alternate(&rows, None)?)
    }
}
