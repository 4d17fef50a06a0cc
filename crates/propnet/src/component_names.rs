//! Names of components in the notation of the rules.

use super::network::{ComponentId, ComponentKind, Network};
use ludorum_reasoner::MoveId;

impl Network {
    /// The name of a proposition or transition in the notation of the rules; `None` for gates.
    /// Anonymous propositions are named after the number of their atom.
    pub fn name(&self, node: ComponentId) -> Option<String> {
        let label = self.label(node) as usize;
        Some(match self.kind(node) {
            ComponentKind::True => "true".to_owned(),
            ComponentKind::False => "false".to_owned(),
            ComponentKind::Base => format!("(true {})", self.game.fluents[label]),
            ComponentKind::Transition => format!("(next {})", self.game.fluents[label]),
            ComponentKind::Input => format!("(does {})", self.move_name(label)),
            ComponentKind::Legal => format!("(legal {})", self.move_name(label)),
            ComponentKind::Goal => {
                let goal = &self.goals[label];
                format!("(goal {} {})", self.game.roles[goal.role], goal.text)
            }
            ComponentKind::Terminal => "terminal".to_owned(),
            ComponentKind::Init => "init".to_owned(),
            ComponentKind::Other => format!("atom {label}"),
            ComponentKind::And | ComponentKind::Or | ComponentKind::Not => return None,
        })
    }

    fn move_name(&self, action: usize) -> String {
        for (role, name) in self.game.roles.iter().enumerate() {
            let moves = self.game.moves_of(role);
            if moves.contains(&action) {
                let id = MoveId((action - moves.start) as u32);
                return format!("{name} {}", self.game.move_text(role, id));
            }
        }
        String::new()
    }

    /// The component with a name; spacing does not matter.
    pub fn find(&self, name: &str) -> Option<ComponentId> {
        let wanted = spaced(name);
        self.components()
            .find(|node| self.name(*node).is_some_and(|name| spaced(&name) == wanted))
    }
}

/// The text with normalised spacing.
fn spaced(text: &str) -> String {
    let text = text.replace('(', " ( ").replace(')', " ) ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
