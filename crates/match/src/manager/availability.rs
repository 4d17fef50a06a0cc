//! Checking that remote players are reachable, before a match and when it starts.

use futures_util::future::join_all;

use super::GameManagerError;
use super::match_run::MatchRun;
use super::player_link::PlayerLink;
use crate::record::{PlayerError, PlayerErrorKind};

impl MatchRun<'_> {
    /// Waits until remote players are reachable, unless the match may be played without them.
    pub(super) async fn wait_for_players(&mut self) -> Result<(), GameManagerError> {
        let Some(availability_timeout) = self.availability_timeout else {
            return Ok(());
        };
        let out = self.forfeited();
        let players = self.players.iter().enumerate();
        let players = players.filter(|(role, _)| !out.contains(role));
        let looks = players.map(|(role, player)| async move {
            let error = player.wait_until_ready(availability_timeout).await.err();
            error.map(|error| (role, error))
        });
        let absent = join_all(looks).await.into_iter().flatten().next();
        absent.map_or(Ok(()), |(role, error)| Err(self.absent(role, error.detail)))
    }

    /// An error if a remote player refused the match or disconnected and the match needs all
    /// players.
    pub(super) fn check_refusals(
        &self,
        player_errors: &[PlayerError],
    ) -> Result<(), GameManagerError> {
        let is_absent = |player_error: &&PlayerError| {
            let kinds = [PlayerErrorKind::Refused, PlayerErrorKind::Connection];
            kinds.contains(&player_error.kind)
                && self.players[player_error.role].address().is_some()
        };
        match player_errors.iter().find(is_absent) {
            Some(player_error) if self.availability_timeout.is_some() => {
                Err(self.absent(player_error.role, player_error.detail.clone()))
            }
            _ => Ok(()),
        }
    }

    fn absent(&self, role: usize, detail: String) -> GameManagerError {
        let player = self.players.get(role).and_then(PlayerLink::address);
        GameManagerError::Absent {
            role,
            player: player.unwrap_or_default().to_owned(),
            detail,
        }
    }
}
