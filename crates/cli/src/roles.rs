//! Roles on the command line.

use ludorum_reasoner::Role;

use crate::outcome::Failure;

/// The role with a name in any case, a number from 1, or a unique beginning of a name.
pub(crate) fn find_role(roles: &[String], wanted: &str) -> Result<Role, Failure> {
    let wanted_name = wanted.to_lowercase();
    let named = |role: &String| role.to_lowercase() == wanted_name;
    if let Some(role) = roles.iter().position(named) {
        return Ok(role);
    }
    let numbers = 1..=roles.len();
    if let Some(number) = wanted.parse().ok().filter(|n| numbers.contains(n)) {
        return Ok(number - 1);
    }
    let begins =
        |role: &String| !wanted.is_empty() && role.to_lowercase().starts_with(&wanted_name);
    let mut found = (0..roles.len()).filter(|role| begins(&roles[*role]));
    match (found.next(), found.next()) {
        (Some(role), None) => Ok(role),
        _ => Err(Failure::input_with_help(
            format!("there is no role `{wanted}`"),
            format!("the roles are {}", roles.join(", ")),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_found_by_name_number_and_beginning() {
        let roles = ["red", "green", "grey"].map(str::to_owned);
        let found = |name: &str| find_role(&roles, name).ok();
        assert_eq!(found("Green"), Some(1));
        assert_eq!(found("3"), Some(2));
        assert_eq!(found("r"), Some(0));
        assert_eq!(found("gr"), None);
        assert_eq!(found(""), None);
        assert_eq!(found("0"), None);
    }
}
