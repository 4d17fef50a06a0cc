//! Random small rule sheets: valid, stratified and finite, with all features of GDL.
//!
//! Several roles, compound ones among them, simultaneous moves, rigid, state and action relations,
//! recursion, floods along the links of a graph, stratified negation, `or` with branches of their
//! own variables, `not` over connectives, `distinct`, nested terms, one name as a constant and as
//! functions, shared and repeated variables, variables for whole fluents and moves, propositions.
//! Types of terms and bounding facts ensure that every sheet has finitely many atoms. Sheets need
//! not be playable: roles may have no legal move, goals may be missing or ambiguous.

use std::fmt::Write as _;

use super::flood;
use super::signature::{Sight, Signature, applied, name, role};
use super::types::{ITEMS, Place, TOWER_RULES, TOWERS, Type, variables_of};
use crate::rng::Rng;

struct Generator {
    rng: Rng,
    items: usize,
    /// Whether there are towers. Engines that need a static bound on nesting cannot play such
    /// sheets.
    towers: bool,
    /// Whether variables stand for whole fluents and moves.
    wholes: bool,
    /// Whether conditions may match subterms of towers. Conditions on relations may not: a rule
    /// that derives `?w` from `(s ?w)` leads to infinitely many queries.
    deep: bool,
    roles: Vec<String>,
    relations: Vec<Signature>,
    fluents: Vec<Signature>,
    moves: Vec<Signature>,
    out: String,
}

/// The rule sheet of a seed. The same seed always gives the same sheet.
pub fn sheet(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let items = 2 + rng.below(3);
    let roles = (0..1 + rng.below(3)).map(|i| role(i, &mut rng)).collect();
    let towers = rng.below(3) == 0;
    let wholes = rng.below(3) == 0;
    let mut generator = Generator {
        rng,
        items,
        towers,
        wholes,
        deep: true,
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
        self.rng.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.below(from.len())].clone()
    }

    fn types(&mut self, most: usize) -> Vec<Type> {
        let count = self.rng.below(most + 1);
        let mut types = vec![Type::Item; count];
        // At most one compound argument, to keep the number of atoms small.
        if count > 0 && self.chance(30) {
            let place = self.rng.below(count);
            let kinds = [Type::Box, Type::Pair, Type::Clash, Type::Tower];
            types[place] = self.pick(&kinds[..3 + usize::from(self.towers)]);
        }
        types
    }

    fn run(&mut self) {
        for role in self.roles.clone() {
            let _ = writeln!(self.out, "(role {role})");
        }
        if self.towers {
            self.out.push_str(TOWER_RULES);
        }
        for i in 0..1 + self.rng.below(3) {
            let args = self.types(3);
            self.fluents.push(Signature {
                name: name("f", i, args.len(), &self.fluents, &mut self.rng),
                args,
                sight: Sight::State,
                level: 0,
            });
        }
        for i in 0..1 + self.rng.below(3) {
            let args = self.types(2);
            let name = if i == 0 && !args.is_empty() && self.chance(20) {
                "noop".to_owned()
            } else {
                name("m", i, args.len(), &self.moves, &mut self.rng)
            };
            self.moves.push(Signature {
                name,
                args,
                sight: Sight::State,
                level: 0,
            });
        }
        if self.towers {
            self.relations.push(Signature {
                name: "up".to_owned(),
                args: vec![Type::Tower; 2],
                sight: Sight::Rigid,
                level: 1,
            });
        }
        for i in 0..2 + self.rng.below(6) {
            let mut args = self.types(3);
            if self.wholes && self.chance(40) {
                args.truncate(2);
                args.insert(0, Type::Whole);
            }
            let sight = self.pick(&[Sight::Rigid, Sight::State, Sight::State, Sight::Action]);
            let level = 1 + self.rng.below(3);
            self.relations.push(Signature {
                name: format!("p{i}"),
                args,
                sight,
                level,
            });
        }
        self.facts();
        for relation in self.relations.clone() {
            for _ in 0..1 + self.rng.below(3) {
                self.rule(&relation, Head::Relation);
            }
        }
        self.keyword_rules();
        if self.chance(35) {
            self.out.push_str(&flood::rules(&self.roles, &mut self.rng));
        }
    }

    /// Facts of rigid relations, `init`, and unconditional moves.
    fn facts(&mut self) {
        for relation in self.relations.clone() {
            let count = if relation.sight == Sight::Rigid {
                1 + self.rng.below(6)
            } else {
                usize::from(self.chance(20))
            };
            for _ in 0..count {
                let atom = self.ground(&relation);
                let _ = writeln!(self.out, "{atom}");
            }
        }
        for fluent in self.fluents.clone() {
            for _ in 0..self.rng.below(4) {
                let atom = self.ground(&fluent);
                let _ = writeln!(self.out, "(init {atom})");
            }
        }
        for role in self.roles.clone() {
            if self.chance(80) {
                let _ = writeln!(self.out, "(legal {role} noop)");
            }
        }
        if self.chance(10) {
            // A term that is not a role.
            let _ = writeln!(self.out, "(legal (r0 z) noop)");
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
            for _ in 0..1 + self.rng.below(2) {
                self.rule(&action, Head::Legal);
            }
        }
        for fluent in self.fluents.clone() {
            let signature = Signature {
                sight: Sight::Action,
                level: 9,
                ..fluent
            };
            for _ in 0..1 + self.rng.below(3) {
                self.rule(&signature, Head::Next);
            }
        }
        for _ in 0..1 + self.rng.below(2) {
            self.rule(&none, Head::Terminal);
        }
        for role in self.roles.clone() {
            for value in ["0", "50", "100"] {
                if self.chance(60) {
                    self.rule(&none, Head::Goal(role.clone(), value));
                }
            }
        }
    }

    fn ground(&mut self, signature: &Signature) -> String {
        let args: Vec<String> = signature
            .args
            .clone()
            .into_iter()
            .map(|of| self.term(of, &[], Place::Conclusion))
            .collect();
        applied(&signature.name, &args)
    }

    /// A term of a type over the given variables, or over new ones where these are allowed.
    fn term(&mut self, of: Type, variables: &[(String, Type)], at: Place) -> String {
        let fitting: Vec<&(String, Type)> =
            variables.iter().filter(|(_, have)| *have == of).collect();
        if !fitting.is_empty() && self.chance(75) {
            let place = self.rng.below(fitting.len());
            return fitting[place].0.clone();
        }
        if at == Place::Condition && self.chance(65) {
            let number = self.rng.below(4);
            return format!("{}{number}", of.variable());
        }
        let mut part = |of| self.term(of, variables, at);
        match of {
            Type::Item => ITEMS[self.rng.below(self.items)].to_owned(),
            Type::Box => format!("(s {})", part(Type::Item)),
            Type::Pair => format!("(pair {} {})", part(Type::Item), part(Type::Box)),
            Type::Clash => match self.rng.below(4) {
                0 => "a".to_owned(),
                1 => {
                    let left = self.term(Type::Item, variables, at);
                    let right = self.term(Type::Item, variables, at);
                    format!("(a {left} {right})")
                }
                _ => format!("(a {})", self.term(Type::Item, variables, at)),
            },
            Type::Tower if at == Place::Conclusion || !self.deep || self.chance(40) => {
                self.pick(&TOWERS).to_owned()
            }
            Type::Tower => format!("(s {})", self.term(Type::Tower, variables, at)),
            Type::Whole => self.whole(),
        }
    }

    /// A fluent, a move, or another term.
    fn whole(&mut self) -> String {
        let some = match self.rng.below(6) {
            0..3 => self.fluents.clone(),
            3..5 => self.moves.clone(),
            _ => return ITEMS[self.rng.below(self.items)].to_owned(),
        };
        let signature = self.pick(&some);
        self.ground(&signature)
    }

    /// A role, or a pattern that matches some roles.
    fn role(&mut self, at: Place) -> String {
        let roles = self.roles.clone();
        let role = self.pick(&roles);
        if at == Place::Condition && self.chance(40) {
            // Roles have a type of their own, with a variable name of its own.
            return "?r".to_owned();
        }
        match role.strip_prefix('(').and_then(|r| r.split_once(' ')) {
            Some((name, _)) if at == Place::Condition && self.chance(50) => format!("({name} ?x0)"),
            _ => role,
        }
    }

    /// A condition on a relation, a fluent or a move that a rule of this sight and level may use.
    fn atom(
        &mut self,
        signature: &Signature,
        negative: bool,
        variables: &[(String, Type)],
        at: Place,
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
        let kind = self.rng.below(10);
        if signature.sight == Sight::Action && kind < 3 {
            let role = self.role(at);
            let moves = self.moves.clone();
            let action = self.pick(&moves);
            let args: Vec<String> = action
                .args
                .iter()
                .map(|of| self.term(*of, variables, at))
                .collect();
            let action = if self.wholes && self.chance(15) {
                self.term(Type::Whole, variables, at)
            } else if self.chance(15) {
                "noop".to_owned()
            } else {
                applied(&action.name, &args)
            };
            return format!("(does {role} {action})");
        }
        if (signature.sight >= Sight::State && kind < 7) || choices.is_empty() {
            if signature.sight == Sight::Rigid {
                return if self.towers {
                    format!("(low {})", self.term(Type::Tower, variables, at))
                } else {
                    "(item a)".to_owned()
                };
            }
            if self.wholes && self.chance(25) {
                return format!("(true {})", self.term(Type::Whole, variables, at));
            }
            let fluents = self.fluents.clone();
            let fluent = self.pick(&fluents);
            let args: Vec<String> = fluent
                .args
                .iter()
                .map(|of| self.term(*of, variables, at))
                .collect();
            return format!("(true {})", applied(&fluent.name, &args));
        }
        let place = self.rng.below(choices.len());
        let relation = self.relations[choices[place]].clone();
        self.deep = false;
        let args: Vec<String> = relation
            .args
            .iter()
            .map(|of| self.term(*of, variables, at))
            .collect();
        self.deep = true;
        applied(&relation.name, &args)
    }

    /// A condition over bound variables.
    fn test(&mut self, signature: &Signature, variables: &[(String, Type)]) -> String {
        let kind = self.rng.below(8);
        let of = match variables {
            [] => Type::Item,
            some => self.pick(some).1,
        };
        let mut atom = |negative| self.atom(signature, negative, variables, Place::Test);
        match kind {
            0 | 1 => format!("(not {})", atom(true)),
            2 => format!("(or {} (not {}))", atom(false), atom(true)),
            3 => format!("(or {} {} {})", atom(false), atom(false), atom(false)),
            4 | 5 => {
                let (one, other) = (atom(true), atom(true));
                // Each branch may have a local variable.
                let mut open = || self.atom(signature, false, &[], Place::Condition);
                let (left, right) = (open(), open());
                format!("(or (and {left} (not {one})) (and {right} (not {other})))")
            }
            _ => {
                let one = atom(true);
                let left = self.term(of, variables, Place::Test);
                let right = self.term(of, variables, Place::Test);
                if kind == 6 {
                    format!("(distinct {left} {right})")
                } else {
                    format!("(not (and {one} (not (distinct {left} {right}))))")
                }
            }
        }
    }

    /// A role for a head, with a condition that binds its variable if it has one.
    fn bound_role(&mut self, body: &mut Vec<String>) -> String {
        let role = self.role(Place::Condition);
        if role.contains('?') {
            body.push(format!("(role {role})"));
        }
        role
    }

    fn rule(&mut self, signature: &Signature, head: Head) {
        let mut body: Vec<String> = Vec::new();
        let mut variables = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            // The naive reasoner joins naively, so rules have few variables.
            let open = variables.len() < 4;
            let bound: &[_] = if open { &[] } else { &variables };
            let at = if open { Place::Condition } else { Place::Test };
            body.push(self.atom(signature, false, bound, at));
            variables = variables_of(&body);
        }
        // Bound variables may be tested.
        for _ in 0..self.rng.below(3) {
            let condition = self.test(signature, &variables);
            let place = self.rng.below(body.len() + 1);
            body.insert(place, condition);
        }
        let args: Vec<String> = signature
            .args
            .iter()
            .map(|of| self.term(*of, &variables, Place::Conclusion))
            .collect();
        let mut conclusion = applied(&signature.name, &args);
        let whole = variables.iter().find(|(_, of)| *of == Type::Whole);
        if let (Some((whole, _)), Head::Next | Head::Legal) = (whole, &head)
            && self.chance(50)
        {
            conclusion.clone_from(whole);
        }
        let conclusion = match head {
            Head::Relation => conclusion,
            Head::Next => format!("(next {conclusion})"),
            Head::Terminal => "terminal".to_owned(),
            Head::Goal(role, value) => {
                let role = if self.chance(20) {
                    self.bound_role(&mut body)
                } else {
                    role
                };
                format!("(goal {role} {value})")
            }
            Head::Legal => {
                let role = self.bound_role(&mut body);
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
    Goal(String, &'static str),
}
