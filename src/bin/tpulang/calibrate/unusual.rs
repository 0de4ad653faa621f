//! Samples that are probably damaged: unlike most others, an array is zero throughout, or has NaN or infinite elements.
use indexmap::IndexMap;
use tpulang::{Array, Result, base::WarningKind};

/// What is wrong with an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Damage {
    Zeros,
    NotFinite,
}

impl Damage {
    fn of(array: &Array) -> Result<Option<Damage>> {
        if !array.dtype().is_float() {
            return Ok(None);
        }
        if array.non_finite().is_some_and(|found| found.any()) {
            return Ok(Some(Damage::NotFinite));
        }
        let is_zero = array.shape().iter().product::<usize>() > 1 && array.bytes()?.iter().all(|byte| *byte == 0);
        Ok(is_zero.then_some(Damage::Zeros))
    }
    fn text(self) -> &'static str {
        match self {
            Damage::Zeros => "only zeros",
            Damage::NotFinite => "NaN or infinite elements",
        }
    }
}

/// Counts damaged arrays by input.
#[derive(Default)]
pub struct Unusual {
    /// The first sample of each kind, and how many there are.
    found: IndexMap<(String, Damage), (String, usize)>,
    samples: usize,
}

impl Unusual {
    /// Examines the arrays of a sample, and returns whether all are finite.
    pub fn add(&mut self, sample: &str, feeds: &IndexMap<String, Array>) -> Result<bool> {
        self.samples += 1;
        let mut is_finite = true;
        for (input, array) in feeds {
            let Some(damage) = Damage::of(array)? else { continue };
            is_finite &= damage != Damage::NotFinite;
            self.found.entry((input.clone(), damage)).or_insert((sample.to_owned(), 0)).1 += 1;
        }
        Ok(is_finite)
    }

    /// Whether most samples have elements that are not finite, as those with an attention mask.
    pub fn are_mostly_not_finite(&self) -> bool {
        self.found.iter().any(|((_, damage), (_, count))| *damage == Damage::NotFinite && !self.are_few(*count))
    }

    /// Returns a warning for each input of which few samples are damaged.
    pub fn warnings(&self) -> impl Iterator<Item = WarningKind> {
        self.found.iter().filter(|(_, (_, count))| self.are_few(*count)).map(|((input, damage), (sample, count))| {
            let (input, sample, what) = (input.clone(), sample.clone(), damage.text().to_owned());
            WarningKind::UnusualSample { sample, count: *count, input, what }
        })
    }

    fn are_few(&self, count: usize) -> bool {
        2 * count < self.samples
    }
}
