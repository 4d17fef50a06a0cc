/*!
Experiments: measurements that compare Ludorum's engines with publications and other systems.

[`EXPERIMENTS`] lists them. Each is a module with a function `run` that takes the arguments after
its name, prints its result on standard output and its progress on standard error. They run with

```text
cargo run --release -p ludorum-experiments -- NAME ARGUMENTS
```

Measurements that the program itself offers are in `ludorum-lab`: conformance, perft, speed, golden
playthroughs. This crate only reads sheets and tables and calls the engines, so no other crate
depends on it.
*/

mod activity;
mod benchmarks;
mod caches;
mod chain;
mod instructions;
mod lanes;
mod matches;
mod networks;
mod orand;
mod papers;
mod peers;
mod published;
mod ready;
mod survey;

use std::process::ExitCode;

/// An experiment that can be run by its name.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// The word that selects it.
    pub name: &'static str,
    /// What it measures, in one line.
    pub summary: &'static str,
    run: fn(&[String]) -> ExitCode,
}

/// All experiments, sorted by name.
pub const EXPERIMENTS: [Experiment; 11] = [
    Experiment {
        name: "activity",
        summary: "the share of a network that does not change in a step of all lanes",
        run: activity::run,
    },
    Experiment {
        name: "benchmarks",
        summary: "all engines on the games of the papers: writes docs/measurements/benchmarks.md",
        run: benchmarks::run,
    },
    Experiment {
        name: "caches",
        summary: "the gain of an answer cache (Sironi and Winands 2016, table 3)",
        run: caches::run,
    },
    Experiment {
        name: "chain",
        summary: "forward chaining and its memory (Schofield and Saffidine 2013, tables 1 and 2)",
        run: chain::run,
    },
    Experiment {
        name: "instructions",
        summary: "one workload, repeated for a program that counts instructions",
        run: instructions::run,
    },
    Experiment {
        name: "lanes",
        summary: "the size, speed and time profile of compiled lanes",
        run: lanes::run,
    },
    Experiment {
        name: "networks",
        summary: "build time and size of ground programs and networks beside other systems",
        run: networks::run,
    },
    Experiment {
        name: "orand",
        summary: "the OR-AND engine beside Prolog systems (Świechowski 2015, table 6.3)",
        run: orand::run,
    },
    Experiment {
        name: "peers",
        summary: "the speed of an engine beside that of another system",
        run: peers::run,
    },
    Experiment {
        name: "ready",
        summary: "time and memory from a rule sheet to the first playouts on lanes",
        run: ready::run,
    },
    Experiment {
        name: "survey",
        summary: "random matches of every sheet of a folder with the engine auto",
        run: survey::run,
    },
];

/// Runs the experiment named by the first word with the remaining words as arguments. If the name
/// is missing or unknown, it lists the experiments and returns exit code 2.
pub fn run(words: &[String]) -> ExitCode {
    let named = words.split_first().and_then(|(name, rest)| {
        let found = EXPERIMENTS
            .iter()
            .find(|experiment| experiment.name == name);
        Some((found?, rest))
    });
    if let Some((experiment, rest)) = named {
        (experiment.run)(rest)
    } else {
        eprint!("usage: ludorum-experiments NAME ARGUMENTS\n\n{}", list());
        ExitCode::from(2)
    }
}

fn list() -> String {
    let line =
        |experiment: &Experiment| format!("  {:<13} {}\n", experiment.name, experiment.summary);
    EXPERIMENTS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_are_sorted_by_name_and_have_different_names() {
        assert!(EXPERIMENTS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn the_list_names_every_experiment() {
        let list = list();
        for experiment in &EXPERIMENTS {
            assert!(list.contains(experiment.name), "{list}");
        }
    }
}
