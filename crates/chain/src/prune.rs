//! Removes rows that lead to no result from reference tables, so that evaluation fails as early as
//! possible.

use super::table_rule::{FAIL, LevelAccess, RuleLevel};

/// Removes dead rows, last level first. Returns false if no row is left.
pub(super) fn prune(levels: &mut [RuleLevel]) -> bool {
    // Whether a reference number of the next level still has rows.
    let mut alive: Option<Vec<bool>> = None;
    for level in levels.iter_mut().rev() {
        let stride = level.stride as usize;
        let leads_on = |row: &[u32]| match &alive {
            Some(alive) => row.last().is_some_and(|next| alive[*next as usize]),
            None => true,
        };
        let rows = &mut level.rows;
        let here = match &mut level.access {
            LevelAccess::Scan { size, table, .. } => {
                let references = table.chunks_exact_mut((*size).max(1) as usize);
                let here = references.map(|entries| {
                    let mut any = false;
                    for entry in entries {
                        if *entry != FAIL {
                            let start = *entry as usize;
                            if leads_on(&rows[start..start + stride]) {
                                any = true;
                            } else {
                                *entry = FAIL;
                            }
                        }
                    }
                    any
                });
                here.collect::<Vec<bool>>()
            }
            LevelAccess::Walk { starts } => {
                let mut kept: Vec<u32> = Vec::with_capacity(rows.len());
                let mut here = Vec::with_capacity(starts.len());
                let mut from = 0;
                for start in &mut starts[1..] {
                    let before = kept.len();
                    let to = *start as usize;
                    for row in rows[from..to].chunks_exact(stride) {
                        if leads_on(row) {
                            kept.extend_from_slice(row);
                        }
                    }
                    from = to;
                    *start = kept.len() as u32;
                    here.push(kept.len() > before);
                }
                *rows = kept.into();
                here
            }
        };
        if !here.contains(&true) {
            return false;
        }
        alive = Some(here);
    }
    true
}
