//! Which vector instructions there are, and functions compiled for each of them.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use rten_simd::{SimdOp, isa};
use std::{env, sync::OnceLock};

/// The environment's variable for tests of other machines' instructions: `avx512`, `avx2`, `neon`, or `plain`.
const CHOICE: &str = "TPULANG_INSTRUCTIONS";

/// A set of vector instructions that this machine has: the value is the proof.
#[derive(Clone, Copy)]
pub(in crate::cpu) enum InstructionSet {
    #[cfg(target_arch = "x86_64")]
    Avx512(isa::Avx512Isa),
    /// With FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(isa::Avx2Isa),
    #[cfg(target_arch = "aarch64")]
    Neon(isa::ArmNeonIsa),
    /// What every machine of the architecture has.
    Plain,
}

impl InstructionSet {
    /// All that this machine has, the widest first.
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
    /// The widest of this machine, or that which [`CHOICE`] names: one that the machine has not is passed over.
    pub fn best() -> InstructionSet {
        static BEST: OnceLock<InstructionSet> = OnceLock::new();
        *BEST.get_or_init(|| {
            let (all, chosen) = (InstructionSet::all(), env::var(CHOICE).unwrap_or_default());
            all.iter().find(|isa| isa.name() == chosen).copied().unwrap_or(all[0])
        })
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
    /// Numbers of a vector.
    pub fn lanes(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => 16,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(_) => 8,
            _ => 4,
        }
    }
    /// Runs `op` as compiled for these instructions. What it calls must be `#[inline(always)]`, or is compiled without them.
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

/// The features that `Avx512Isa::new` looks for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,f16c")]
fn with_avx512<O: SimdOp>(isa: isa::Avx512Isa, op: O) -> O::Output {
    op.eval(isa)
}

/// The features that `Avx2Isa::new` looks for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn with_avx2<O: SimdOp>(isa: isa::Avx2Isa, op: O) -> O::Output {
    op.eval(isa)
}
