//! What components are called.

use super::network::{Kind, Network, NodeId};
use ludorum_reasoner::contract::MoveId;

impl Network {
    /// What a proposition or transition stands for, in the words of the sheet; nothing for gates.
    /// Propositions without a meaning of their own are known by the number of their atom.
    pub fn name(&self, node: NodeId) -> Option<String> {
        let label = self.label(node) as usize;
        Some(match self.kind(node) {
            Kind::True => "true".to_owned(),
            Kind::False => "false".to_owned(),
            Kind::Base => format!("(true {})", self.game.fluents[label]),
            Kind::Transition => format!("(next {})", self.game.fluents[label]),
            Kind::Input => format!("(does {})", self.move_name(label)),
            Kind::Legal => format!("(legal {})", self.move_name(label)),
            Kind::Goal => {
                let goal = &self.goals[label];
                format!("(goal {} {})", self.game.roles[goal.role], goal.text)
            }
            Kind::Terminal => "terminal".to_owned(),
            Kind::Init => "init".to_owned(),
            Kind::Other => format!("atom {label}"),
            Kind::And | Kind::Or | Kind::Not => return None,
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

    /// The component with a name. Spacing does not matter.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let wanted = spaced(name);
        self.nodes()
            .find(|node| self.name(*node).is_some_and(|name| spaced(&name) == wanted))
    }
}

/// A text with the same spacing however it was written.
fn spaced(text: &str) -> String {
    let text = text.replace('(', " ( ").replace(')', " ) ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
