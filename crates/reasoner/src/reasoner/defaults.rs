//! Default implementations of queries about several states.

use std::borrow::Borrow;
use std::cmp::Ordering;

use super::Reasoner;
use crate::error::ReasonError;
use crate::summary::StateSummary;

/// How many texts are only in the first list, and how many only in the second. Both lists are
/// sorted.
pub fn count_differences(first: &[String], second: &[String]) -> (usize, usize) {
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    let mut only = (0, 0);
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        match left.cmp(right) {
            Ordering::Less => only.0 += usize::from(a.next().is_some()),
            Ordering::Greater => only.1 += usize::from(b.next().is_some()),
            Ordering::Equal => {
                a.next();
                b.next();
            }
        }
    }
    (only.0 + a.count(), only.1 + b.count())
}

/// The summaries of some states, computed query by query.
pub fn state_summaries<R: Reasoner, B: Borrow<R::State>>(
    reasoner: &mut R,
    states: &[B],
) -> Result<Vec<StateSummary>, ReasonError> {
    let roles = 0..reasoner.roles().len();
    states
        .iter()
        .map(|state| {
            let state = state.borrow();
            Ok(StateSummary {
                terminal: reasoner.is_terminal(state)?,
                goals: roles
                    .clone()
                    .map(|role| reasoner.goal(state, role))
                    .collect::<Result<_, _>>()?,
                legal: roles
                    .clone()
                    .map(|role| {
                        let mut moves = Vec::new();
                        reasoner.legal_moves(state, role, &mut moves)?;
                        Ok(moves)
                    })
                    .collect::<Result<_, ReasonError>>()?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::count_differences;

    #[test]
    fn texts_that_only_one_list_has_are_counted() {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(count_differences(&list("a b c"), &list("b d e f")), (2, 3));
        assert_eq!(count_differences(&list("a b"), &list("a b")), (0, 0));
        assert_eq!(count_differences(&[], &list("a b")), (0, 2));
    }
}
