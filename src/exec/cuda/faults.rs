//! Impossible indices, which a device finds while it computes and tells when it is asked.
use super::{
    device::Address,
    driver::Gpu,
    memory::{Block, Pool},
};
use crate::{base::Result, exec::meaning::Indexed};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of the device for the first of them: `Faults` of `index.cuh`, whose fields are the words.
pub(super) struct Faults {
    block: Block,
    /// Whoever asks does so alone.
    asked: Mutex<()>,
}

const NONE: [u64; 5] = [0; 5];

impl Faults {
    pub fn new(device: &Gpu, pool: &Arc<Pool>) -> Result<Faults> {
        let block = pool.block(size_of_val(&NONE) as u64)?;
        device.write(block.address, bytemuck::bytes_of(&NONE))?;
        Ok(Faults { block, asked: Mutex::default() })
    }
    pub fn address(&self) -> Address {
        self.block.address
    }
    /// What was found since the last time, and forgets it. The device must have done all that it was told.
    ///
    /// # Errors
    /// An index was impossible.
    pub fn check(&self, device: &Gpu) -> Result<()> {
        let _alone = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = NONE;
        device.read(self.address(), bytemuck::bytes_of_mut(&mut words))?;
        let [found, of, count, index, real] = words;
        if found == 0 {
            return Ok(());
        }
        device.write(self.address(), bytemuck::bytes_of(&NONE))?;
        let (of, count) = (Indexed::numbered(of as i64), count as usize);
        Err(match of {
            Indexed::Images | Indexed::Levels => of.impossible(f64::from_bits(real) as f32, count),
            _ => of.impossible(index as i64, count),
        })
    }
}

/// As `index.cuh` has them.
impl Indexed {
    /// Axes by their own numbers, the others by negative ones.
    const OTHERS: [Indexed; 4] = [Indexed::Places, Indexed::Plane, Indexed::Images, Indexed::Levels];

    /// The number that stands for it on a device.
    pub fn number(self) -> i64 {
        match self {
            Indexed::Axis(axis) => axis as i64,
            other => -1 - Indexed::OTHERS.iter().position(|o| *o == other).unwrap_or(0) as i64,
        }
    }
    /// What such a number stands for.
    pub fn numbered(number: i64) -> Indexed {
        let other = |back: i64| Indexed::OTHERS[(back - 1).min(3) as usize];
        usize::try_from(number).map_or_else(|_| other(number.saturating_neg()), Indexed::Axis)
    }
}
