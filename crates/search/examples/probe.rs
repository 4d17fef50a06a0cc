//! What players think of a position: `probe GAME SPEC SECONDS [FACTS…]`.
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_search::Spec;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = match ludorum_games::find(&args[0]) {
        Some(game) => game.text.to_owned(),
        None => std::fs::read_to_string(&args[0]).unwrap(),
    };
    let rules = Arc::new(Rules::from_text(&text).unwrap());
    let spec: Spec = args[1].parse().unwrap();
    let seconds: f64 = args[2].parse().unwrap();
    let mut player = spec.player(&rules, 0).unwrap();
    if args.len() > 3 {
        player.go_to(&args[3..]).unwrap();
    }
    for _ in 0..2 {
        let deadline = Instant::now() + Duration::from_secs_f64(seconds);
        let answer = player.play(deadline).unwrap();
        let late = Instant::now().saturating_duration_since(deadline);
        let r = &answer.report;
        println!(
            "{} {} sims {:.0}/s depth {} nodes {} MiB {} proven {} late {:?} {:?}",
            answer.text,
            r.simulations,
            r.rate(),
            r.depth,
            r.nodes,
            r.bytes >> 20,
            r.proven,
            late,
            r.trouble
        );
        for m in r.moves.iter().take(4) {
            println!("   {} {} {:?} {:?}", m.text, m.visits, m.value, m.bounds);
        }
    }
}
