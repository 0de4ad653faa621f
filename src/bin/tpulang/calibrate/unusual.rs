//! Samples that are probably damaged: all arrays are zero throughout, or one has NaN.
use indexmap::IndexMap;
use tpulang::{Array, Result, base::WarningKind};

/// What is wrong with a sample: `only zeros`.
type Problem = String;

/// Counts damaged samples.
#[derive(Default)]
pub struct Unusual {
    /// The first sample with each problem, and how many there are.
    found: IndexMap<Problem, (String, usize)>,
}

impl Unusual {
    /// Examines the samples of a run, and returns whether none has NaN. An array whose first axis has an entry for each of `together`
    /// samples is divided among them.
    pub fn add(&mut self, samples: &[&str], together: usize, feeds: &IndexMap<String, Array>) -> Result<bool> {
        let mut floats = Vec::new();
        for (input, array) in feeds.iter().filter(|(_, array)| array.dtype().is_float()) {
            floats.push((input, array.shape().first() == Some(&together), array.to_f32()?));
        }
        let mut is_number = true;
        for (i, sample) in samples.iter().enumerate() {
            let entries = floats.iter().map(|(input, is_divided, numbers)| {
                let size = if *is_divided { numbers.len() / together } else { numbers.len() };
                (*input, if *is_divided { &numbers[i * size..][..size] } else { &numbers[..] })
            });
            let mut is_zero = !floats.is_empty();
            for (input, numbers) in entries {
                is_zero &= numbers.len() > 1 && numbers.iter().all(|x| *x == 0.0);
                if numbers.iter().any(|x| x.is_nan()) {
                    is_number = false;
                    self.count(format!("NaN for {input:?}"), sample);
                }
            }
            if is_zero {
                self.count("only zeros".to_owned(), sample);
            }
        }
        Ok(is_number)
    }

    fn count(&mut self, problem: Problem, sample: &str) {
        self.found.entry(problem).or_insert((sample.to_owned(), 0)).1 += 1;
    }

    /// Returns a warning for each problem.
    pub fn warnings(&self) -> impl Iterator<Item = WarningKind> {
        self.found.iter().map(|(problem, (sample, count))| WarningKind::UnusualSample {
            sample: sample.clone(),
            count: *count,
            problem: problem.clone(),
        })
    }
}
