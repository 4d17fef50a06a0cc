//! Random floods: rules of a connection that is defined by recursion along the links of a graph.
//!
//! Stones are put on points, and where that is all, connections only grow. In some floods stones
//! can be lifted, what is not connected is taken, or all stones are; some flow through points
//! without a stone. Links go both ways or one way, and sometimes two relations depend on each
//! other.

use std::fmt::Write as _;

use crate::rng::Rng;

/// The rules of a random flood, for some of the roles.
pub(super) fn rules(roles: &[String], rng: &mut Rng) -> String {
    let points = 3 + rng.below(4);
    let role = &roles[rng.below(roles.len())];
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    for point in 0..points {
        line(format!("(point o{point})"));
    }
    let both_ways = rng.below(2) == 0;
    for to in 1..points {
        let from = rng.below(to);
        line(format!("(link o{from} o{to})"));
        if both_ways {
            line(format!("(link o{to} o{from})"));
        }
    }
    for _ in 0..rng.below(points) {
        line(format!(
            "(link o{} o{})",
            rng.below(points),
            rng.below(points)
        ));
    }
    line(format!(
        "(<= (legal {role} (put ?p)) (point ?p) (not (true (stone ?p))))"
    ));
    line(format!("(<= (next (stone ?p)) (does {role} (put ?p)))"));
    let stays = match rng.below(6) {
        0 => {
            line(format!("(<= (legal {role} (lift ?p)) (true (stone ?p)))"));
            format!("(not (does {role} (lift ?p)))")
        }
        // Connected stones, or all others, are taken.
        1 => "(reached ?p)".to_owned(),
        2 => "(not (reached ?p))".to_owned(),
        // The last stone takes all others.
        3 => format!("(not (does {role} (put o{})))", points - 1),
        _ => String::new(),
    };
    line(format!("(<= (next (stone ?p)) (true (stone ?p)) {stays})"));
    let open = match rng.below(4) {
        0 => "(not (true (stone ?q)))",
        1 => "(or (true (stone ?q)) (true (stone o0)))",
        _ => "(true (stone ?q))",
    };
    for _ in 0..1 + rng.below(2) {
        let start = rng.below(points);
        match rng.below(3) {
            0 => line(format!(
                "(<= (reached o{start}) (not (true (stone o{start}))))"
            )),
            _ => line(format!("(<= (reached o{start}) (true (stone o{start})))")),
        }
    }
    if rng.below(3) == 0 {
        line("(<= (beside ?q) (reached ?p) (link ?p ?q))".to_owned());
        line(format!("(<= (reached ?q) (beside ?q) (point ?q) {open})"));
    } else {
        line(format!(
            "(<= (reached ?q) (reached ?p) (link ?p ?q) {open})"
        ));
    }
    let goal = rng.below(points);
    line(format!("(<= (goal {role} 70) (reached o{goal}))"));
    if rng.below(2) == 0 {
        line(format!("(<= terminal (reached o{goal}))"));
    }
    if rng.below(3) == 0 {
        line(format!("(<= (legal {role} jump) (reached o{goal}))"));
    }
    out
}
