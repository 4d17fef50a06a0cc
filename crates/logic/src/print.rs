//! Printing of normalised rules as KIF text, for inspection.

use crate::rule::{Atom, Fact, Literal, Rule};
use crate::rules::Rules;

/// `(relation args…)`, or just the name of a proposition.
fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() {
        name.to_owned()
    } else {
        format!("({name} {})", args.join(" "))
    }
}

fn atom(rules: &Rules, rule: &Rule, atom: &Atom) -> String {
    let args: Vec<String> = atom
        .args
        .iter()
        .map(|arg| arg.text(&rules.terms, &rule.variables))
        .collect();
    applied(rules.relation_name(atom.relation), &args)
}

/// A condition of a rule.
pub fn literal(rules: &Rules, rule: &Rule, literal: &Literal) -> String {
    match literal {
        Literal::Positive(positive) => atom(rules, rule, positive),
        Literal::Negative(negative) => format!("(not {})", atom(rules, rule, negative)),
        Literal::Distinct(left, right) => format!(
            "(distinct {} {})",
            left.text(&rules.terms, &rule.variables),
            right.text(&rules.terms, &rule.variables)
        ),
    }
}

/// A rule with one condition on each line.
pub fn rule(rules: &Rules, rule: &Rule) -> String {
    let mut out = format!("(<= {}", atom(rules, rule, &rule.head));
    for condition in &rule.body {
        out.push_str("\n  ");
        out.push_str(&literal(rules, rule, condition));
    }
    out.push(')');
    out
}

/// A fact.
pub fn fact(rules: &Rules, fact: &Fact) -> String {
    let args: Vec<String> = fact.args.iter().map(|arg| rules.terms.text(*arg)).collect();
    applied(rules.relation_name(fact.relation), &args)
}

/// All facts and then all rules as one KIF rule sheet.
pub fn sheet(rules: &Rules) -> String {
    let mut out = String::new();
    for one in &rules.facts {
        out.push_str(&fact(rules, one));
        out.push('\n');
    }
    for one in &rules.rules {
        out.push_str(&rule(rules, one));
        out.push('\n');
    }
    out
}
