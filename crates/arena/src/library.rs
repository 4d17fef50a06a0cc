//! The games of an arena: built-in games and uploaded rule sheets.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ludorum_games::BoardHint;
use serde::Serialize;

use crate::pictures::{GameDrawing, LazyDrawing};

/// Limit on the total size of uploaded sheets in bytes; the data derived from them grows with it.
const MAX_UPLOADED_BYTES: usize = 16 << 20;

/// Prefix of the names of uploaded sheets.
pub(crate) const SHEET_PREFIX: &str = "sheet:";

/// A game that can be played.
#[derive(Debug)]
pub(crate) struct LibraryGame {
    /// A built-in name, or `sheet:` with the fingerprint of an uploaded sheet.
    pub(crate) name: String,
    /// The name for people.
    pub(crate) title: String,
    /// How to play, for people; empty for uploaded sheets.
    pub(crate) how_to_play: String,
    pub(crate) roles: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) sheet: Arc<str>,
    /// Drawing hints of a built-in game.
    pub(crate) board: Option<&'static BoardHint>,
    /// How to draw its states, recognised on first use.
    pub(crate) drawing: LazyDrawing,
}

/// A game without its rules.
#[derive(Debug, Serialize)]
pub(crate) struct GameEntry<'g> {
    name: &'g str,
    title: &'g str,
    summary: &'g str,
    roles: &'g [String],
    tags: &'g [String],
    players: usize,
}

impl LibraryGame {
    /// The entry for lists of games.
    pub(crate) fn entry(&self) -> GameEntry<'_> {
        GameEntry {
            name: &self.name,
            title: &self.title,
            summary: self.summary(),
            roles: &self.roles,
            tags: &self.tags,
            players: self.roles.len(),
        }
    }

    /// How the game is drawn; none if its rules cannot be used. May block, see
    /// [`LazyDrawing::get`].
    pub(crate) fn drawing(&self) -> Option<Arc<GameDrawing>> {
        self.drawing.get(&self.sheet, self.board)
    }

    /// The first sentence of how to play.
    pub(crate) fn summary(&self) -> &str {
        let text = self.how_to_play.as_str();
        let end = text.find(". ").map_or(text.len(), |place| place + 1);
        &text[..end]
    }
}

/// All games.
#[derive(Debug)]
pub(crate) struct Library {
    shipped: Vec<Arc<LibraryGame>>,
    /// Uploaded sheets; the capacity recently used comes last.
    added: Mutex<VecDeque<Arc<LibraryGame>>>,
    /// Limit on uploaded sheets.
    capacity: usize,
}

impl Library {
    pub(crate) fn new(capacity: usize) -> Self {
        let shipped = ludorum_games::all().iter().map(|game| {
            Arc::new(LibraryGame {
                name: game.name.to_owned(),
                title: game.title.clone(),
                how_to_play: game.rules.clone(),
                roles: game.roles.clone(),
                tags: game.tags.clone(),
                sheet: game.text.into(),
                board: game.board.as_ref(),
                drawing: LazyDrawing::default(),
            })
        });
        Self {
            shipped: shipped.collect(),
            added: Mutex::default(),
            capacity,
        }
    }

    /// The built-in games, sorted by name.
    pub(crate) fn shipped(&self) -> &[Arc<LibraryGame>] {
        &self.shipped
    }

    /// A game by its name.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<LibraryGame>> {
        if name.starts_with(SHEET_PREFIX) {
            let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
            let place = added.iter().position(|game| game.name == name)?;
            let game = added.remove(place)?;
            added.push_back(Arc::clone(&game));
            return Some(game);
        }
        let shipped = ludorum_games::find(name)?;
        let mut games = self.shipped.iter();
        games.find(|game| game.name == shipped.name).cloned()
    }

    /// The game with exactly this rule sheet.
    pub(crate) fn find_sheet(&self, sheet: &str) -> Option<Arc<LibraryGame>> {
        let mut games = self.shipped.iter();
        let shipped = games.find(|game| *game.sheet == *sheet);
        let name = name_of(sheet);
        shipped.cloned().or_else(|| self.find(&name))
    }

    /// Adds a checked rule sheet. Equal texts are the same game.
    pub(crate) fn add_sheet(
        &self,
        sheet: &str,
        title: Option<String>,
        roles: Vec<String>,
    ) -> Arc<LibraryGame> {
        if let Some(known) = self.find_sheet(sheet)
            && (title.is_none() || title.as_ref() == Some(&known.title))
        {
            return known;
        }
        let name = name_of(sheet);
        let game = Arc::new(LibraryGame {
            name: name.clone(),
            title: title.unwrap_or_else(|| "Your game".to_owned()),
            how_to_play: String::new(),
            tags: Vec::new(),
            sheet: sheet.into(),
            roles,
            board: None,
            drawing: LazyDrawing::default(),
        });
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        added.retain(|game| game.name != name);
        added.push_back(Arc::clone(&game));
        let bytes = |games: &VecDeque<Arc<LibraryGame>>| -> usize {
            games.iter().map(|game| game.sheet.len()).sum()
        };
        while added.len() > 1 && (added.len() > self.capacity || bytes(&added) > MAX_UPLOADED_BYTES)
        {
            added.pop_front();
        }
        game
    }
}

/// The name of an uploaded sheet: a hash of its text, the same on every machine.
fn name_of(sheet: &str) -> String {
    let step = |hash: u128, byte: u8| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    // 128-bit FNV-1a.
    let hash = sheet
        .bytes()
        .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step);
    format!("{SHEET_PREFIX}{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sheets_are_the_same_game_and_the_least_recently_used_is_dropped() {
        let library = Library::new(2);
        let bring = |text: &str| {
            library
                .add_sheet(text, None, vec!["a".to_owned()])
                .name
                .clone()
        };
        let (first, second) = (bring("(role a)"), bring("(role b)"));
        assert_eq!(bring("(role a)"), first);
        assert_ne!(first, second);
        bring("(role c)");
        assert!(library.find(&first).is_some());
        assert!(library.find(&second).is_none());
    }

    #[test]
    fn the_sheet_of_a_built_in_game_is_that_game() {
        let library = Library::new(2);
        let text = ludorum_games::find("nim").unwrap().text;
        assert_eq!(library.add_sheet(text, None, Vec::new()).name, "nim");
        assert_eq!(library.find("Tic Tac Toe").unwrap().name, "tic-tac-toe");
    }

    #[test]
    fn a_summary_is_the_first_sentence() {
        let library = Library::new(2);
        let nim = library.find("nim").unwrap();
        assert!(nim.summary().ends_with('.') && nim.summary().len() < nim.how_to_play.len());
    }
}
