//! The gallery as rows: what keys do, and that every size of window is drawn.

use carpel_slots::{CallState, Density, Registry, ThemeName};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::exhibits::exhibits;
use super::keys::{Wish, key};
use super::samples::Samples;
use super::{Gallery, draw};
use crate::render::painter::Folders;
use crate::render::{Highlighter, Look, Painter};

fn gallery() -> (Gallery, Painter) {
    let registry = Registry::linked();
    let exhibits = exhibits(&registry, &Samples::built_in());
    let folders = Folders { cwd: "/w".to_owned(), home: None };
    let painter = Painter::new(Look::PLAIN, registry, folders, Highlighter::inline());
    (Gallery { exhibits, ..Gallery::default() }, painter)
}

fn press(gallery: &mut Gallery, keys: &str) {
    for character in keys.chars() {
        let pressed = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
        assert_eq!(key(gallery, pressed, 100, 10), Wish::Draw, "{character}");
    }
}

fn rows(gallery: &mut Gallery, painter: &mut Painter, size: (usize, usize)) -> Vec<String> {
    draw::window(gallery, painter, Look::PLAIN, size)
        .iter()
        .map(|row| row.text().trim_end().to_owned())
        .collect()
}

#[test]
fn every_seated_view_is_there_in_every_state() {
    let (gallery, mut painter) = gallery();
    let text: Vec<String> = draw::all(&gallery, &mut painter, Look::PLAIN, 80)
        .iter()
        .map(|row| row.as_str().to_owned())
        .collect();
    for view in [
        "Read",
        "Write",
        "Edit",
        "Glob",
        "Grep",
        "Bash",
        "Task",
        "skill",
        "kind:read",
        "kind:edit",
        "kind:execute",
    ] {
        assert!(text.contains(&format!("== {view} of carpel-tool-views")), "{view}");
    }
    let count = |line: &str| text.iter().filter(|row| row.starts_with(line)).count();
    assert_eq!(count("== "), gallery.exhibits.len());
    for state in CallState::ALL {
        assert_eq!(count(&format!("── {} ─", state.word())), gallery.exhibits.len(), "{state:?}");
    }
    assert!(
        text.iter().any(|row| row == "✓ Grep  TODO in src of *.rs  4 matches in 2 files  1s"),
        "{text:#?}"
    );
}

#[test]
fn keys_turn_what_is_shown() {
    let (mut gallery, mut painter) = gallery();
    let titles: Vec<String> = gallery.exhibits.iter().map(|exhibit| exhibit.title.clone()).collect();
    let shown = |gallery: &Gallery| {
        let title = gallery.exhibits[gallery.at].title.clone();
        (title, gallery.state, gallery.density, gallery.width, gallery.themes.name)
    };
    let auto = ThemeName::Auto;
    let last = titles.last().unwrap().clone();
    for (keys, want) in [
        ("n", (titles[1].clone(), None, Density::Normal, None, auto)),
        ("p", (last, None, Density::Normal, None, auto)),
        ("np", (titles[0].clone(), None, Density::Normal, None, auto)),
        ("s", (titles[0].clone(), Some(CallState::Pending), Density::Normal, None, auto)),
        ("SS", (titles[0].clone(), Some(CallState::Rejected), Density::Normal, None, auto)),
        ("d", (titles[0].clone(), None, Density::Detail, None, auto)),
        ("dd", (titles[0].clone(), None, Density::Overview, None, auto)),
        ("w", (titles[0].clone(), None, Density::Normal, Some(20), auto)),
        // 120 is no width of a window of 100.
        ("W", (titles[0].clone(), None, Density::Normal, Some(80), auto)),
        ("t", (titles[0].clone(), None, Density::Normal, None, ThemeName::Dark)),
    ] {
        let mut gallery = gallery.clone();
        press(&mut gallery, keys);
        assert_eq!(shown(&gallery), want, "{keys}");
    }
    // Behind the last row there is nothing.
    press(&mut gallery, "G");
    let end = rows(&mut gallery, &mut painter, (100, 12));
    press(&mut gallery, "jjj");
    assert_eq!(rows(&mut gallery, &mut painter, (100, 12)), end);
    press(&mut gallery, "g");
    assert_eq!(gallery.top, 0);
    for code in [KeyCode::Char('q'), KeyCode::Esc] {
        assert_eq!(key(&mut gallery, KeyEvent::new(code, KeyModifiers::NONE), 80, 10), Wish::Leave);
    }
    for (letter, wish) in [('c', Wish::Leave), ('z', Wish::Suspend)] {
        let pressed = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert_eq!(key(&mut gallery, pressed, 80, 10), wish);
    }
}

#[test]
fn every_window_is_filled_and_never_wider() {
    let (gallery, mut painter) = gallery();
    for columns in [1, 2, 5, 12, 20, 40, 79, 80, 200] {
        for height in [1, 2, 3, 4, 5, 24, 60] {
            for (at, density) in (0..gallery.exhibits.len()).zip(Density::ALL.into_iter().cycle()) {
                let mut gallery = Gallery { at, density, top: 3, ..gallery.clone() };
                let rows = draw::window(&mut gallery, &mut painter, Look::PLAIN, (columns, height));
                assert_eq!(rows.len(), height, "{columns}x{height}");
                for row in rows {
                    assert!(row.width() <= columns && !row.unbroken, "{columns}: {:?}", row.text());
                }
            }
        }
    }
    let (mut empty, size) = (Gallery::default(), (40, 6));
    assert_eq!(rows(&mut empty, &mut painter, size)[1], " no view is registered");
    assert_eq!(rows(&mut empty, &mut painter, (0, 6)), Vec::<String>::new());
}
