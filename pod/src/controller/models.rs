//! Which model answers from the next turn on, and which there are.
//!
//! Owns the methods `set_model` and `models`: the provider is made by the switch that the pod was given, its list is asked
//! for in the background, once, and remembered as long as that provider answers. It refuses to know how a provider is
//! chosen (`choice/`) and where keys come from.

use std::sync::Arc;

use carpel_protocol::Event;
use carpel_protocol::event::{Model, Models, Notice};
use carpel_protocol::method::SetModel;
use carpel_protocol::word::NoticeLevel;

use super::Controller;
use super::hub::{ClientId, Inner};
use crate::choice::Wanted;
use crate::provider::Provider;
use crate::state::Refusal;

/// What the present provider is known to have.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The models, once they were told.
    listed: Option<Vec<String>>,
    /// True from the first question on.
    asked: bool,
    /// Who waits for the list.
    waiting: Vec<ClientId>,
    /// A model was chosen of which it is not known yet whether it is in the list.
    unchecked: bool,
}

impl Controller {
    pub(super) fn set_model(&self, inner: &mut Inner, set: &SetModel) -> Result<(), Refusal> {
        let Some(switch) = &self.switch else {
            return Err(Refusal::new(
                "fixed_model",
                "the model of this pod cannot be changed; start another session",
            ));
        };
        let before = self.worker.provider();
        let provider = set.provider.clone().unwrap_or_else(|| before.name().to_owned());
        let wanted = Wanted { provider, model: set.model.trim().to_owned() };
        let now = switch(&wanted).map_err(|sentence| Refusal::new("no_model", sentence))?;
        if now.name() != before.name() {
            let waiting = std::mem::take(&mut inner.catalogue.waiting);
            inner.catalogue = Catalogue { waiting, ..Catalogue::default() };
        }
        // What was said of who answers is not true any more for who attaches from now on.
        inner.notices.retain(|notice| !["provider", "other_model"].contains(&notice.code.as_str()));
        self.worker.answer_with(now.clone());
        inner.answers = (now.name().to_owned(), now.model().to_owned());
        inner.usage = None;
        inner.compaction.attempts.reset();
        inner.compaction.measured.forget();
        self.tell_model(inner, &now);
        let cwd = self.hub.cwd().to_owned();
        if let Some(notice) = inner.session.goes_on_with(now.name(), now.model(), &cwd) {
            self.hub.tell(inner, Event::Notice(notice));
        }
        inner.catalogue.unchecked = true;
        self.check_listed(inner, &now);
        if inner.catalogue.listed.is_none() || now.may_list_window() {
            self.ask_list(inner, &now);
        }
        Ok(())
    }

    pub(super) fn models(&self, inner: &mut Inner, client: ClientId) {
        let provider = self.worker.provider();
        match inner.catalogue.listed.clone() {
            Some(models) => inner.answer(client, told(&*provider, models, None)),
            None => {
                inner.catalogue.waiting.push(client);
                // One question is enough for all who ask meanwhile.
                if inner.catalogue.waiting.len() == 1 {
                    self.ask_list(inner, &provider);
                }
            }
        }
    }

    /// Learns the size of the window where only a list tells it, beside the first turn. Once: a list that fails or does
    /// not tell is not asked in each turn.
    pub(super) fn learn_window(&self, inner: &mut Inner) {
        let provider = self.worker.provider();
        if provider.may_list_window() && !inner.catalogue.asked {
            self.ask_list(inner, &provider);
        }
    }

    /// Asks in the background: a list may take its time.
    fn ask_list(&self, inner: &mut Inner, provider: &Arc<dyn Provider>) {
        inner.catalogue.asked = true;
        let (pod, provider) = (self.clone(), provider.clone());
        tokio::spawn(async move {
            let answer = provider.models().await;
            pod.take_list(&mut pod.hub.lock(), &provider, answer);
        });
    }

    fn take_list(
        &self,
        inner: &mut Inner,
        provider: &Arc<dyn Provider>,
        answer: Result<Vec<String>, String>,
    ) {
        let now = self.worker.provider();
        if now.name() != provider.name() {
            // Another answers by now; who waits is told of that one.
            return;
        }
        let (models, problem) = match answer {
            Ok(models) => (models, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        for client in std::mem::take(&mut inner.catalogue.waiting) {
            inner.answer(client, told(&*now, models.clone(), problem.clone()));
        }
        if problem.is_none() {
            inner.catalogue.listed = Some(models);
        }
        self.check_listed(inner, &now);
        let is_it = Arc::ptr_eq(&now, provider);
        if is_it && now.context_limit().is_some() && inner.told_limit != now.context_limit() {
            self.tell_model(inner, &now);
        }
    }

    fn check_listed(&self, inner: &mut Inner, now: &Arc<dyn Provider>) {
        let Some(models) = inner.catalogue.listed.as_ref().filter(|models| !models.is_empty()) else {
            return;
        };
        let lacks = !models.iter().any(|model| model == now.model());
        if std::mem::take(&mut inner.catalogue.unchecked) && lacks {
            let text = format!(
                "{} does not have `{}` in its list; it is used all the same, and the next prompt shows whether it is there",
                now.name(),
                now.model()
            );
            let (level, code) = (NoticeLevel::Warning, "not_listed".to_owned());
            self.hub.tell(inner, Event::Notice(Notice { level, code, text }));
        }
    }

    fn tell_model(&self, inner: &mut Inner, now: &Arc<dyn Provider>) {
        let context_limit = now.context_limit();
        inner.told_limit = context_limit;
        if let (Some(usage), Some(limit)) = (&mut inner.usage, context_limit) {
            usage.context_limit = limit;
        }
        let (provider, model) = (now.name().to_owned(), now.model().to_owned());
        self.hub.tell(inner, Event::Model(Model { provider, model, context_limit }));
    }
}

fn told(provider: &dyn Provider, models: Vec<String>, problem: Option<String>) -> Event {
    Event::Models(Models { provider: provider.name().to_owned(), models, problem })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use carpel_protocol::MethodLine;
    use carpel_protocol::word::PodState;

    use super::super::approvals::Approvals;
    use super::super::hub::{Attach, Hub, Identity};
    use super::*;
    use crate::permission::Permissions;
    use crate::provider::{self, Request, StreamEvent};
    use crate::session::Session;
    use crate::tools::Workspace;
    use crate::worker::scripted::{Scripted, puppets_and_task};
    use crate::worker::{Worker, WorkerSettings};

    /// Plays a script; its list tells a window.
    struct Listing {
        script: Arc<Scripted>,
        window: Arc<AtomicU64>,
        asked: Arc<AtomicU64>,
    }

    impl Provider for Listing {
        fn name(&self) -> &str {
            "listing"
        }

        fn model(&self) -> &str {
            "m"
        }

        fn context_limit(&self) -> Option<u64> {
            Some(self.window.load(Ordering::Relaxed)).filter(|window| *window > 0)
        }

        fn models(&self) -> provider::Models {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let window = self.window.clone();
            Box::pin(async move {
                window.store(8_000, Ordering::Relaxed);
                Ok(vec!["m".to_owned()])
            })
        }

        fn stream(&self, request: Arc<Request>) -> tokio::sync::mpsc::Receiver<StreamEvent> {
            self.script.stream(request)
        }
    }

    fn listing(script: &str) -> Listing {
        Listing { script: Scripted::new(script), window: Arc::default(), asked: Arc::default() }
    }

    fn pod(provider: Listing, notices: Vec<Notice>) -> Controller {
        let workspace = Arc::new(Workspace::open(env!("CARGO_MANIFEST_DIR").as_ref()).unwrap());
        let settings = WorkerSettings { retry_delays: vec![Duration::ZERO], ..WorkerSettings::default() };
        let worker = Worker::new(Arc::new(provider), puppets_and_task().0, workspace, settings);
        let word = |word: &str| word.to_owned();
        let identity =
            Identity { pod: word("p"), cwd: word("/w"), provider: word("listing"), model: word("m") };
        let approvals = Approvals::new(Permissions::default(), true);
        let hub = Hub::new(Session::in_memory("s"), approvals, identity, Arc::new(|| 5)).telling(notices);
        let switch = |_: &Wanted| Ok(Arc::new(listing("")) as Arc<dyn Provider>);
        Controller::new(hub, worker).with_switch(Some(Arc::new(switch)))
    }

    fn method(json: &str) -> MethodLine {
        MethodLine::decode(json.as_bytes()).unwrap()
    }

    /// The window is told while the first turn runs, and asked for once.
    #[tokio::test]
    async fn a_window_is_learned_beside_the_first_turn() {
        let provider = listing("tokens 7 2\nstop end\n---\ntokens 7 2\nstop end");
        let asked = provider.asked.clone();
        let pod = pod(provider, Vec::new());
        let (client, mut feed) = pod.attach(Attach { name: "t".to_owned(), ..Attach::default() });
        for turn in 0..2 {
            pod.handle(client, method(r#"{"method":"run","text":"go"}"#));
            let mut limits = Vec::new();
            // The list may be there before the turn has ended or after it.
            let (mut ended, mut told) = (false, turn > 0);
            while !(ended && told) {
                let line = feed.lines.next().await.unwrap();
                match &line.event().event {
                    Event::Model(model) => {
                        told = true;
                        assert_eq!(model.context_limit, Some(8_000));
                    }
                    Event::Usage(usage) => limits.push(usage.context_limit),
                    Event::State(state) => ended |= state.state == PodState::Idle && !limits.is_empty(),
                    _ => {}
                }
            }
            assert!(limits.iter().all(|limit| *limit == 8_000 || turn == 0), "{turn}: {limits:?}");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }

    /// Who attaches after `:model` is not told who answered before.
    #[tokio::test]
    async fn what_was_said_of_who_answers_goes_with_the_model() {
        let notice = |code: &str| Notice {
            level: NoticeLevel::Info,
            code: code.to_owned(),
            text: format!("{code}: listing answers"),
        };
        let pod = pod(listing(""), ["provider", "untrusted", "other_model"].map(notice).to_vec());
        let codes = async |pod: &Controller| {
            let (client, mut feed) = pod.attach(Attach { name: "t".to_owned(), ..Attach::default() });
            let mut codes = Vec::new();
            while let Some(line) = feed.lines.next().await {
                match &line.event().event {
                    Event::Notice(notice) => codes.push(notice.code.clone()),
                    Event::State(_) => break,
                    _ => {}
                }
            }
            (client, codes)
        };
        let (client, before) = codes(&pod).await;
        assert_eq!(before, ["provider", "untrusted", "other_model"]);
        pod.handle(client, method(r#"{"method":"set_model","model":"other"}"#));
        assert_eq!(codes(&pod).await.1, ["untrusted"]);
    }
}
