//! The runner: executes code with the interpreter or as native code, whichever is faster.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::code::{Code, Loop};
use super::interpreter;
use super::lane_word::LaneWord;
use super::native::{Instructions, Native};
use super::plan::CodePart;

/// Code up to this length is compiled on the calling thread. Longer code is compiled on a thread of
/// its own, while the interpreter runs.
const MAX_SYNCHRONOUS_LENGTH: usize = 10_000;
/// Native code up to this length is used without timing it: it fits into the caches.
const MAX_UNTIMED_LENGTH: usize = 100_000;
/// Code above this length is left to the interpreter: as native code it would be three times as
/// long, and all of it is fetched in every step.
const MAX_NATIVE_LENGTH: usize = 2_500_000;
/// How many times each backend is timed before one is chosen.
const TIMED_RUNS: u32 = 8;

/// The backend that runs code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The fastest.
    Best,
    /// The interpreter.
    Interpreter,
    /// Native code with 256-bit vectors, where the processor has them.
    Avx2,
    /// Native code with 512-bit vectors, where the processor has them.
    Avx512,
}

impl Backend {
    /// The instruction set of native code; `None` for the interpreter.
    fn instructions(self) -> Option<Instructions> {
        match self {
            Self::Best => Instructions::best(),
            Self::Interpreter => None,
            Self::Avx2 => Some(Instructions::Avx2),
            Self::Avx512 => Some(Instructions::Avx512),
        }
    }

    /// Whether this processor supports the backend; the interpreter replaces one that is not
    /// available.
    pub fn is_available(self) -> bool {
        self.instructions().is_none_or(Instructions::is_supported)
    }
}

/// Code with the backend that runs it.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) code: Arc<Code>,
    /// Native code, once it is compiled; `None` inside if there will not be any.
    native: Arc<OnceLock<Option<Native>>>,
    /// A timing for each section, if the code is so long that either backend may be faster.
    timings: Vec<BackendTiming>,
}

/// Run times of both backends for a section.
#[derive(Clone, Copy, Debug, Default)]
struct BackendTiming {
    runs: u32,
    interpreted: Duration,
    native: Duration,
    /// The result, once both have been timed.
    native_is_faster: Option<bool>,
}

impl Runner {
    pub(super) fn new(code: Arc<Code>, backend: Backend) -> Self {
        let native = Arc::new(OnceLock::new());
        let length = code.length();
        match backend.instructions() {
            None => drop(native.set(None)),
            Some(_) if length > MAX_NATIVE_LENGTH => drop(native.set(None)),
            Some(best) if length <= MAX_SYNCHRONOUS_LENGTH || backend != Backend::Best => {
                drop(native.set(Native::new(&code, best)));
            }
            Some(best) => {
                let (code, cell) = (Arc::clone(&code), Arc::clone(&native));
                let name = "lanes compiler".to_owned();
                let thread = std::thread::Builder::new().name(name);
                let compile = move || {
                    // A panic must not leave other threads waiting.
                    let made = catch_unwind(AssertUnwindSafe(|| Native::new(&code, best)));
                    drop(cell.set(made.unwrap_or(None)));
                };
                // If no thread can be started, the interpreter keeps running.
                if thread.spawn(compile).is_err() {
                    drop(native.set(None));
                }
            }
        }
        let timings = if backend == Backend::Best && length > MAX_UNTIMED_LENGTH {
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

    /// The size of the native code in bytes, if there is some.
    pub(super) fn native_bytes(&self) -> Option<usize> {
        self.native.get()?.as_ref().map(Native::bytes)
    }

    /// Waits until the compiler has finished.
    pub(super) fn wait(&self) {
        self.native.wait();
    }

    /// Runs a part: its sections in order, loops until nothing changes.
    #[inline]
    pub(super) fn run(&mut self, part: &CodePart, memory: &mut [LaneWord]) {
        let mut sections = Sections {
            code: &self.code,
            native: self.native.get().and_then(Option::as_ref),
            timings: &mut self.timings,
        };
        for number in part.sections.clone() {
            match &sections.code.sections[number].repeats {
                None => sections.run(number, memory),
                Some(repeats) => sections.repeat(number, repeats, memory),
            }
        }
    }
}

/// The sections of code with what runs them.
struct Sections<'r> {
    code: &'r Code,
    native: Option<&'r Native>,
    timings: &'r mut [BackendTiming],
}

impl Sections<'_> {
    /// Runs a section once.
    #[inline]
    fn run(&mut self, section: usize, memory: &mut [LaneWord]) {
        match self.native {
            Some(native) => match self.timings.get_mut(section) {
                None => native.run(section, memory),
                Some(timing) => timing.run(self.code, native, section, memory),
            },
            None => interpreter::run(self.code, section, memory),
        }
    }

    /// Runs a loop until nothing changes.
    fn repeat(&mut self, section: usize, repeats: &Loop, memory: &mut [LaneWord]) {
        let mut lanes = LaneWord::ALL;
        if let Some(restarted) = repeats.restarted {
            if memory[repeats.changed as usize].is_empty() {
                return;
            }
            lanes = memory[restarted as usize];
        }
        if !lanes.is_empty() {
            for slot in &repeats.carried {
                memory[*slot as usize] = memory[*slot as usize].without(lanes);
            }
        }
        // Every iteration but the last sets at least one lane of a word, which bounds their number.
        let mut rounds = LaneWord::LANES * repeats.carried.len() + 2;
        loop {
            self.run(section, memory);
            rounds -= 1;
            if memory[repeats.changed as usize].is_empty() || rounds == 0 {
                break;
            }
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
        if self.runs == 2 * TIMED_RUNS {
            self.native_is_faster = Some(self.native < self.interpreted);
        }
    }
}
