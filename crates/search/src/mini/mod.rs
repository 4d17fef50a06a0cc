/*!
`mini`: the player of chapter 3 of the thesis. Its tree is that of [`mcts`](crate::mcts); its
playouts follow strategies.

A [`strategy`] chooses the moves of one role in simulations; there are seven of them in
[`strategies`], a file for each. Before simulations each role is given one by what the strategies
have earned so far, in one of the four ways in [`select`]. The [`cast`] of a role keeps its
strategies and their records, the [`portfolio`] all casts.

Simulations are made in step with each other ([`simulation`]): what strategies look ahead to is one
batch of states for the engine. Those whose roles all look at moves alone are left to an engine that
plays many at once ([`swift`]); there a leaf counts for one simulation and is played from several
times, and all such leaves of a batch follow the strategies that were chosen for the first of them.
On such an engine the others have a part of the time ([`effort`]); what they say in it becomes a
[`habit`], by which the engine can play for them as well, as far as it is reliable. Where random
playouts suit a game better, which quick matches tell, nobody is followed. Fluents are numbers,
which a [`lexicon`] reads. What strategies take from the rules is in [`study`], and what is learned
before the first move in [`learning`].
*/

mod cast;
mod effort;
mod habit;
mod learning;
mod lexicon;
mod portfolio;
mod select;
mod simulation;
mod strategies;
mod strategy;
mod study;
mod swift;

use std::sync::Arc;

use ludorum_logic::Rules;
use ludorum_reasoner::Reasoner;

use crate::mcts::{Mcts, StrategyLog};
use ludorum_player::OptionValues;
use portfolio::{Portfolio, Wish};
use strategy::Kind;
use study::Study;

/// The names of all strategies.
pub(crate) const STRATEGIES: &[&str] = &{
    let mut names = [""; Kind::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Kind::ALL[i].name();
        i += 1;
    }
    names
};

/// The mind of `mini`: all strategies. A trial of them is played by `rival`.
pub fn all<R: Reasoner + 'static>(
    options: &OptionValues,
    rival: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
) -> Mcts<R> {
    let wish = Wish {
        kinds: Kind::ALL.to_vec(),
        selection: options.word("select"),
        constant: options.number("ucb"),
        looking: options.number("look"),
    };
    let mind = mind(options, rules, reasoner, &wish);
    if options.word("trial") == "on" {
        mind.with_guidance_trial(rival, reasoner)
    } else {
        mind
    }
}

/// The mind of `mini-base`: the history heuristic alone.
pub fn base<R: Reasoner + 'static>(
    options: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
) -> Mcts<R> {
    mind(options, rules, reasoner, &Wish::one(Kind::History))
}

/// The mind of `mini-1s`: one strategy alone.
pub fn one<R: Reasoner + 'static>(
    options: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
) -> Mcts<R> {
    let name = options.word("strategy");
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    mind(
        options,
        rules,
        reasoner,
        &Wish::one(kind.unwrap_or(Kind::Random)),
    )
}

fn mind<R: Reasoner + 'static>(
    options: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
    wish: &Wish,
) -> Mcts<R> {
    let strategy_log = Arc::new(StrategyLog::default());
    let study = Arc::new(Study::new(rules.map(Arc::clone)));
    Mcts::with_rollouts(options, reasoner, Arc::clone(&strategy_log), |_| {
        let roles = reasoner.roles().to_vec();
        let (strategy_log, study) = (Arc::clone(&strategy_log), Arc::clone(&study));
        Box::new(Portfolio::new(wish.clone(), roles, strategy_log, study))
    })
}
