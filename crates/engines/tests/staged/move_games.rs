//! Random games of pieces on a graph, with moves of several arguments.
//!
//! Pieces slide along lines of free cells, step to neighbours or are placed. Several rules with
//! guards allow the same moves. Roles take turns or move at the same time. Some rules ask whether a
//! role has a legal move, or for what was not played.

use std::fmt::Write as _;

use ludorum_reasoner::Rng;

/// A random game with what it contains.
pub(crate) struct MoveGame {
    pub(crate) text: String,
    /// Whether roles take turns.
    pub(crate) turns: bool,
    /// Whether rules ask for legal moves.
    pub(crate) asks: bool,
}

struct Generator {
    rng: Rng,
    cells: usize,
    directions: usize,
    roles: usize,
    turns: bool,
    kinds: Vec<&'static str>,
    out: String,
}

/// The game of a seed.
pub(crate) fn game(seed: u64) -> MoveGame {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let roles = 1 + rng.below(3);
    let turns = roles > 1 && rng.below(3) > 0;
    let cells = 4 + rng.below(4);
    let directions = 2 + rng.below(2);
    let mut kinds = vec!["rook", "pawn", "king"];
    kinds.truncate(1 + rng.below(3));
    let mut generator = Generator {
        rng,
        cells,
        directions,
        roles,
        turns,
        kinds,
        out: String::new(),
    };
    let asks = generator.run();
    MoveGame {
        text: generator.out,
        turns,
        asks,
    }
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.below(100) < percent
    }

    fn pick(&mut self, from: &[&str]) -> String {
        from[self.rng.below(from.len())].to_owned()
    }

    fn cell(&mut self) -> String {
        format!("c{}", self.rng.below(self.cells))
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn run(&mut self) -> bool {
        self.tables();
        self.initial();
        self.relations();
        let functors = self.moves();
        self.next_state(&functors);
        self.end(&functors)
    }

    fn tables(&mut self) {
        for role in 0..self.roles {
            self.line(&format!("(role r{role})"));
        }
        for cell in 0..self.cells {
            self.line(&format!("(node c{cell})"));
        }
        // A random graph: each direction is a partial map.
        for direction in 0..self.directions {
            for cell in 0..self.cells {
                if self.chance(75) {
                    let to = if self.chance(70) {
                        format!("c{}", (cell + direction + 1) % self.cells)
                    } else {
                        self.cell()
                    };
                    self.line(&format!("(link d{direction} c{cell} {to})"));
                }
            }
        }
        for role in 0..self.roles {
            for kind in self.kinds.clone() {
                // A piece is a constant of its own, or shared by the roles.
                self.line(&format!("(piece r{role} {kind} p{role}{kind})"));
            }
        }
        for (i, _) in self.kinds.clone().iter().enumerate() {
            self.line(&format!("(weight {} n{i})", self.kinds[i]));
        }
        self.line("(dir d0) (dir d1)");
        for n in 0..8 {
            self.line(&format!("(after {n} {})", n + 1));
        }
        for cell in 0..self.cells {
            if self.chance(30) {
                self.line(&format!("(holy c{cell})"));
            }
        }
        self.line("(holy c0)");
    }

    fn initial(&mut self) {
        let mut free: Vec<usize> = (0..self.cells).collect();
        for role in 0..self.roles {
            for kind in self.kinds.clone() {
                let is_single = kind == "king" || role == 0 && self.chance(60);
                let count = if is_single { 1 } else { self.rng.below(3) };
                for _ in 0..count {
                    if free.is_empty() {
                        continue;
                    }
                    let place = self.rng.below(free.len());
                    let cell = free.remove(place);
                    self.line(&format!("(init (at c{cell} p{role}{kind}))"));
                }
            }
        }
        self.line("(init (step 0)) (init (mark c1))");
        if self.turns {
            self.line("(init (control r0))");
        }
    }

    fn relations(&mut self) {
        self.line("(<= (taken ?c) (true (at ?c ?p)))");
        self.line("(<= (free ?c) (node ?c) (not (taken ?c)))");
        self.line("(<= (line ?d ?a ?b) (link ?d ?a ?b) (free ?b))");
        let recursion = self.pick(&[
            "(<= (line ?d ?a ?b) (line ?d ?a ?c) (link ?d ?c ?b) (free ?b))",
            "(<= (line ?d ?a ?b) (link ?d ?a ?c) (free ?c) (line ?d ?c ?b))",
            "(<= (line ?d ?a ?b) (line ?d ?a ?c) (line ?d ?c ?b))",
        ]);
        self.line(&recursion);
        self.line("(<= (sees ?a ?b) (line ?d ?a ?b))");
        self.line("(<= (sees ?a ?b) (line ?d ?a ?c) (link ?d ?c ?b))");
        self.line("(<= (near ?a ?b) (link ?d ?a ?b))");
        self.line("(<= (owns ?r ?c) (true (at ?c ?p)) (piece ?r ?k ?p))");
        self.line("(<= (threat ?r ?c) (owns ?r ?a) (near ?a ?c))");
        let threat = self.pick(&[
            "(<= (threat ?r ?c) (owns ?r ?a) (sees ?a ?c) (not (holy ?c)))",
            "(<= (threat ?r ?c) (owns ?r ?c))",
            "(<= (threat ?r ?c) (true (at ?a ?p)) (piece ?r rook ?p) (sees ?a ?c))",
        ]);
        self.line(&threat);
        self.line("(<= (enemy ?r ?c) (role ?r) (owns ?s ?c) (distinct ?r ?s))");
        // A position after a move, from the cells of the move.
        self.line("(<= (open ?a ?b ?c) (node ?a) (node ?b) (free ?c) (distinct ?c ?b))");
        self.line("(<= (open ?a ?b ?a) (node ?a) (node ?b) (distinct ?a ?b))");
        self.line(
            "(<= (reach ?a ?b ?x ?y) (node ?a) (node ?b) (node ?x) (near ?x ?y) (open ?a ?b ?y))",
        );
        if self.chance(60) {
            self.line("(<= (reach ?a ?b ?x ?y) (reach ?a ?b ?x ?z) (near ?z ?y) (open ?a ?b ?y))");
        }
        self.line(
            "(<= (exposed ?r ?a ?b) (true (at ?k ?p)) (piece ?r king ?p)
               (enemy ?r ?e) (reach ?a ?b ?e ?k))",
        );
        self.line(
            "(<= (exposed ?r ?a ?b) (node ?a) (enemy ?r ?e) (owns ?r ?a) (reach ?a ?b ?e ?b))",
        );
        self.line("(<= (my ?r) (role ?r))");
        self.line("(<= (same ?x ?x) (node ?x))");
    }

    /// A condition on the cells of a move of a role.
    fn guard(&mut self, role: &str, cells: &[&str]) -> String {
        let (a, b) = (self.pick(cells), self.pick(cells));
        match self.rng.below(16) {
            0 => format!("(not (threat {role} {a}))"),
            1 => format!("(distinct {a} {b})"),
            2 => format!("(not (near {a} {b}))"),
            3 => format!("(not (true (mark {a})))"),
            4 => format!("(not (exposed {role} {a} {b}))"),
            5 => "(not (true (step 3)))".to_owned(),
            6 => format!("(or (holy {a}) (not (holy {b})))"),
            7 => format!("(or (true (mark {a})) (sees {a} {b}))"),
            8 => format!("(not (enemy {role} {a}))"),
            9 if self.chance(50) => "(true (mark ?m)) (holy ?m)".to_owned(),
            9 => format!("(true (at ?q ?qq)) (not (same ?q {a}))"),
            10 => format!("(near {a} ?n) (free ?n)"),
            11 => format!("(reach {a} {b} {a} {b})"),
            12 => format!("(distinct {a} c1)"),
            13 => format!("(true (at ?k0 p0rook)) (not (reach {a} {b} {b} ?k0))"),
            14 => format!("(true (at ?k0 p0rook)) (sees ?k0 {a})"),
            _ => format!("(not (and (holy {a}) (true (mark {b}))))"),
        }
    }

    /// Rules for legal moves. Returns patterns of the moves, each with its cells.
    fn moves(&mut self) -> Vec<&'static str> {
        let mut functors = Vec::new();
        let has_turn = if self.turns {
            "(true (control ?r))"
        } else {
            "(my ?r)"
        };
        let choices = self.rng.below(31) + 1;
        let guards = |this: &mut Self, cells: &[&str]| {
            let count = this.rng.below(3);
            (0..count).fold(String::new(), |text, _| {
                text + " " + &this.guard("?r", cells)
            })
        };
        if choices & 1 != 0 {
            functors.push("(move ?k ?a ?b)");
            // Pieces from a table, and constants in heads.
            for _ in 0..1 + self.rng.below(3) {
                let more = guards(self, &["?a", "?b"]);
                let rule = match self.rng.below(4) {
                    0 => format!(
                        "(<= (legal ?r (move ?k ?a ?b)) {has_turn} (piece ?r ?k ?p) (true (at ?a ?p))
                           (sees ?a ?b) (not (owns ?r ?b)){more})"
                    ),
                    1 => format!(
                        "(<= (legal ?r (move rook ?a ?b)) {has_turn} (piece ?r rook ?p)
                           (true (at ?a ?p)) (line ?d ?a ?b){more})"
                    ),
                    2 => format!(
                        "(<= (legal ?r (move ?k ?a ?b)) {has_turn} (true (at ?a ?p)) (near ?a ?b)
                           (piece ?r ?k ?p) (free ?b){more})"
                    ),
                    _ => format!(
                        "(<= (legal ?r (move king ?a ?b)) {has_turn} (true (at ?a ?p))
                           (piece ?r king ?p) (near ?a ?b) (not (owns ?r ?b))
                           (not (exposed ?r ?a ?b)){more})"
                    ),
                };
                self.line(&rule);
            }
        }
        if choices & 2 != 0 {
            functors.push("(shoot ?a ?b ?c)");
            for _ in 0..1 + self.rng.below(2) {
                let more = guards(self, &["?a", "?b", "?c"]);
                let shot = self.pick(&["(sees ?b ?c)", "(reach ?a ?b ?b ?c)", "(line ?e ?b ?c)"]);
                let rule = format!(
                    "(<= (legal ?r (shoot ?a ?b ?c)) {has_turn} (owns ?r ?a) (line ?d ?a ?b)
                       {shot}{more})"
                );
                self.line(&rule);
            }
        }
        if choices & 4 != 0 {
            functors.push("(place ?c)");
            let more = guards(self, &["?c"]);
            self.line(&format!(
                "(<= (legal ?r (place ?c)) {has_turn} (free ?c){more})"
            ));
            if self.chance(40) {
                self.line(&format!(
                    "(<= (legal ?r (place c2)) {has_turn} (true (mark c1)))"
                ));
            }
        }
        if choices & 8 != 0 {
            functors.push("(swap ?a ?b ?c ?d)");
            let more = guards(self, &["?a", "?b", "?c", "?d"]);
            self.line(&format!(
                "(<= (legal ?r (swap ?a ?b ?c ?d)) {has_turn} (owns ?r ?a) (near ?a ?b) (taken ?c)
                   (near ?c ?d) (free ?d){more})"
            ));
            if self.chance(40) {
                // Arguments that are equal.
                self.line(&format!(
                    "(<= (legal ?r (swap ?a ?a ?c ?c)) {has_turn} (owns ?r ?a) (near ?a ?c))"
                ));
            }
        }
        if choices & 16 != 0 {
            functors.push("pass");
            self.line(&format!(
                "(<= (legal ?r pass) {has_turn} (holy ?h) (true (mark ?h)))"
            ));
        }
        if self.chance(15) {
            // A relation for the whole move.
            functors.push("(jump ?x)");
            self.line(&format!("(<= (legal ?r ?m) {has_turn} (offered ?r ?m))"));
            self.line("(<= (offered ?r (jump ?x)) (threat ?r ?x))");
            self.line("(<= (offered ?r (jump c1)) (role ?r) (not (taken c1)))");
        }
        if self.turns {
            let rest = self.pick(&[
                "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))",
                "(<= (legal ?r noop) (role ?r) (true (control ?s)) (distinct ?r ?s))",
                "(<= (legal ?r noop) (true (control ?s)) (before ?r ?s))",
            ]);
            for role in 0..self.roles {
                for other in (0..self.roles).filter(|other| *other != role) {
                    self.line(&format!("(before r{role} r{other})"));
                }
            }
            self.line(&rest);
            if self.chance(40) {
                self.line("(<= (legal ?r noop) (true (control ?r)) (true (step 2)))");
            }
        } else if self.chance(85) {
            self.line("(<= (legal ?r noop) (role ?r))");
        } else {
            for role in 0..self.roles {
                self.line(&format!("(legal r{role} (wave {}))", self.cell_of(role)));
            }
        }
        functors
    }

    fn cell_of(&self, number: usize) -> String {
        format!("c{}", number % self.cells)
    }

    fn next_state(&mut self, functors: &[&'static str]) {
        for functor in functors {
            let rules: &[&str] = match *functor {
                "(move ?k ?a ?b)" => &[
                    "(<= (next (at ?b ?p)) (does ?r (move ?k ?a ?b)) (true (at ?a ?p)))",
                    "(<= (gone ?a) (does ?r (move ?k ?a ?b)))",
                    "(<= (gone ?b) (does ?r (move ?k ?a ?b)))",
                    "(<= (next (mark ?a)) (does ?r (move king ?a ?b)) (weight king ?n))",
                ],
                "(shoot ?a ?b ?c)" => &[
                    "(<= (next (at ?b ?p)) (does ?r (shoot ?a ?b ?c)) (true (at ?a ?p)))",
                    "(<= (gone ?a) (does ?r (shoot ?a ?b ?c)))",
                    "(<= (gone ?c) (does ?r (shoot ?a ?b ?c)) (distinct ?b ?c))",
                    "(<= (next (mark ?c)) (does ?r (shoot ?a ?b ?c)))",
                ],
                "(place ?c)" => &[
                    "(<= (next (at ?c ?p)) (does ?r (place ?c)) (piece ?r rook ?p))",
                    "(<= (next (mark ?n)) (does ?r (place ?c)) (near ?c ?n) (not (holy ?n)))",
                ],
                "(swap ?a ?b ?c ?d)" => &[
                    "(<= (gone ?c) (does ?r (swap ?a ?b ?c ?d)))",
                    "(<= (next (at ?d ?p)) (does ?r (swap ?a ?b ?c ?d)) (true (at ?c ?p)))",
                    "(<= (next (mark ?d)) (does ?r (swap ?a ?a ?d ?d)))",
                    "(<= (next (pair ?a ?d)) (does ?r (swap ?a ?b ?c ?d)) (sees ?a ?d))",
                ],
                "(jump ?x)" => {
                    &["(<= (next (mark ?x)) (does ?r (jump ?x)) (not (true (mark ?x))))"]
                }
                _ => &["(<= (next (mark c3)) (does ?r pass))"],
            };
            for rule in rules {
                if self.chance(85) {
                    self.line(rule);
                }
            }
        }
        self.line("(<= (gone ?x) (true (at ?x ?p)) (true (step 7)))");
        self.line("(<= (next (at ?c ?p)) (true (at ?c ?p)) (not (gone ?c)))");
        self.line("(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))");
        // What was not played, and what anyone played.
        for _ in 0..1 + self.rng.below(3) {
            let rule = match self.rng.below(7) {
                0 => "(<= (next (mark ?c)) (true (mark ?c)) (not (does r0 (place ?c))))",
                1 => "(<= (next (mark ?c)) (true (mark ?c)) (not (does r0 pass)))",
                2 => "(<= (next (mark c0)) (role ?r) (not (does ?r noop)))",
                3 => "(<= (next (played ?m)) (does r0 ?m) (true (mark c1)))",
                4 => "(<= (next (mark c1)) (does r0 ?m) (does ?r ?n) (distinct ?m ?n))",
                5 => {
                    "(<= (next (mark ?b)) (true (at ?a ?p)) (near ?a ?b)
                       (not (does r0 (move rook ?a ?b))))"
                }
                _ => "(<= (next (mark ?c)) (true (mark ?c)) (not (does r0 (shoot ?c ?c ?c))))",
            };
            let rule = if rule.contains("played ?m") && self.chance(50) {
                "(<= (next (busy ?r)) (does ?r ?m) (distinct ?m noop))"
            } else {
                rule
            };
            self.line(rule);
        }
        if self.turns {
            let form = self.rng.below(3);
            for role in 0..self.roles {
                let next = (role + 1) % self.roles;
                if form == 0 {
                    self.line(&format!(
                        "(<= (next (control r{next})) (true (control r{role})))"
                    ));
                } else {
                    self.line(&format!("(follows r{role} r{next})"));
                }
            }
            match form {
                1 => self.line("(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s))"),
                2 => self.line(
                    "(<= (next (control ?s)) (role ?s) (true (control ?r)) (follows ?r ?s)
                       (distinct ?r ?s))",
                ),
                _ => {}
            }
        }
    }

    /// The end and the goals. Returns whether they ask for legal moves.
    fn end(&mut self, functors: &[&'static str]) -> bool {
        self.line("(<= terminal (true (step 6)))");
        if self.chance(40) {
            self.line("(<= terminal (true (mark c0)) (true (mark c2)))");
        }
        let mut asks = self.chance(40);
        if asks {
            let functor = functors[self.rng.below(functors.len())];
            if self.chance(50) {
                self.line(&format!("(<= (can ?r) (legal ?r {functor}))"));
            } else {
                // Any move of some functors.
                for functor in functors {
                    self.line(&format!("(<= (can ?r) (legal ?r {functor}))"));
                }
            }
            let control = if self.turns {
                "(true (control ?r))"
            } else {
                ""
            };
            match self.rng.below(4) {
                0 => self.line(&format!("(<= terminal (role ?r) {control} (not (can ?r)))")),
                1 => {
                    self.line("(<= any (role ?r) (can ?r))");
                    self.line("(<= terminal (not any))");
                }
                2 => self.line("(<= terminal (true (step 4)) (not (can r0)))"),
                _ => {}
            }
            self.line("(<= (goal ?r 100) (can ?r))");
            self.line("(<= (goal ?r 10) (role ?r) (not (can ?r)))");
        } else {
            self.line("(<= (goal ?r 100) (owns ?r c1))");
            self.line("(<= (goal ?r 30) (role ?r) (not (owns ?r c1)))");
        }
        if self.chance(20) {
            self.line("(<= (goal r0 50) (role r0) terminal)");
        }
        asks &= self.out.contains("(can ");
        asks
    }
}
