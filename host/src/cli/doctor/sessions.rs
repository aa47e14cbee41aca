//! What doctor says of sessions: how many there are, which run, and which cannot be read.
//!
//! Facts in, lines out. Refuses to know where they lie and how they are listed (`cli/doctor.rs`).

use super::report::Fact;

/// What there is.
#[derive(Debug, Clone, Default)]
pub struct Sessions {
    /// Why they cannot be listed, with the way out.
    pub failed: Option<(String, String)>,
    pub count: usize,
    /// How many of them are of this folder.
    pub here: usize,
    /// Those that run: id, and what they do.
    pub running: Vec<(String, String)>,
    /// Those that cannot be read: id, and why.
    pub unreadable: Vec<(String, String)>,
    /// How often a torn end of a log was cut off.
    pub torn: usize,
}

/// More of one kind are counted only.
const TOLD: usize = 5;

/// The lines.
pub fn facts(sessions: &Sessions) -> Vec<Fact> {
    if let Some((why, way_out)) = &sessions.failed {
        return vec![Fact::missing("past", why).way(way_out)];
    }
    let mut facts = vec![match sessions.count {
        0 => Fact::ok("past", "none yet"),
        count => Fact::ok(
            "past",
            format!("{count}, {} of this folder; `carpel sessions` lists them", sessions.here),
        ),
    }];
    if sessions.running.is_empty() {
        facts.push(Fact::ok("running", "none"));
    }
    let running = sessions.running.iter().take(TOLD);
    facts.extend(running.map(|(id, state)| Fact::ok("running", format!("{id}  {state}"))));
    facts.extend(more("running", sessions.running.len()));
    let unreadable = sessions.unreadable.iter().take(TOLD);
    facts.extend(unreadable.map(|(id, why)| {
        Fact::note("unreadable", format!("{id}: {why}"))
            .way("the others are not concerned; see who may read it")
    }));
    facts.extend(more("unreadable", sessions.unreadable.len()));
    if sessions.torn > 0 {
        facts.push(Fact::note(
            "torn",
            format!("{} ends of logs were cut off; each is kept beside its log as *.torn-N", sessions.torn),
        ));
    }
    facts
}

fn more(name: &str, count: usize) -> Option<Fact> {
    (count > TOLD).then(|| Fact::note(name, format!("and {} more", count - TOLD)))
}

#[cfg(test)]
mod tests {
    use super::super::report::brief;
    use super::*;

    #[test]
    fn what_is_said_of_sessions() {
        assert_eq!(brief(&facts(&Sessions::default())), ["+ past: none yet", "+ running: none"]);
        let pairs = |count: usize| (0..count).map(|at| (at.to_string(), "x".to_owned())).collect();
        let got = brief(&facts(&Sessions {
            count: 9,
            here: 2,
            running: pairs(1),
            unreadable: pairs(7),
            torn: 3,
            failed: None,
        }));
        assert_eq!(
            got[..2],
            ["+ past: 9, 2 of this folder; `carpel sessions` lists them", "+ running: 0  x"]
        );
        assert_eq!(got.len(), 2 + TOLD + 2);
        assert_eq!(got[7], "! unreadable: and 2 more");
        let failed = Sessions { failed: Some(("no".to_owned(), "do".to_owned())), ..Sessions::default() };
        assert_eq!(brief(&facts(&failed)), ["x past: no -> do"]);
    }
}
