//! Figures as tables, and as JSON.
//!
//! Owns what stands in which column and how many digits a figure gets. The tables are Markdown, so that they can go into
//! `docs/performance.md` as they are. It refuses to know how figures come about.

use serde::Serialize;
use serde_json::json;

use crate::figures::{Delays, Figures};

/// A workload with both subjects.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub name: String,
    pub about: String,
    pub carpel: Figures,
    pub floor: Figures,
}

/// The tables; what has no row is left out.
pub fn tables(rows: &[Row]) -> String {
    let worked: Vec<&Row> = rows.iter().filter(|row| row.carpel.wall_s.is_some()).collect();
    let rested: Vec<&Row> = rows.iter().filter(|row| row.carpel.waits.is_some()).collect();
    let mut text = String::new();
    for table in [costs(&worked), sizes(&worked), resting(&rested), keys(rows)] {
        if !table.is_empty() {
            text.push_str(&table);
            text.push('\n');
        }
    }
    text
}

pub fn json(rows: &[Row]) -> serde_json::Value {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    json!({"cores": cores, "load_average": load.trim_end(), "workloads": rows})
}

fn costs(rows: &[&Row]) -> String {
    let head = [
        "work",
        "CPU s (floor)",
        "x",
        "host + pod",
        "wall s (floor)",
        "x",
        "last delta to text, ms (floor)",
        "CPU by thirds",
    ];
    let cells = rows.iter().map(|row| {
        let Row { carpel, floor, .. } = row;
        let wall = |figures: &Figures| figures.wall_s.unwrap_or(0.0);
        let delays = carpel.delay_ms.zip(floor.delay_ms);
        vec![
            row.name.clone(),
            format!("{:.3} ({:.3})", carpel.cpu_s, floor.cpu_s),
            ratio(carpel.cpu_s, floor.cpu_s),
            format!("{:.3} + {:.3}", carpel.cpu_host_s, carpel.cpu_pod_s),
            format!("{:.2} ({:.2})", wall(carpel), wall(floor)),
            ratio(wall(carpel), wall(floor)),
            delays.map_or_else(none, |(carpel, floor)| format!("{carpel:.0} ({floor:.0})")),
            carpel.cpu_thirds_s.map_or_else(none, |thirds| {
                thirds.map(|third| format!("{:.0}", share(third, &thirds))).join(" ") + " %"
            }),
        ]
    });
    table(&head, cells)
}

fn sizes(rows: &[&Row]) -> String {
    let head = ["work", "written kB (floor)", "x", "frames", "peak MB (anonymous): host", "pod", "floor"];
    let cells = rows.iter().map(|row| {
        let Row { carpel, floor, .. } = row;
        vec![
            row.name.clone(),
            format!("{:.1} ({:.1})", carpel.bytes as f64 / 1e3, floor.bytes as f64 / 1e3),
            ratio(carpel.bytes as f64, floor.bytes as f64),
            carpel.frames.to_string(),
            memory(carpel, 0),
            memory(carpel, 1),
            memory(floor, 0),
        ]
    });
    table(&head, cells)
}

fn resting(rows: &[&Row]) -> String {
    let head = [
        "20 s",
        "CPU ms: host + pod (floor)",
        "waits: host, pod (floor)",
        "bytes (floor)",
        "frames",
        "MB (anonymous): host",
        "pod",
        "floor",
    ];
    let cells = rows.iter().map(|row| {
        let Row { carpel, floor, .. } = row;
        let waits = |figures: &Figures| {
            let waits = figures.waits.iter().flatten().map(ToString::to_string);
            waits.collect::<Vec<_>>().join(", ")
        };
        vec![
            row.name.clone(),
            format!(
                "{:.1} + {:.1} ({:.1})",
                carpel.cpu_host_s * 1e3,
                carpel.cpu_pod_s * 1e3,
                floor.cpu_s * 1e3
            ),
            format!("{} ({})", waits(carpel), waits(floor)),
            format!("{} ({})", carpel.bytes, floor.bytes),
            carpel.frames.to_string(),
            memory(carpel, 0),
            memory(carpel, 1),
            memory(floor, 0),
        ]
    });
    table(&head, cells)
}

fn keys(rows: &[Row]) -> String {
    let delays = |delays: &Option<Delays>| {
        delays.as_ref().map(|Delays { median_ms, p99_ms }| format!("{median_ms:.1} / {p99_ms:.1}"))
    };
    let mut cells = Vec::new();
    for Row { carpel, floor, .. } in rows {
        let mut row = |what: &str, of: &dyn Fn(&Figures) -> Option<String>| {
            if let Some(figure) = of(carpel) {
                cells.push(vec![what.to_owned(), figure, of(floor).unwrap_or_else(none)]);
            }
        };
        let start = |figures: &Figures| figures.start.clone();
        row("exec to painted prompt, ms", &|figures| {
            start(figures).map(|start| format!("{:.0}", start.prompt_ms))
        });
        row("exec to the first key on the screen, ms", &|figures| {
            start(figures).map(|start| format!("{:.0}", start.first_key_ms))
        });
        row("CPU to start, ms: host + pod", &|figures| {
            start(figures)
                .map(|_| format!("{:.0} + {:.0}", figures.cpu_host_s * 1e3, figures.cpu_pod_s * 1e3))
        });
        row("MB (anonymous) at the prompt: host, pod", &|figures| {
            start(figures).map(|_| {
                (0..figures.peak_mb.len()).map(|at| memory(figures, at)).collect::<Vec<_>>().join(", ")
            })
        });
        row("key to screen at rest, ms: median / p99", &|figures| delays(&figures.echo_resting));
        row("key to screen while text streams, ms: median / p99", &|figures| delays(&figures.echo_streaming));
    }
    table(&["prompt", "carpel", "floor"], cells.into_iter())
}

/// A table in Markdown; without rows nothing.
pub fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rows: String = rows.map(|row| line(&row)).collect();
    if rows.is_empty() {
        return rows;
    }
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    format!("{}|{}\n{rows}", line(&head), "---|".repeat(head.len()))
}

/// So many times the floor; absent where the floor is too small to divide by.
fn ratio(carpel: f64, floor: f64) -> String {
    if floor > 0.0005 { format!("{:.1}", carpel / floor) } else { none() }
}

fn share(part: f64, all: &[f64]) -> f64 {
    let sum: f64 = all.iter().sum();
    if sum > 0.0 { 100.0 * part / sum } else { 0.0 }
}

fn memory(figures: &Figures, process: usize) -> String {
    let of = |list: &[f64]| list.get(process).copied();
    let both = of(&figures.peak_mb).zip(of(&figures.anonymous_mb));
    both.map_or_else(none, |(peak, anonymous)| format!("{peak:.0} ({anonymous:.0})"))
}

fn none() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Row, json, ratio, tables};
    use crate::figures::{Delays, Figures};

    #[test]
    fn a_row_goes_into_the_tables_that_its_figures_are_for() {
        let worked = |cpu: f64, wall: f64| Figures {
            cpu_s: cpu,
            cpu_host_s: cpu / 2.0,
            cpu_pod_s: cpu / 2.0,
            peak_mb: vec![20.0],
            anonymous_mb: vec![9.6],
            bytes: 12_300,
            wall_s: Some(wall),
            delay_ms: Some(4.0),
            cpu_thirds_s: Some([0.1, 0.1, 0.2]),
            ..Figures::default()
        };
        let row = |name: &str, carpel: Figures, floor: Figures| Row {
            name: name.into(),
            about: String::new(),
            carpel,
            floor,
        };
        let rows = [row("w", worked(0.4, 2.0), worked(0.1, 1.0))];
        let text = tables(&rows);
        for line in [
            "| w | 0.400 (0.100) | 4.0 | 0.200 + 0.200 | 2.00 (1.00) | 2.0 | 4 (4) | 25 25 50 % |\n",
            "| w | 12.3 (12.3) | 1.0 | 0 | 20 (10) | - | 20 (10) |\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        let echo =
            Figures { echo_resting: Some(Delays { median_ms: 1.25, p99_ms: 9.0 }), ..Figures::default() };
        let text = tables(&[row("e", echo, Figures::default())]);
        assert_eq!(
            text,
            "| prompt | carpel | floor |\n|---|---|---|\n| key to screen at rest, ms: median / p99 | 1.2 / 9.0 | - |\n\n"
        );
        let idle = Figures { waits: Some(vec![0, 3]), ..Figures::default() };
        assert!(tables(&[row("i", idle.clone(), idle)]).contains("| 0, 3 (0, 3) |"));
        assert_eq!(tables(&[]), "");
        assert_eq!(json(&rows)["workloads"][0]["carpel"]["bytes"], 12_300);
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        assert_eq!((ratio(1.0, 0.0), ratio(1.0, 0.5)), ("-".to_owned(), "2.0".to_owned()));
    }
}
