//! Invariants of all shipped games.

use std::collections::BTreeSet;

use ludorum_games::{BoardHint, CellLayout, LayerHint, ShippedGame, all, find, metadata_errors};
use ludorum_gdl::ast::{Description, Formula, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use ludorum_gdl::{GroundTerms, Notation, check, kif, parse_as};

/// Runs a check for every game and reports all failures at once.
fn every_game(claim: impl Fn(&ShippedGame) -> Vec<String>) {
    let broken: Vec<String> = all()
        .iter()
        .flat_map(|game| {
            claim(game)
                .into_iter()
                .map(|problem| format!("{}: {problem}", game.name))
        })
        .collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

fn description(game: &ShippedGame) -> Description {
    parse_as(game.text, Notation::Kif).description
}

/// Every atom of a sheet, in heads and in bodies.
fn atoms(sheet: &Description) -> impl Iterator<Item = &SyntaxAtom> {
    sheet.clauses.iter().flat_map(move |clause| {
        let body = clause
            .body
            .iter()
            .flat_map(|root| sheet.subformulas(*root))
            .filter_map(|id| match sheet.formula(id) {
                Formula::Atom(atom) => Some(atom),
                _ => None,
            });
        std::iter::once(&clause.head).chain(body)
    })
}

/// Names and arities of the fluents of a sheet.
fn fluents(sheet: &Description) -> BTreeSet<(&str, usize)> {
    atoms(sheet)
        .filter(|atom| ["base", "init", "next", "true"].contains(&sheet.name(atom.relation)))
        .filter_map(|atom| atom.args.first())
        .filter_map(|fluent| match sheet.term(*fluent) {
            SyntaxTerm::Constant(name) => Some((sheet.name(*name), 0)),
            SyntaxTerm::Compound { functor, args } => Some((sheet.name(*functor), args.len())),
            SyntaxTerm::Variable(_) => None,
        })
        .collect()
}

/// The printed forms of all ground terms of a sheet.
fn ground_terms(sheet: &Description) -> BTreeSet<String> {
    atoms(sheet)
        .flat_map(|atom| &atom.args)
        .flat_map(|root| sheet.subterms(*root))
        .filter(|id| sheet.is_ground(*id))
        .map(|id: SyntaxTermId| kif::term(sheet, id))
        .collect()
}

#[test]
fn all_metadata_can_be_read() {
    let problems: Vec<String> = metadata_errors().iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn at_least_thirty_six_games_ship() {
    assert!(all().len() >= 36, "only {}", all().len());
}

#[test]
fn names_are_sorted_kebab_case_and_found() {
    assert!(all().is_sorted_by(|a, b| a.name < b.name));
    every_game(|game| {
        let kebab = game
            .name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let mut problems = Vec::new();
        if !kebab {
            problems.push("the name is not in kebab case".into());
        }
        if find(&game.name.to_uppercase().replace('-', "_")) != Some(game) {
            problems.push("the name is not found in another spelling".into());
        }
        problems
    });
}

#[test]
fn every_sheet_parses_and_checks_without_a_warning() {
    every_game(|game| {
        let parsed = parse_as(game.text, Notation::Kif);
        let found = check(&parsed.description);
        parsed
            .diagnostics
            .iter()
            .chain(&found)
            .map(|diagnostic| {
                let line = diagnostic.labels.first().map_or(1, |label| {
                    ludorum_gdl::source::position(game.text, label.span.start as usize).line
                });
                format!("line {line}: {} {}", diagnostic.code, diagnostic.message)
            })
            .collect()
    });
}

#[test]
fn the_notation_of_every_sheet_is_recognised() {
    every_game(|game| {
        (Notation::detect(game.text) != Notation::Kif)
            .then(|| "taken for infix".to_owned())
            .into_iter()
            .collect()
    });
}

#[test]
fn every_game_says_for_people_what_it_is() {
    every_game(|game| {
        let mut problems = Vec::new();
        if game.title.trim().is_empty() {
            problems.push("no title".to_owned());
        }
        if game.rules.len() < 60 {
            problems.push("the rules are no paragraph".to_owned());
        }
        if game.tags.is_empty() {
            problems.push("no tags".to_owned());
        }
        for tag in &game.tags {
            if tag.is_empty() || tag.contains(|c: char| c.is_whitespace() || c.is_uppercase()) {
                problems.push(format!("the tag {tag:?} is not in kebab case"));
            }
        }
        problems
    });
}

#[test]
fn the_roles_of_the_metadata_are_the_role_facts_of_the_sheet() {
    every_game(|game| {
        let sheet = description(game);
        let roles: Vec<String> = sheet
            .clauses
            .iter()
            .filter(|clause| sheet.name(clause.head.relation) == "role")
            .filter_map(|clause| clause.head.args.first())
            .map(|role| kif::term(&sheet, *role))
            .collect();
        (roles != game.roles)
            .then(|| format!("metadata {:?}, sheet {roles:?}", game.roles))
            .into_iter()
            .collect()
    });
}

#[test]
fn only_puzzles_speak_of_solutions_and_their_moves_are_terms() {
    every_game(|game| {
        let mut problems = Vec::new();
        if !game.is_puzzle() && (game.solvable.is_some() || !game.solution.is_empty()) {
            problems.push("a solution, but several roles".to_owned());
        }
        if game.solvable == Some(false) && !game.solution.is_empty() {
            problems.push("a solution, but not solvable".to_owned());
        }
        for text in &game.solution {
            match GroundTerms::read(text) {
                Ok(terms) if terms.roots.len() == 1 => {}
                Ok(_) => problems.push(format!("{text:?} is not one move")),
                Err(problem) => problems.push(format!("{text:?}: {}", problem.message)),
            }
        }
        problems
    });
}

#[test]
fn board_hints_refer_to_what_the_sheet_has() {
    every_game(|game| {
        let Some(board) = &game.board else {
            return Vec::new();
        };
        let sheet = description(game);
        let mut problems = geometry(board);
        let symbols = ground_terms(&sheet);
        let cells: Vec<LayerHint> = std::iter::once(LayerHint {
            fluent: board.fluent.clone(),
            column: board.column,
            row: board.row,
            place: board.place,
            content: board.content,
            empty: board.empty.clone(),
            glyphs: board.glyphs.clone(),
        })
        .chain(board.layers.iter().cloned())
        .collect();
        for layer in &cells {
            problems.extend(layer_problems(board, layer, &sheet, &symbols));
        }
        for symbol in board
            .columns
            .iter()
            .chain(&board.rows)
            .chain(board.places.keys())
        {
            if !symbols.contains(symbol) {
                problems.push(format!("{symbol:?} does not occur in the sheet"));
            }
        }
        problems
    });
}

/// Problems of the geometry of a board hint.
fn geometry(board: &BoardHint) -> Vec<String> {
    let mut problems = Vec::new();
    if board.shape == CellLayout::Places {
        if board.place.is_none() || board.places.is_empty() {
            problems.push("a board of places needs `place` and `[board.places]`".into());
        }
    } else {
        if board.column.is_none() || board.row.is_none() {
            problems.push("a grid needs `column` and `row`".into());
        }
        if board.columns.is_empty() || board.rows.is_empty() {
            problems.push("a grid needs `columns` and `rows`".into());
        }
    }
    for axis in [&board.columns, &board.rows] {
        if axis.iter().collect::<BTreeSet<_>>().len() != axis.len() {
            problems.push(format!("a symbol occurs twice in {axis:?}"));
        }
    }
    for [column, row] in &board.missing {
        if !board.columns.contains(column) || !board.rows.contains(row) {
            problems.push(format!(
                "the missing cell {column},{row} is not on the board"
            ));
        }
    }
    problems
}

/// Problems of one fluent of a board hint.
fn layer_problems(
    board: &BoardHint,
    layer: &LayerHint,
    sheet: &Description,
    symbols: &BTreeSet<String>,
) -> Vec<String> {
    let name = &layer.fluent;
    let arities: Vec<usize> = fluents(sheet)
        .into_iter()
        .filter(|(fluent, _)| fluent == name)
        .map(|(_, arity)| arity)
        .collect();
    let [arity] = arities[..] else {
        return vec![format!(
            "`{name}` is not a fluent of one arity: {arities:?}"
        )];
    };
    let mut problems = Vec::new();
    let arguments = [
        layer.column,
        layer.row,
        layer.place,
        layer.content,
        board.board_column,
        board.board_row,
    ];
    for argument in arguments.into_iter().flatten() {
        if argument == 0 || argument > arity {
            problems.push(format!(
                "`{name}` has {arity} arguments, not argument {argument}"
            ));
        }
    }
    for (content, glyph) in &layer.glyphs {
        if !symbols.contains(content) && content != name {
            problems.push(format!(
                "the glyph of {content:?}, which the sheet does not know"
            ));
        }
        if !(1..=2).contains(&glyph.chars().count()) {
            problems.push(format!("the glyph {glyph:?} is not one or two characters"));
        }
    }
    for content in &layer.empty {
        if !symbols.contains(content) {
            problems.push(format!(
                "the empty content {content:?}, which the sheet does not know"
            ));
        }
    }
    problems
}

#[test]
fn every_sheet_is_laid_out_as_fmt_does() {
    for game in ludorum_games::all() {
        let parsed = ludorum_gdl::parse(game.text);
        let formatted =
            ludorum_gdl::format::format(&parsed.description, game.text, ludorum_gdl::Notation::Kif);
        assert!(
            formatted == game.text,
            "{}: run `ludorum fmt --write` on it",
            game.name
        );
    }
}
