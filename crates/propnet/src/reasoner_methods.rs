//! The methods of [`Reasoner`](ludorum_reasoner::Reasoner) that depend on the network
//! and its names only.

/// Implements, within an `impl Reasoner`, the methods that all engines on a
/// [`Network`](crate::Network) have in common: names, texts, keys, forks and the stop signal.
///
/// The type needs the fields `network: Arc<Network>` and `stop: StopSignal` and must be `Clone`.
/// Its `State` is [`BitState`](crate::BitState). A macro, because a trait cannot have some of its
/// methods implemented by another one.
#[macro_export]
macro_rules! network_reasoner_methods {
    () => {
        type State = $crate::BitState;

        fn roles(&self) -> &[::std::string::String] {
            &self.network.game.roles
        }

        fn initial(&mut self) -> Result<$crate::BitState, ::ludorum_reasoner::ReasonError> {
            Ok(self.network.game.initial.clone())
        }

        fn move_text(
            &mut self,
            role: ::ludorum_reasoner::Role,
            id: ::ludorum_reasoner::MoveId,
        ) -> ::std::string::String {
            self.network.game.move_text(role, id)
        }

        fn find_move(
            &mut self,
            role: ::ludorum_reasoner::Role,
            text: &str,
        ) -> Option<::ludorum_reasoner::MoveId> {
            self.network.game.find_move(role, text)
        }

        fn facts(&mut self, state: &$crate::BitState) -> Vec<::std::string::String> {
            self.network.game.facts(state)
        }

        fn fluents(
            &mut self,
            state: &$crate::BitState,
            fluents: &mut Vec<::ludorum_reasoner::FluentId>,
        ) {
            state.fluents(fluents);
        }

        fn fluent_text(&mut self, id: ::ludorum_reasoner::FluentId) -> ::std::string::String {
            self.network.game.fluent_text(id)
        }

        fn state_from_facts(
            &mut self,
            facts: &[::std::string::String],
        ) -> Result<$crate::BitState, ::ludorum_reasoner::ReasonError> {
            let state = self.network.game.state_from_facts(facts)?;
            self.network.check_reachable(&state)?;
            Ok(state)
        }

        fn fluent_difference(
            &mut self,
            first: &$crate::BitState,
            second: &$crate::BitState,
        ) -> (usize, usize) {
            first.difference(second)
        }

        fn key(&self, state: &$crate::BitState) -> u128 {
            self.network.game.key(state)
        }

        fn fork(&self) -> Self {
            let mut fork = self.clone();
            fork.stop = self.stop.of_fork();
            fork
        }

        fn set_deadline(&mut self, deadline: Option<::std::time::Instant>) {
            self.stop.deadline = deadline;
        }

        fn set_cancel(
            &mut self,
            cancel: Option<::std::sync::Arc<::std::sync::atomic::AtomicBool>>,
        ) {
            self.stop.cancel = cancel;
        }

        fn is_stopped(&self) -> bool {
            self.stop.is_stopped()
        }

        fn components(&self) -> Option<usize> {
            Some(self.network.len())
        }

        fn state_bytes(&self, state: &$crate::BitState) -> usize {
            size_of::<$crate::BitState>() + ::ludorum_reasoner::HeapSize::heap_bytes(state)
        }
    };
}
