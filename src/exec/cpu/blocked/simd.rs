//! Detects vector instruction sets, and runs functions compiled for each of them.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use rten_simd::{SimdOp, isa};
use std::{env, sync::OnceLock};

/// Environment variable that overrides the instruction set for tests: `avx512`, `avx2`, `neon`, or `plain`.
const CHOICE: &str = "TPULANG_INSTRUCTIONS";

/// A vector instruction set that this machine supports: the value is the proof.
#[derive(Clone, Copy)]
pub(in crate::cpu) enum InstructionSet {
    #[cfg(target_arch = "x86_64")]
    Avx512(isa::Avx512Isa),
    /// AVX2 with FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(isa::Avx2Isa),
    #[cfg(target_arch = "aarch64")]
    Neon(isa::ArmNeonIsa),
    /// The baseline of the architecture.
    Plain,
}

impl InstructionSet {
    /// Returns all that this machine supports, the widest first.
    pub fn all() -> Vec<InstructionSet> {
        [
            #[cfg(target_arch = "x86_64")]
            isa::Avx512Isa::new().map(InstructionSet::Avx512),
            #[cfg(target_arch = "x86_64")]
            isa::Avx2Isa::new().map(InstructionSet::Avx2),
            #[cfg(target_arch = "aarch64")]
            isa::ArmNeonIsa::new().map(InstructionSet::Neon),
            Some(InstructionSet::Plain),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
    /// Returns the widest one of this machine, or the one that [`CHOICE`] names if the machine supports it.
    pub fn best() -> InstructionSet {
        static BEST: OnceLock<InstructionSet> = OnceLock::new();
        *BEST.get_or_init(|| {
            let (all, chosen) = (InstructionSet::all(), env::var(CHOICE).unwrap_or_default());
            all.iter().find(|isa| isa.name() == chosen).copied().unwrap_or(all[0])
        })
    }
    /// Whether [`CHOICE`] is set: then no instructions are used that it has no name for, such as AMX.
    #[cfg(target_arch = "x86_64")]
    pub fn is_chosen() -> bool {
        static IS_CHOSEN: OnceLock<bool> = OnceLock::new();
        *IS_CHOSEN.get_or_init(|| env::var_os(CHOICE).is_some_and(|choice| !choice.is_empty()))
    }
    fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(_) => "avx2",
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon(_) => "neon",
            InstructionSet::Plain => "plain",
        }
    }
    /// Returns the instructions with vectors of 8 floats if these have vectors of 16.
    pub fn of_8_lanes(self) -> InstructionSet {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => isa::Avx2Isa::new().map_or(self, InstructionSet::Avx2),
            narrower => narrower,
        }
    }
    /// Number of floats per vector.
    pub fn lanes(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => 16,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(_) => 8,
            _ => 4,
        }
    }
    /// Runs `op` compiled for these instructions. Functions that it calls must be `#[inline(always)]`, or they are
    /// compiled without the instructions.
    pub fn run<O: SimdOp>(self, op: O) -> O::Output {
        match self {
            // SAFETY: an `Avx512Isa` exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(isa) => unsafe { with_avx512(isa, op) },
            // SAFETY: an `Avx2Isa` exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(isa) => unsafe { with_avx2(isa, op) },
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon(isa) => op.eval(isa),
            InstructionSet::Plain => op.eval(isa::GenericIsa::new()),
        }
    }
}

/// The features that `Avx512Isa::new` checks.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,f16c")]
fn with_avx512<O: SimdOp>(isa: isa::Avx512Isa, op: O) -> O::Output {
    op.eval(isa)
}

/// The features that `Avx2Isa::new` checks.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn with_avx2<O: SimdOp>(isa: isa::Avx2Isa, op: O) -> O::Output {
    op.eval(isa)
}
