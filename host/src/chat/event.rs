//! What happens to the chat, by origin, and what it wants done.
//!
//! Values only: who makes an event and who performs an effect is the business of the loop, `run` or `headless`.

use carpel_protocol::{EventLine, MethodLine};
use ratatui::layout::Size;

use crate::chat::export::Export;
use crate::chat::new_session::Wanted;
use crate::chat::picker::SessionRow;
use crate::chat::plugins::{PluginAsk, PluginNews};
use crate::inspector::copy::Copying;
use crate::inspector::subject::Target;
use crate::naming::{Ask, Told};
use crate::render::ground::Ground;
use crate::terminal::input::keystroke::Keystroke;

/// Something happened.
#[derive(Debug, Clone)]
pub enum HostEvent {
    /// A key was pressed or repeated.
    Key(Keystroke),
    /// Text was pasted.
    Paste(String),
    /// The draft comes back from the editor, or a word why it does not.
    Edited(Result<String, String>),
    /// The window has this size now.
    Window(Size),
    /// The terminal told what its text stands on.
    Background(Ground),
    /// A word about an effect that the inspector asked for.
    Told(String),
    /// Nobody takes what was asked for the inspector: a recording has no pod.
    Unasked,
    /// Past sessions were listed.
    Sessions(Result<Vec<SessionRow>, String>),
    /// The session that was wanted cannot begin; a sentence says why.
    NotBegun(String),
    /// Something was found out about the workspace.
    Named(Told),
    /// An export was tried: the line of its command, and what came of it.
    Exported(String, Result<String, String>),
    /// Something about plugins has happened.
    Plugins(PluginNews),
    /// The connection to the pod says something.
    Link(LinkEvent),
}

/// What the connection says.
#[derive(Debug, Clone)]
pub enum LinkEvent {
    /// The pod said something.
    Event(Box<EventLine>),
    /// The connection is gone, the pod perhaps not: it is being looked for.
    Lost,
    /// The pod is gone; the reason is a sentence.
    Gone(String),
}

/// Something the chat wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Sends a method to the pod.
    Send(Box<MethodLine>),
    /// Leaves the program.
    Leave,
    /// Goes to the background.
    Suspend,
    /// Draws the live rows anew, where something else wrote over them.
    Redraw,
    /// Has the draft written in the person's editor; it comes back as an event.
    EditDraft,
    /// Puts text into the clipboard; a word about it comes back as an event.
    Copy(Copying),
    /// Opens a file in the person's editor; a word comes back when that fails.
    OpenFile(Target),
    /// Lists past sessions; they come back as an event.
    ListSessions,
    /// Has something found out about the workspace; it comes back as an event.
    Name(Ask),
    /// Writes the session to a file; what came of it comes back as an event.
    Export(Export),
    /// Leaves this session for another.
    Switch(String),
    /// Begins another session, if it can begin.
    Begin(Wanted),
    /// Asks something about plugins, for the line of a command; what came of it comes back as an event.
    Plugins(String, PluginAsk),
}
