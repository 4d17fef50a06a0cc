//! Whether players elsewhere are there, before a match and when it begins.

use futures_util::future::join_all;

use super::ManagerError;
use super::seat::Seat;
use super::table::MatchTable;
use crate::record::{Mishap, MishapKind};

impl MatchTable<'_> {
    /// Waits for players elsewhere, if the match is not to be played without them.
    pub(super) async fn gather(&mut self) -> Result<(), ManagerError> {
        let Some(patience) = self.patience else {
            return Ok(());
        };
        let out = self.forfeited();
        let seats = self.seats.iter().enumerate();
        let seats = seats.filter(|(role, _)| !out.contains(role));
        let looks = seats.map(|(role, seat)| async move {
            let trouble = seat.attend(patience).await.err();
            trouble.map(|trouble| (role, trouble))
        });
        let absent = join_all(looks).await.into_iter().flatten().next();
        absent.map_or(Ok(()), |(role, trouble)| {
            Err(self.absent(role, trouble.detail))
        })
    }

    /// Whether somebody elsewhere refused the match or went away, so that it is not to be played
    /// now.
    pub(super) fn check_absence(&self, mishaps: &[Mishap]) -> Result<(), ManagerError> {
        let is_absent = |mishap: &&Mishap| {
            let kinds = [MishapKind::Refused, MishapKind::Connection];
            kinds.contains(&mishap.kind) && self.seats[mishap.role].address().is_some()
        };
        match mishaps.iter().find(is_absent) {
            Some(mishap) if self.patience.is_some() => {
                Err(self.absent(mishap.role, mishap.detail.clone()))
            }
            _ => Ok(()),
        }
    }

    fn absent(&self, role: usize, detail: String) -> ManagerError {
        let player = self.seats.get(role).and_then(Seat::address);
        ManagerError::Absent {
            role,
            player: player.unwrap_or_default().to_owned(),
            detail,
        }
    }
}
