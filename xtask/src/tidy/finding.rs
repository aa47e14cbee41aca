//! A finding: where, what, why it matters, and the way out.
//!
//! This file owns the shape of a finding and its one printed line, `path:line: what; why; way out`,
//! which editors and terminals turn into a link.
//! It refuses to know rules.

use std::fmt;

/// One place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    pub what: String,
    pub why: &'static str,
    pub way_out: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, what, why, way_out } = self;
        write!(f, "{path}:{line}: {what}; {why}; {way_out}")
    }
}

/// What the tests of a rule compare: `path:line what` of each finding.
#[cfg(test)]
pub fn brief(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{}:{} {}", finding.path, finding.line, finding.what)).collect()
}

#[cfg(test)]
mod tests {
    use super::Finding;

    #[test]
    fn a_finding_is_one_line_that_starts_with_its_place() {
        let finding = Finding {
            path: "host/src/flow.rs".into(),
            line: 7,
            what: "a tab".into(),
            why: "its width differs by editor",
            way_out: "use spaces".into(),
        };
        assert_eq!(finding.to_string(), "host/src/flow.rs:7: a tab; its width differs by editor; use spaces");
    }
}
