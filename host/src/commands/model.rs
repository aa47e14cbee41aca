//! `:model NAME` has another model answer, `:model PROVIDER:NAME` one of another provider.
//!
//! A provider is set off by a colon and only where its name is one that there is: names of models hold slashes
//! (`openai/gpt-5`) and colons (`llama3:8b`). The pod makes the change and tells every client of it; here are only the
//! words, and the list that the pod has told.

use carpel_protocol::Method;
use carpel_protocol::method::SetModel;
use carpel_protocol::word::PodState;
use carpel_slots::command::{
    Command, CommandCx, CommandEffect, CommandRun, CommandSpec, Completion, ModelList, When,
};
use carpel_slots::register_command;

use crate::link::{provider_names, without_model};
use crate::status_items::who;

register_command!("model", ChooseModel);

struct ChooseModel;

impl Command for ChooseModel {
    fn spec(&self) -> CommandSpec {
        CommandSpec {
            name: "model",
            summary: "which model answers",
            usage: "[NAME|PROVIDER:NAME]",
            example: ":model anthropic:claude-sonnet-5",
            // What is in use can be looked at while a turn runs.
            when: When::Always,
        }
    }

    fn complete(&self, typed: &str, cx: &CommandCx) -> Vec<Completion> {
        let offer = |insert: &str, summary: &str| Completion {
            insert: insert.to_owned(),
            summary: summary.to_owned(),
        };
        let mut offers: Vec<Completion> = match &cx.models {
            ModelList::Known(models) => fitting(models, typed)
                .into_iter()
                .map(|model| offer(model, if model == cx.model { "in use" } else { "" }))
                .collect(),
            ModelList::Unknown | ModelList::Failed(_) if !cx.model.starts_with(typed) => Vec::new(),
            ModelList::Unknown => vec![offer(&cx.model, "in use")],
            ModelList::Failed(problem) => vec![offer(&cx.model, &format!("in use; no list: {problem}"))],
        };
        let others = provider_names().into_iter().filter(|name| *name != cx.provider);
        let others = others.filter(|name| format!("{name}:").starts_with(typed));
        offers.extend(others.map(|name| offer(&format!("{name}:"), without_model(name))));
        offers
    }

    fn run(&self, arguments: &str, cx: &CommandCx) -> Result<CommandRun, String> {
        if arguments.is_empty() {
            return Ok(CommandRun { outcome: who(&cx.provider, &cx.model), ..CommandRun::default() });
        }
        if arguments.contains(char::is_whitespace) {
            return Err(format!("`{arguments}` is more than one word"));
        }
        if cx.state != PodState::Idle {
            return Err("a turn runs, and the model can be changed between turns only".to_owned());
        }
        let set = match arguments.split_once(':') {
            Some((provider, model)) if provider_names().contains(&provider) => {
                SetModel { provider: Some(provider.to_owned()), model: model.to_owned() }
            }
            // The name of a provider alone means it, with its usual model.
            None if provider_names().contains(&arguments) => {
                SetModel { provider: Some(arguments.to_owned()), model: String::new() }
            }
            Some(_) | None => {
                // A part of a listed name stands for the row that is chosen in the list.
                if let ModelList::Known(models) = &cx.models
                    && !models.iter().any(|model| model == arguments)
                    && !fitting(models, arguments).is_empty()
                {
                    return Err(format!("several models are like `{arguments}`; choose one of the list"));
                }
                SetModel { provider: None, model: arguments.to_owned() }
            }
        };
        let effects = vec![CommandEffect::Send(Box::new(Method::SetModel(set)))];
        Ok(CommandRun { effects, ..CommandRun::default() })
    }
}

/// Those that hold what was typed, those that begin with it first.
fn fitting<'a>(models: &'a [String], typed: &str) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let holds = |model: &&str| model.to_lowercase().contains(&typed);
    let mut fitting: Vec<&str> = models.iter().map(String::as_str).filter(holds).collect();
    fitting.sort_by_key(|model| !model.to_lowercase().starts_with(&typed));
    fitting
}

#[cfg(test)]
mod tests {
    use carpel_slots::{Density, ThemeName};

    use super::*;

    fn cx(models: ModelList, state: PodState) -> CommandCx {
        CommandCx {
            state,
            density: Density::Normal,
            theme: ThemeName::Auto,
            provider: "openai".to_owned(),
            model: "gpt-5".to_owned(),
            models,
            commands: Vec::new(),
        }
    }

    fn known() -> ModelList {
        ModelList::Known(
            ["gpt-5", "openai/gpt-5-mini", "llama3:8b", "gpt-5-mini"].map(str::to_owned).to_vec(),
        )
    }

    #[test]
    fn what_is_offered() {
        let others = ["guide:", "anthropic:", "ollama:"];
        let rows: [(ModelList, &str, &[&str]); 8] = [
            (known(), "mini", &["openai/gpt-5-mini", "gpt-5-mini"]),
            (known(), "GPT-5-m", &["gpt-5-mini", "openai/gpt-5-mini"]),
            (known(), "llama3:", &["llama3:8b"]),
            (known(), "an", &["anthropic:"]),
            (known(), "nothing like it", &[]),
            (ModelList::Unknown, "", &["gpt-5", others[0], others[1], others[2]]),
            (ModelList::Failed("it is down".into()), "gpt", &["gpt-5"]),
            (ModelList::Failed("it is down".into()), "other", &[]),
        ];
        for (models, typed, want) in rows {
            let offers = ChooseModel.complete(typed, &cx(models, PodState::Idle));
            let got: Vec<&str> = offers.iter().map(|offer| offer.insert.as_str()).collect();
            assert_eq!(got, want, "{typed}");
        }
        let failed = cx(ModelList::Failed("it is down".into()), PodState::Idle);
        assert_eq!(ChooseModel.complete("", &failed)[0].summary, "in use; no list: it is down");
        let promised: Vec<String> =
            ChooseModel.complete("", &failed).into_iter().skip(1).map(|offer| offer.summary).collect();
        assert_eq!(
            promised,
            [
                "no model, no network",
                "another provider: its usual model, or the one you name",
                "another provider: name a model",
            ]
        );
    }

    #[test]
    fn what_is_sent() {
        let rows = [
            (known(), PodState::Running, "", "gpt-5 by openai"),
            (known(), PodState::Running, "gpt-5", "error: a turn runs"),
            (known(), PodState::Idle, "gpt-5-mini", "None gpt-5-mini"),
            (known(), PodState::Idle, "llama3:8b", "None llama3:8b"),
            (known(), PodState::Idle, "openai/gpt-5-mini", "None openai/gpt-5-mini"),
            (known(), PodState::Idle, "mini", "error: several models are like `mini`"),
            (known(), PodState::Idle, "brand-new", "None brand-new"),
            (known(), PodState::Idle, "openai:mini", "Some(\"openai\") mini"),
            (ModelList::Unknown, PodState::Idle, "mini", "None mini"),
            (known(), PodState::Idle, "anthropic:", "Some(\"anthropic\") "),
            (known(), PodState::Idle, "ollama:llama3:8b", "Some(\"ollama\") llama3:8b"),
            (known(), PodState::Idle, "ollama", "Some(\"ollama\") "),
            (known(), PodState::Idle, "a b", "error: `a b` is more than one word"),
        ];
        for (models, state, arguments, want) in rows {
            let got = match ChooseModel.run(arguments, &cx(models, state)) {
                Err(reason) => format!("error: {reason}"),
                Ok(run) => match run.effects.first() {
                    Some(CommandEffect::Send(method)) => match &**method {
                        Method::SetModel(set) => format!("{:?} {}", set.provider, set.model),
                        other => format!("{other:?}"),
                    },
                    _ => run.outcome,
                },
            };
            assert!(got.starts_with(want), "{arguments}: {got}");
        }
    }
}
