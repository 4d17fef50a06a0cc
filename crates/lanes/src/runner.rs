//! What runs code: the interpreter, or native code where there is some.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::code::Code;
use super::interpreter;
use super::lane_word::LaneWord;
use super::native::{Instructions, Native};
use super::plan::CodePart;

/// Code of this length is compiled at once; longer code on a thread of its own, while the
/// interpreter plays.
const AT_ONCE: usize = 10_000;
/// Native code of this length is taken without a trial: it fits into the caches.
const SURE: usize = 100_000;
/// Longer code is left to the interpreter: native, it is three times as much to fetch in every
/// step.
const LONGEST: usize = 2_500_000;
/// How often the interpreter and native code are timed against each other.
const TRIALS: u32 = 8;

/// What code is to be run by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Whatever is fastest.
    Best,
    /// The interpreter.
    Interpreter,
    /// Native code with vectors of 256 bits, where the processor has them.
    Avx2,
    /// Native code with vectors of 512 bits, where the processor has them.
    Avx512,
}

impl Backend {
    /// The instructions of native code, if there is to be some.
    fn instructions(self) -> Option<Instructions> {
        match self {
            Self::Best => Instructions::best(),
            Self::Interpreter => None,
            Self::Avx2 => Some(Instructions::Avx2),
            Self::Avx512 => Some(Instructions::Avx512),
        }
    }

    /// Whether this processor has it; in place of one that is not there, the interpreter runs.
    pub fn is_available(self) -> bool {
        self.instructions().is_none_or(Instructions::are_there)
    }
}

/// Code with whatever runs it fastest.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) code: Arc<Code>,
    /// Native code, once it is there; none if there will not be any.
    native: Arc<OnceLock<Option<Native>>>,
    /// A trial for each section, if there has to be one.
    timings: Vec<BackendTiming>,
}

/// Which is faster is not known yet.
#[derive(Clone, Copy, Debug, Default)]
struct BackendTiming {
    runs: u32,
    interpreted: Duration,
    native: Duration,
    /// What came out: whether native code is used.
    native_is_faster: Option<bool>,
}

impl Runner {
    pub(super) fn new(code: Arc<Code>, backend: Backend) -> Self {
        let native = Arc::new(OnceLock::new());
        let length = code.length();
        match backend.instructions() {
            None => drop(native.set(None)),
            Some(_) if length > LONGEST => drop(native.set(None)),
            Some(best) if length <= AT_ONCE || backend != Backend::Best => {
                drop(native.set(Native::new(&code, best)));
            }
            Some(best) => {
                let (code, cell) = (Arc::clone(&code), Arc::clone(&native));
                let name = "lanes compiler".to_owned();
                let thread = std::thread::Builder::new().name(name);
                let compile = move || {
                    // Whoever waits must not wait for ever, whatever happens here.
                    let made = catch_unwind(AssertUnwindSafe(|| Native::new(&code, best)));
                    drop(cell.set(made.unwrap_or(None)));
                };
                // Without a thread the interpreter goes on.
                if thread.spawn(compile).is_err() {
                    drop(native.set(None));
                }
            }
        }
        let timings = if backend == Backend::Best && length > SURE {
            vec![BackendTiming::default(); code.sections.len()]
        } else {
            Vec::new()
        };
        Self {
            code,
            native,
            timings,
        }
    }

    /// The length of the native code, if there is some.
    pub(super) fn native_bytes(&self) -> Option<usize> {
        self.native.get()?.as_ref().map(Native::bytes)
    }

    /// Waits until it is known whether there is native code.
    pub(super) fn wait(&self) {
        self.native.wait();
    }

    /// Runs a part: its sections in order, loops until nothing changes.
    #[inline]
    pub(super) fn run(&mut self, part: &CodePart, changed: u32, memory: &mut [LaneWord]) {
        let code = Arc::clone(&self.code);
        for number in part.sections.clone() {
            let section = &code.sections[number];
            if !section.repeats {
                self.once(number, memory);
                continue;
            }
            for slot in &section.cleared {
                memory[*slot as usize] = LaneWord::NONE;
            }
            // Every round but the last adds a lane to a gate.
            let mut rounds = LaneWord::LANES * section.cleared.len() + 2;
            loop {
                self.once(number, memory);
                rounds -= 1;
                if memory[changed as usize].is_empty() || rounds == 0 {
                    break;
                }
            }
        }
    }

    #[inline]
    fn once(&mut self, section: usize, memory: &mut [LaneWord]) {
        match self.native.get() {
            Some(Some(native)) => match self.timings.get_mut(section) {
                None => native.run(section, memory),
                Some(timing) => timing.run(&self.code, native, section, memory),
            },
            _ => interpreter::run(&self.code, section, memory),
        }
    }
}

impl BackendTiming {
    #[cold]
    fn run(&mut self, code: &Code, native: &Native, section: usize, memory: &mut [LaneWord]) {
        let use_native = self.native_is_faster.unwrap_or(self.runs.is_multiple_of(2));
        let start = Instant::now();
        if use_native {
            native.run(section, memory);
        } else {
            interpreter::run(code, section, memory);
        }
        if self.native_is_faster.is_some() {
            return;
        }
        if use_native {
            self.native += start.elapsed();
        } else {
            self.interpreted += start.elapsed();
        }
        self.runs += 1;
        if self.runs == 2 * TRIALS {
            self.native_is_faster = Some(self.native < self.interpreted);
        }
    }
}
