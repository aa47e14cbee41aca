//! One call from its intent to its result: ask what it would do, ask whether it may, do it.
//!
//! Owns the order of the three and that each call gets exactly one result. The intent is made when the call's turn has
//! come, so that it speaks of the files as they are then, and what was answered for it is what runs. A tool's thread that
//! breaks down is that call's failure. It refuses to know when a call's turn comes (`turn/batch.rs`) and who answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::{CallResult, MAX_OUTPUT};
use super::listen::CallScope;
use super::overseer::{Overseer, Permit, Question};
use super::shares::Shares;
use super::turn::RunCall;
use crate::tools::{Access, Cancel, Intent, ToolCx, ToolFailure, ToolOutput, Toolbox, Workspace};

#[derive(Clone)]
pub(super) struct Run {
    pub(super) toolbox: Toolbox,
    pub(super) workspace: Arc<Workspace>,
    pub(super) overseer: Option<Arc<dyn Overseer>>,
    pub(super) cancel: Cancel,
    pub(super) shares: Arc<Shares>,
    pub(super) scope: Option<CallScope>,
    pub(super) call: Arc<RunCall>,
}

pub(super) type Returned = Result<ToolOutput, ToolFailure>;

impl Run {
    pub(super) async fn finish(mut self) -> CallResult {
        let intent = match self.permitted().await {
            Ok(intent) => intent,
            Err(result) => return result,
        };
        let access = self.toolbox.get(&self.call.name).map_or(Access::Writes, |tool| tool.spec().access);
        let _share = tokio::select! {
            biased;
            // What waits for others must not hold up a cancel.
            () = self.cancel.cancelled() => return CallResult::cancelled(self.call.id.clone()),
            share = self.shares.tool(access) => share,
        };
        self.run(intent).await
    }

    /// Asks whether the call may run; otherwise its result is known. Without an overseer nobody is asked.
    pub(super) async fn permitted(&mut self) -> Result<Option<Arc<Intent>>, CallResult> {
        let Some(overseer) = self.overseer.clone() else {
            return Ok(None);
        };
        let id = self.call.id.clone();
        self.workspace = Arc::new(self.workspace.screened(overseer.screen(&self.call.name)));
        let intent = match self.blocking(|run, cx| run.intent(cx)).await {
            Ok(intent) => Arc::new(intent),
            Err(failure) => return Err(CallResult::of(id, Err(failure), Duration::ZERO)),
        };
        let question = Question { call: id.clone(), tool: self.call.name.clone(), intent: intent.clone() };
        let permit = tokio::select! {
            biased;
            // What waits for a person must not hold up a cancel.
            () = self.cancel.cancelled() => Permit::Withdrawn,
            permit = overseer.permit(question) => permit,
        };
        match permit {
            Permit::Run => Ok(Some(intent)),
            Permit::Reject(why) => Err(CallResult::rejected(id, why)),
            Permit::Withdrawn => Err(CallResult::cancelled(id)),
        }
    }

    /// The call's turn has come.
    pub(super) fn begins(&self) {
        tracing::debug!(id = %self.call.id, name = self.call.name, "a tool starts");
        if let Some(scope) = &self.scope {
            scope.runs();
        }
    }

    async fn run(&self, intent: Option<Arc<Intent>>) -> CallResult {
        let started = Instant::now();
        self.begins();
        let done = self
            .blocking(move |run, cx| {
                let (name, arguments) = (&run.call.name, &run.call.arguments);
                // While a person was asked the folder may have gone.
                let returned = cx.workspace.check_there().and_then(|()| match &intent {
                    Some(intent) => run.toolbox.run_approved(name, arguments, intent, cx),
                    None => run.toolbox.run(name, arguments, cx),
                });
                Ok(run.result(returned, started.elapsed()))
            })
            .await;
        done.unwrap_or_else(|failure| CallResult::of(self.call.id.clone(), Err(failure), started.elapsed()))
    }

    /// The result of what was done elsewhere.
    pub(super) async fn kept(&self, returned: Returned, elapsed: Duration) -> CallResult {
        let kept = self.blocking(move |run, _| Ok(run.result(returned, elapsed))).await;
        kept.unwrap_or_else(|failure| CallResult::of(self.call.id.clone(), Err(failure), elapsed))
    }

    fn intent(&self, cx: &ToolCx<'_>) -> Result<Intent, ToolFailure> {
        cx.workspace.check_there()?;
        self.toolbox.intent(&self.call.name, &self.call.arguments, cx)
    }

    fn result(&self, returned: Returned, elapsed: Duration) -> CallResult {
        let id = self.call.id.clone();
        let output = match &returned {
            Ok(output) => output.output.as_deref(),
            Err(failure) => failure.output.as_deref(),
        };
        let kept = match (output, &self.overseer) {
            (Some(output), Some(overseer)) if output.len() > MAX_OUTPUT => overseer.keep(output),
            _ => None,
        };
        match kept {
            Some(kept) => CallResult::kept(id, returned, elapsed, kept),
            None => CallResult::of(id, returned, elapsed),
        }
    }

    /// Does something on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Run, &ToolCx<'_>) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        let run = self.clone();
        let running = tokio::task::spawn_blocking(move || {
            let progress = |piece: &str| {
                if let Some(scope) = &run.scope {
                    scope.progress(piece);
                }
            };
            let cx = ToolCx { workspace: &run.workspace, cancel: &run.cancel, progress: &progress };
            act(&run, &cx)
        });
        running.await.unwrap_or_else(|error| {
            tracing::error!(id = %self.call.id, %error, "a tool's thread broke down");
            Err(ToolFailure::new("the tool broke down; nothing is known of what it did"))
        })
    }
}
