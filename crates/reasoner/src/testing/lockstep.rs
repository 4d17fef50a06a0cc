//! Runs engines in lockstep over the same random playouts and reports the first difference.

use crate::error::ReasonError;
use crate::game_walker::GameWalker;
use crate::rng::Rng;

/// Plays the same random moves on all walkers, from their current state. Returns the number of
/// states compared, or a description of the first difference.
pub fn lockstep(
    walkers: &mut [(String, Box<dyn GameWalker>)],
    rng: &mut Rng,
    limit: u32,
) -> Result<u32, String> {
    let roles = walkers[0].1.roles();
    let mut compared = 0;
    loop {
        let facts = agree(walkers, "facts", |walker| Ok(walker.facts()))?;
        agree(walkers, "key", |walker| Ok(walker.key()))?;
        let at = |what: &str| format!("{what} in state {}", facts.join(" "));
        let terminal = agree(walkers, &at("terminal"), |walker| walker.is_terminal())?;
        let mut joint = Vec::with_capacity(roles.len());
        for (role, name) in roles.iter().enumerate() {
            let legal = agree(walkers, &at(&format!("legal {name}")), |walker| {
                walker.legal(role)
            })?;
            agree(walkers, &at(&format!("goal {name}")), |walker| {
                walker.goal(role)
            })?;
            if !legal.is_empty() {
                joint.push(legal[rng.below(legal.len())].clone());
            }
        }
        compared += 1;
        if terminal || joint.len() < roles.len() || compared > limit {
            return Ok(compared);
        }
        agree(
            walkers,
            &at(&format!("step {}", joint.join(" "))),
            |walker| walker.step(&joint),
        )?;
    }
}

fn agree<T: PartialEq + std::fmt::Debug>(
    walkers: &mut [(String, Box<dyn GameWalker>)],
    what: &str,
    mut query: impl FnMut(&mut dyn GameWalker) -> Result<T, ReasonError>,
) -> Result<T, String> {
    let mut answers = walkers.iter_mut().map(|(name, walker)| {
        let answer = query(walker.as_mut());
        (name.clone(), answer)
    });
    let Some((first_name, first)) = answers.next() else {
        return Err("no engine".to_owned());
    };
    for (name, other) in answers {
        if first != other {
            return Err(format!(
                "{what}: {first_name} says {first:?}, {name} says {other:?}"
            ));
        }
    }
    first.map_err(|error| format!("{what}: {first_name} fails: {error}"))
}
