/*!
`mini`: the MINI-Player (Świechowski 2015, chapter 3). Its tree is that of [`mcts`](crate::mcts);
its playouts follow a portfolio of strategies.

- A [`strategy`] chooses the moves of one role in simulations. [`strategies`] has seven of them, one
  file each.
- [`role_strategies`] are the strategies of one role with their results. Before simulations a role
  gets one of them by one of the four mechanisms in [`select`]. The [`portfolio`] has those of all
  roles.
- [`simulation`] makes simulations in lockstep: all successors that strategies look ahead to are one
  batch for the engine.
- [`engine_playouts`] leaves simulations without lookahead to an engine that plays many at once.
  Such a leaf counts for one simulation and gets several playouts, and all such leaves of a batch
  follow the strategies that were selected for the first.
- On such an engine lookahead has a share of the time ([`lookahead_budget`]). The decisions that are
  made with it become [`move_preferences`], with which the engine can follow these strategies too,
  as far as they are reliable.
- If matches show that random playouts suit the game better, only the strategy Random is followed.
- [`fluent_terms`] are parsed fluents, [`rule_analysis`] is what strategies derive from the rules,
  and [`learning_phase`] is the learning before the first move.
*/

mod engine_playouts;
mod fluent_terms;
mod learning_phase;
mod lookahead_budget;
mod move_preferences;
mod portfolio;
mod role_strategies;
mod rule_analysis;
mod select;
mod simulation;
mod strategies;
mod strategy;

use std::sync::Arc;

use ludorum_logic::Rules;
use ludorum_reasoner::Reasoner;

use crate::mcts::{Mcts, StrategyLog};
use ludorum_player::OptionValues;
use portfolio::{Portfolio, PortfolioSettings};
use rule_analysis::RuleAnalysis;
use strategy::StrategyKind;

/// The searcher of `mini`: all strategies. `rival` has the options of the tree that plays against
/// it in the guidance trial.
pub fn all<R: Reasoner + 'static>(
    options: &OptionValues,
    rival: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
) -> Mcts<R> {
    let settings = PortfolioSettings {
        kinds: StrategyKind::ALL.to_vec(),
        selection: options.word("select"),
        constant: options.number("ucb"),
        lookahead_share: options.number("look"),
    };
    let searcher = searcher(options, rules, reasoner, &settings);
    if options.word("trial") == "on" {
        searcher.with_guidance_trial(rival, reasoner)
    } else {
        searcher
    }
}

/// The searcher of `mini-base`: the history heuristic alone.
pub fn base<R: Reasoner + 'static>(
    options: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
) -> Mcts<R> {
    searcher(
        options,
        rules,
        reasoner,
        &PortfolioSettings::one(StrategyKind::History),
    )
}

/// The searcher of `mini-1s`: one strategy alone.
pub fn one<R: Reasoner + 'static>(
    options: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
) -> Mcts<R> {
    let name = options.word("strategy");
    let kind = StrategyKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name);
    searcher(
        options,
        rules,
        reasoner,
        &PortfolioSettings::one(kind.unwrap_or(StrategyKind::Random)),
    )
}

fn searcher<R: Reasoner + 'static>(
    options: &OptionValues,
    rules: Option<&Arc<Rules>>,
    reasoner: &R,
    settings: &PortfolioSettings,
) -> Mcts<R> {
    let strategy_log = Arc::new(StrategyLog::default());
    let rule_analysis = Arc::new(RuleAnalysis::new(rules.map(Arc::clone)));
    Mcts::with_rollouts(options, reasoner, Arc::clone(&strategy_log), |_| {
        let roles = reasoner.roles().to_vec();
        let (strategy_log, rule_analysis) = (Arc::clone(&strategy_log), Arc::clone(&rule_analysis));
        Box::new(Portfolio::new(
            settings.clone(),
            roles,
            strategy_log,
            rule_analysis,
        ))
    })
}

#[cfg(test)]
mod tests {
    use ludorum_player::OptionKind;

    use super::*;

    #[test]
    fn the_option_strategy_names_every_strategy() {
        let mut options = crate::options::MINI_ONE.iter();
        let option = options.find(|option| option.name == "strategy");
        let Some(OptionKind::Word(words)) = option.map(|option| option.kind) else {
            panic!("a list of words");
        };
        assert_eq!(words, StrategyKind::ALL.map(StrategyKind::name));
    }
}
