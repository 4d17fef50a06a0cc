//! Random small sheets: valid, stratified and finite, with everything the language has.
//!
//! Several roles, simultaneous moves, rigid, state and action relations, recursion, stratified negation, `or`, `not` over
//! connectives, `distinct`, nested terms, shared and repeated variables, propositions. Terms are typed behind the scenes and types do not
//! recurse, so every sheet has finitely many atoms. Sheets need not make sense as games: roles may have no move, goals may be
//! missing or ambiguous.

use std::fmt::Write as _;

use crate::dice::Dice;

/// The type of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    /// A constant.
    Item,
    /// `(s item)`.
    Box,
    /// `(pair item box)`.
    Pair,
}

const ITEMS: [&str; 4] = ["a", "b", "c", "d"];

/// What a relation may look at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Sight {
    Rigid,
    State,
    Action,
}

/// A name with typed arguments.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    args: Vec<Type>,
    sight: Sight,
    /// Negation looks only to lower levels.
    level: usize,
}

struct Generator {
    dice: Dice,
    items: usize,
    roles: Vec<String>,
    relations: Vec<Signature>,
    fluents: Vec<Signature>,
    moves: Vec<Signature>,
    out: String,
}

/// The sheet of a seed. The same seed always gives the same sheet.
pub fn sheet(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let items = 2 + dice.below(3);
    let roles = (0..1 + dice.below(3)).map(|i| format!("r{i}")).collect();
    let mut generator = Generator {
        dice,
        items,
        roles,
        relations: Vec::new(),
        fluents: Vec::new(),
        moves: Vec::new(),
        out: String::new(),
    };
    generator.run();
    generator.out
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.dice.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.dice.below(from.len())].clone()
    }

    fn types(&mut self, most: usize) -> Vec<Type> {
        let count = self.dice.below(most + 1);
        let mut types = vec![Type::Item; count];
        // One compound argument at the most keeps the number of atoms small.
        if count > 0 && self.chance(30) {
            let place = self.dice.below(count);
            types[place] = self.pick(&[Type::Box, Type::Pair]);
        }
        types
    }

    fn run(&mut self) {
        for role in self.roles.clone() {
            let _ = writeln!(self.out, "(role {role})");
        }
        for i in 0..1 + self.dice.below(3) {
            let args = self.types(3);
            self.fluents.push(Signature {
                name: format!("f{i}"),
                args,
                sight: Sight::State,
                level: 0,
            });
        }
        for i in 0..1 + self.dice.below(3) {
            let args = self.types(2);
            self.moves.push(Signature {
                name: format!("m{i}"),
                args,
                sight: Sight::State,
                level: 0,
            });
        }
        for i in 0..2 + self.dice.below(6) {
            let args = self.types(3);
            let sight = self.pick(&[Sight::Rigid, Sight::State, Sight::State, Sight::Action]);
            let level = 1 + self.dice.below(3);
            self.relations.push(Signature {
                name: format!("p{i}"),
                args,
                sight,
                level,
            });
        }
        self.facts();
        for relation in self.relations.clone() {
            for _ in 0..1 + self.dice.below(3) {
                self.rule(&relation, Head::Relation);
            }
        }
        self.keyword_rules();
    }

    /// Facts of rigid relations, `init`, and unconditional moves.
    fn facts(&mut self) {
        for relation in self.relations.clone() {
            let count = if relation.sight == Sight::Rigid {
                1 + self.dice.below(6)
            } else {
                usize::from(self.chance(20))
            };
            for _ in 0..count {
                let atom = self.ground(&relation);
                let _ = writeln!(self.out, "{atom}");
            }
        }
        for fluent in self.fluents.clone() {
            for _ in 0..self.dice.below(4) {
                let atom = self.ground(&fluent);
                let _ = writeln!(self.out, "(init {atom})");
            }
        }
        for role in self.roles.clone() {
            if self.chance(80) {
                let _ = writeln!(self.out, "(legal {role} noop)");
            }
        }
    }

    fn keyword_rules(&mut self) {
        let none = Signature {
            name: String::new(),
            args: Vec::new(),
            sight: Sight::State,
            level: 9,
        };
        for action in self.moves.clone() {
            for _ in 0..1 + self.dice.below(2) {
                self.rule(&action, Head::Legal);
            }
        }
        for fluent in self.fluents.clone() {
            let signature = Signature {
                sight: Sight::Action,
                level: 9,
                ..fluent
            };
            for _ in 0..1 + self.dice.below(3) {
                self.rule(&signature, Head::Next);
            }
        }
        for _ in 0..1 + self.dice.below(2) {
            self.rule(&none, Head::Terminal);
        }
        for role in self.roles.clone() {
            for value in ["0", "50", "100"] {
                if self.chance(60) {
                    self.rule(&none, Head::Goal(format!("{role} {value}")));
                }
            }
        }
    }

    fn ground(&mut self, signature: &Signature) -> String {
        let args: Vec<String> = signature
            .args
            .clone()
            .into_iter()
            .map(|of| self.term(of, &[], false))
            .collect();
        applied(&signature.name, &args)
    }

    /// A term of a type from the variables given; `open` lets it use new variables, which are returned through their names.
    fn term(&mut self, of: Type, variables: &[(String, Type)], open: bool) -> String {
        let fitting: Vec<&(String, Type)> =
            variables.iter().filter(|(_, have)| *have == of).collect();
        if !fitting.is_empty() && self.chance(75) {
            let place = self.dice.below(fitting.len());
            return fitting[place].0.clone();
        }
        if open && self.chance(65) {
            let number = self.dice.below(4);
            let kind = match of {
                Type::Item => "x",
                Type::Box => "y",
                Type::Pair => "z",
            };
            return format!("?{kind}{number}");
        }
        match of {
            Type::Item => ITEMS[self.dice.below(self.items)].to_owned(),
            Type::Box => format!("(s {})", self.term(Type::Item, variables, open)),
            Type::Pair => format!(
                "(pair {} {})",
                self.term(Type::Item, variables, open),
                self.term(Type::Box, variables, open)
            ),
        }
    }

    /// A condition on a relation, a fluent or a move that a rule of this sight and level may look at.
    fn atom(
        &mut self,
        signature: &Signature,
        negative: bool,
        variables: &[(String, Type)],
        open: bool,
    ) -> String {
        let mut choices: Vec<usize> = Vec::new();
        for (i, relation) in self.relations.iter().enumerate() {
            let low_enough = if negative {
                relation.level < signature.level
            } else {
                relation.level <= signature.level
            };
            if relation.sight <= signature.sight && low_enough {
                choices.push(i);
            }
        }
        let kind = self.dice.below(10);
        if signature.sight == Sight::Action && kind < 3 {
            let role = if open && self.chance(40) {
                // Roles are their own type: a variable of this name is used for nothing else.
                "?r".to_owned()
            } else {
                let roles = self.roles.clone();
                self.pick(&roles)
            };
            let moves = self.moves.clone();
            let action = self.pick(&moves);
            let args: Vec<String> = action
                .args
                .iter()
                .map(|of| self.term(*of, variables, open))
                .collect();
            let action = if self.chance(15) {
                "noop".to_owned()
            } else {
                applied(&action.name, &args)
            };
            return format!("(does {role} {action})");
        }
        if (signature.sight >= Sight::State && kind < 7) || choices.is_empty() {
            if signature.sight == Sight::Rigid {
                return "(item a)".to_owned();
            }
            let fluents = self.fluents.clone();
            let fluent = self.pick(&fluents);
            let args: Vec<String> = fluent
                .args
                .iter()
                .map(|of| self.term(*of, variables, open))
                .collect();
            return format!("(true {})", applied(&fluent.name, &args));
        }
        let place = self.dice.below(choices.len());
        let relation = self.relations[choices[place]].clone();
        let args: Vec<String> = relation
            .args
            .iter()
            .map(|of| self.term(*of, variables, open))
            .collect();
        applied(&relation.name, &args)
    }

    fn rule(&mut self, signature: &Signature, head: Head) {
        let mut body: Vec<String> = Vec::new();
        let mut variables = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            // The naive reading joins naively: a rule with few variables can be compared in no time.
            let open = variables.len() < 4;
            let bound: &[_] = if open { &[] } else { &variables };
            body.push(self.atom(signature, false, bound, open));
            variables = variables_of(&body);
        }
        // What is bound now may be tested.
        for _ in 0..self.dice.below(3) {
            let condition = match self.dice.below(6) {
                0 | 1 => format!("(not {})", self.atom(signature, true, &variables, false)),
                2 => {
                    let left = self.term(Type::Item, &variables, false);
                    let right = self.term(Type::Item, &variables, false);
                    format!("(distinct {left} {right})")
                }
                3 => {
                    let one = self.atom(signature, false, &variables, false);
                    let two = self.atom(signature, true, &variables, false);
                    format!("(or {one} (not {two}))")
                }
                4 => {
                    let one = self.atom(signature, true, &variables, false);
                    let left = self.term(Type::Item, &variables, false);
                    let right = self.term(Type::Item, &variables, false);
                    format!("(not (and {one} (not (distinct {left} {right}))))")
                }
                _ => {
                    let parts: Vec<String> = (0..3)
                        .map(|_| self.atom(signature, false, &variables, false))
                        .collect();
                    format!("(or {})", parts.join(" "))
                }
            };
            let place = self.dice.below(body.len() + 1);
            body.insert(place, condition);
        }
        let args: Vec<String> = signature
            .args
            .iter()
            .map(|of| self.term(*of, &variables, false))
            .collect();
        let conclusion = applied(&signature.name, &args);
        let conclusion = match head {
            Head::Relation => conclusion,
            Head::Next => format!("(next {conclusion})"),
            Head::Terminal => "terminal".to_owned(),
            Head::Goal(what) => format!("(goal {what})"),
            Head::Legal => {
                let roles = self.roles.clone();
                let role = if self.chance(40) {
                    body.push("(role ?r)".to_owned());
                    "?r".to_owned()
                } else {
                    self.pick(&roles)
                };
                format!("(legal {role} {conclusion})")
            }
        };
        let _ = writeln!(self.out, "(<= {conclusion} {})", body.join(" "));
    }
}

enum Head {
    Relation,
    Legal,
    Next,
    Terminal,
    Goal(String),
}

fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() {
        name.to_owned()
    } else {
        format!("({name} {})", args.join(" "))
    }
}

/// The typed variables that occur in some conditions.
fn variables_of(body: &[String]) -> Vec<(String, Type)> {
    let mut found = Vec::new();
    for word in body
        .iter()
        .flat_map(|condition| condition.split([' ', '(', ')']))
    {
        let of = match word.get(..2) {
            Some("?x") => Type::Item,
            Some("?y") => Type::Box,
            Some("?z") => Type::Pair,
            _ => continue,
        };
        if !found.iter().any(|(name, _)| name == word) {
            found.push((word.to_owned(), of));
        }
    }
    found
}
