/*!
Engines without their types.

Whoever is generic over [`Reasoner`] is compiled once for each engine. That is worth it where
questions are asked a million times a second, and nowhere else: a whole search, compiled for every
engine, takes minutes. [`Few`] is any engine as one of a few types: those that are fast enough to
feel the difference as they are, all others as [`Erased`].
*/

mod questions;
mod state;

use std::any::Any;

pub use questions::Erased;
pub use state::ErasedState;

use crate::auto::Auto;
use crate::engine::EngineVisitor;
use ludorum_lanes::Lanes;
use ludorum_propnet::{Differential, Propnet};
use ludorum_reasoner::contract::Reasoner;

/// Any engine, as one of a few types.
#[derive(Debug)]
pub enum Few {
    /// The engine that chooses.
    Auto(Box<Auto>),
    /// Hundreds of playouts at once.
    Lanes(Box<Lanes>),
    /// The differential network.
    Propnet(Box<Propnet<Differential>>),
    /// Any other.
    Other(Erased),
}

impl Few {
    /// An engine as one of the few.
    pub fn new<R: Reasoner + 'static>(reasoner: R) -> Self {
        fn is<T: 'static>(slot: &mut dyn Any) -> Option<T> {
            slot.downcast_mut::<Option<T>>().and_then(Option::take)
        }
        let mut slot = Some(reasoner);
        if let Some(auto) = is(&mut slot) {
            return Self::Auto(Box::new(auto));
        }
        if let Some(lanes) = is(&mut slot) {
            return Self::Lanes(Box::new(lanes));
        }
        if let Some(network) = is(&mut slot) {
            return Self::Propnet(Box::new(network));
        }
        match (is(&mut slot), slot) {
            (Some(erased), _) => Self::Other(erased),
            (None, Some(reasoner)) => Self::Other(Erased::new(reasoner)),
            (None, None) => unreachable!("whatever was taken out was returned"),
        }
    }

    /// Runs a visitor on it.
    pub fn visit<V: EngineVisitor>(self, visitor: V) -> V::Output {
        match self {
            Self::Auto(auto) => visitor.visit(*auto),
            Self::Lanes(lanes) => visitor.visit(*lanes),
            Self::Propnet(network) => visitor.visit(*network),
            Self::Other(erased) => visitor.visit(erased),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ludorum_logic::Rules;

    use super::*;
    use crate::engine::Engine;
    use ludorum_reasoner::dice::Dice;
    use ludorum_reasoner::{Guide, MoveId, ReasonError, Wanted};

    const LIGHTS: &str = "(role robot) (init (light off)) (legal robot press) (legal robot wait)
        (<= (next (light on)) (does robot press)) (<= (next (light ?x)) (true (light ?x)) (does robot wait))
        (<= terminal (true (light on))) (<= (goal robot 100) (true (light on))) (<= (goal robot 0) (true (light off)))";

    struct Sort;
    impl EngineVisitor for Sort {
        type Output = Few;
        fn visit<R: Reasoner + 'static>(self, reasoner: R) -> Few {
            Few::new(reasoner)
        }
    }

    fn few(engine: Engine) -> Few {
        let rules = Arc::new(Rules::from_text(LIGHTS).expect("rules"));
        engine.build(&rules, Sort).expect("an engine")
    }

    #[test]
    fn fast_engines_keep_their_types_and_all_others_lose_them() {
        for engine in Engine::ALL {
            let is_kept = match few(engine) {
                Few::Auto(_) => engine == Engine::Auto,
                Few::Lanes(_) => engine == Engine::Lanes,
                Few::Propnet(_) => engine == Engine::Propnet,
                Few::Other(_) => ![Engine::Auto, Engine::Lanes, Engine::Propnet].contains(&engine),
            };
            assert!(is_kept, "{engine}");
        }
    }

    #[test]
    fn an_erased_engine_answers_every_question_as_the_engine_does() {
        let rules = Arc::new(Rules::from_text(LIGHTS).expect("rules"));
        let mut known = ludorum_prover::Prover::new(rules).expect("an engine");
        let mut erased = Erased::new(known.fork());
        assert!(matches!(Few::new(erased.fork()), Few::Other(_)));
        assert_eq!(erased.roles(), known.roles());
        let (start, state) = (known.initial().unwrap(), erased.initial().unwrap());
        assert_eq!(erased.key(&state), known.key(&start));
        assert_eq!(erased.facts(&state), known.facts(&start));
        let mut moves: Vec<MoveId> = Vec::new();
        erased.legal_moves(&state, 0, &mut moves).unwrap();
        assert_eq!(erased.move_text(0, moves[0]), "press");
        assert_eq!(erased.find_move(0, "press"), Some(moves[0]));
        assert_eq!(
            erased.survey(std::slice::from_ref(&state)),
            known.survey(std::slice::from_ref(&start))
        );
        let next = known.next(&start, &moves[..1]).unwrap();
        let after = erased.next_states(&[(&state, &moves[..1]), (&state, &moves[1..])]);
        let after = after.unwrap();
        assert_eq!(erased.key(&after[0]), known.key(&next));
        assert_eq!(after[1], state);
        assert_ne!(after[0], state);
        assert_eq!(
            erased.difference(&after[0], &state),
            known.difference(&next, &start)
        );
        assert!(erased.is_terminal(&after[0]).unwrap());
        assert_eq!(erased.goal(&after[0], 0), known.goal(&next, 0));
        let facts = erased.facts(&after[0]);
        assert_eq!(erased.state_from_facts(&facts).unwrap(), after[0]);
        let (mut one, mut other) = (Dice::new(1), Dice::new(1));
        assert_eq!(
            erased.playouts(std::slice::from_ref(&state), 9, &mut one, 5),
            known.playouts(std::slice::from_ref(&start), 9, &mut other, 5)
        );
        let wanted = Wanted {
            starts: std::slice::from_ref(&state),
            groups: &[],
            each: 3,
            guide: &Guide::default(),
            limit: 5,
            waits: true,
        };
        assert_eq!(
            erased.guided_playouts(&wanted, &mut one),
            known.guided_playouts(
                &wanted.put(std::slice::from_ref(&start), wanted.guide),
                &mut other
            )
        );
    }

    /// What an engine has in place of the contract's own answers must come through.
    fn is_forwarded<R: Reasoner + 'static>(mut known: R) {
        known.settle();
        let mut erased = Erased::new(known.fork());
        erased.settle();
        let (start, state) = (known.initial().unwrap(), erased.initial().unwrap());
        let name = std::any::type_name::<R>();
        assert_eq!(erased.batch(), known.batch(), "{name}");
        assert_eq!(erased.components(), known.components(), "{name}");
        assert_eq!(erased.cache().is_some(), known.cache().is_some(), "{name}");
        assert_eq!(erased.rules().is_some(), known.rules().is_some(), "{name}");
        assert_eq!(
            erased.choice().is_some(),
            known.choice().is_some(),
            "{name}"
        );
        assert!(
            erased.state_bytes(&state) >= known.state_bytes(&start),
            "{name}"
        );
        assert_eq!(
            erased.is_ready_to_guide(),
            known.is_ready_to_guide(),
            "{name}"
        );
        let (mut told, mut shown) = (Vec::new(), Vec::new());
        known.fluents(&start, &mut told);
        erased.fluents(&state, &mut shown);
        assert_eq!(shown, told, "{name}");
        assert_eq!(erased.fluent_text(told[0]), known.fluent_text(told[0]));
        let (mut one, mut other) = (Dice::new(1), Dice::new(1));
        assert_eq!(
            erased.records(std::slice::from_ref(&state), 3, &mut one, 5),
            known.records(std::slice::from_ref(&start), 3, &mut other, 5),
            "{name}"
        );
        assert_eq!(
            erased.playout(&state, &mut one, 5),
            known.playout(&start, &mut other, 5),
            "{name}"
        );
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(true));
        for late in [true, false] {
            let deadline = late.then(std::time::Instant::now);
            erased.set_deadline(deadline);
            known.set_deadline(deadline);
            assert_eq!(erased.is_late(), known.is_late(), "{name}");
            erased.set_cancel(Some(Arc::clone(&stop)));
            known.set_cancel(Some(Arc::clone(&stop)));
            assert_eq!(erased.is_late(), known.is_late(), "{name}");
            erased.set_cancel(None);
            known.set_cancel(None);
        }
    }

    #[test]
    fn whatever_an_engine_has_of_its_own_comes_through() {
        struct Forwarded;
        impl EngineVisitor for Forwarded {
            type Output = ();
            fn visit<R: Reasoner + 'static>(self, reasoner: R) {
                is_forwarded(reasoner);
            }
        }
        let rules = Arc::new(Rules::from_text(LIGHTS).expect("rules"));
        for engine in Engine::ALL {
            engine.build(&rules, Forwarded).expect("an engine");
        }
    }

    #[test]
    fn a_state_of_another_engine_is_refused() {
        let (Few::Other(mut prover), Few::Other(mut chain)) =
            (few(Engine::Prover), few(Engine::Chain))
        else {
            panic!("both are erased");
        };
        let foreign = chain.initial().unwrap();
        assert!(matches!(
            prover.is_terminal(&foreign),
            Err(ReasonError::BadText { .. })
        ));
        assert_eq!(prover.facts(&foreign), Vec::<String>::new());
        assert_ne!(prover.initial().unwrap(), foreign);
    }
}
