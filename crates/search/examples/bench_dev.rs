//! Temporary.
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use ludorum_logic::Rules;
use ludorum_search::{Duel, Spec, solve};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[2]).unwrap();
    let rules = Arc::new(Rules::from_text(&text).unwrap());
    let seconds: f64 = args[3].parse().unwrap();
    let time = Duration::from_secs_f64(seconds);
    if args[1] == "solve" {
        let spec: Spec = args.get(4).map_or("solo", |s| s).parse().unwrap();
        let s = solve(&rules, &spec, time, &AtomicBool::new(false)).unwrap();
        println!("{} {spec}: value {:?} ceiling {} known {} proof {:?} method {:?} found {:?} seconds {:.2} sims {} length {}", args[2], s.value, s.ceiling, s.ceiling_known, s.proof, s.method.map(|m| m.to_string()), s.found_after, s.seconds, s.simulations, s.line.len());
    } else {
        let mut duel = Duel::new(args[4].parse().unwrap(), args[5].parse().unwrap());
        duel.games = args[6].parse().unwrap();
        duel.clock = time;
        let o = duel.run(&rules, |_| {}).unwrap();
        let short = |s: &ludorum_search::duel::SideReport| serde_json::to_value(s).unwrap();
        let (a, b) = (short(&o.a), short(&o.b));
        println!("{} {} vs {}: score {:.1} ({} {} {}) interval {:?} sims/move {} {} late {} {} errors {} {}", args[2].rsplit('/').next().unwrap(), args[4], args[5], o.score, o.wins, o.draws, o.losses, o.interval, a["simulations_per_move"], b["simulations_per_move"], a["late"], b["late"], a["errors"], b["errors"]);
    }
}
