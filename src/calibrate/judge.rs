//! How similar the outputs of a network in integers are to those in floats.
use crate::{array::Array, base::Result, exec::Parts, graph::Graph, numbers};
use indexmap::IndexMap;
use std::{borrow::Cow, collections::HashMap};

/// Arrays by name.
type Arrays = IndexMap<String, Array>;

/// The outputs of a network, of which each part is compared by itself.
pub struct Outputs(HashMap<String, Parts>);

/// Judges outputs by those in floats on all samples.
pub struct Judge {
    outputs: Outputs,
    /// The largest absolute value of each part of an output.
    largest: HashMap<String, Vec<f64>>,
}

/// The sums over the numbers of a part, in floats and in integers, that its similarity follows from.
#[derive(Default)]
struct Sums {
    count: usize,
    equal: usize,
    squares: f64,
    other_squares: f64,
    products: f64,
    squared_errors: f64,
}

impl Outputs {
    pub fn of(graph: &Graph) -> Result<Outputs> {
        Ok(Outputs(Parts::of_outputs(graph)?))
    }

    /// Returns the largest error of a part: the relative L2 error, or the fraction of integers that differ.
    pub fn error(&self, reference: &Arrays, outputs: &Arrays) -> Result<f64> {
        let mut worst = 0f64;
        for (name, expected) in reference {
            for (i, sums) in self.sums(name, expected, &outputs[name])?.iter().enumerate() {
                let is_integer = self.is_integer(name, expected, i);
                worst = worst.max(if is_integer { 1.0 - sums.fraction_equal() } else { sums.relative_error() });
            }
        }
        Ok(worst)
    }

    /// Whether a part of an output has integers, such as indices, which are equal or wrong.
    fn is_integer(&self, name: &str, array: &Array, part: usize) -> bool {
        let source = self.0.get(name).and_then(|parts| parts.sources().get(part));
        !array.dtype().is_float() || source.is_some_and(|source| source.is_integer)
    }

    fn sums(&self, name: &str, expected: &Array, found: &Array) -> Result<Vec<Sums>> {
        let parts = self.split(name, expected)?.into_iter().zip(self.split(name, found)?);
        Ok(parts.map(|(expected, found)| Sums::of(&expected, &found)).collect())
    }

    fn split<'a>(&self, name: &str, array: &'a Array) -> Result<Vec<Cow<'a, [f32]>>> {
        let all = numbers(array)?;
        Ok(match self.0.get(name) {
            Some(parts) => parts.split(&all).into_iter().map(Cow::Owned).collect(),
            None => vec![all],
        })
    }
}

impl Judge {
    /// `references` are the outputs of all samples in floats.
    pub fn new(outputs: Outputs, references: &[Arrays]) -> Result<Judge> {
        let mut all: HashMap<String, Vec<f64>> = HashMap::new();
        for (name, array) in references.iter().flatten() {
            let parts = outputs.split(name, array)?;
            let largest = all.entry(name.clone()).or_insert_with(|| vec![0.0; parts.len()]);
            for (most, part) in largest.iter_mut().zip(&parts) {
                *most = part.iter().fold(*most, |most, x| most.max(f64::from(x.abs())));
            }
        }
        Ok(Judge { outputs, largest: all })
    }

    /// Returns the similarity of the part that is least similar ([`Search::cosines`](crate::Search::cosines)).
    pub fn similarity(&self, reference: &Arrays, outputs: &Arrays) -> Result<f64> {
        let mut worst = 1f64;
        for (name, expected) in reference {
            let sums = self.outputs.sums(name, expected, &outputs[name])?;
            for (i, (sums, most)) in sums.iter().zip(&self.largest[name]).enumerate() {
                let is_integer = self.outputs.is_integer(name, expected, i);
                worst = worst.min(if is_integer { sums.fraction_equal() } else { sums.similarity(*most) });
            }
        }
        Ok(worst)
    }
}

impl Sums {
    fn of(expected: &[f32], found: &[f32]) -> Sums {
        let mut sums = Sums::default();
        for (a, b) in expected.iter().zip(found) {
            sums.count += 1;
            let is_equal = a == b || a.is_nan() && b.is_nan();
            sums.equal += usize::from(is_equal);
            if is_equal && !a.is_finite() {
                continue;
            }
            let (a, b) = (f64::from(*a), f64::from(*b));
            sums.squares += a * a;
            sums.other_squares += b * b;
            sums.products += a * b;
            sums.squared_errors += (a - b) * (a - b);
        }
        sums
    }

    fn fraction_equal(&self) -> f64 {
        self.equal as f64 / self.count.max(1) as f64
    }

    fn relative_error(&self) -> f64 {
        let error = if self.squared_errors == 0.0 { 0.0 } else { (self.squared_errors / self.squares).sqrt() };
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// Returns the cosine, or what stands for it. `most` is the largest absolute value on all samples.
    fn similarity(&self, most: f64) -> f64 {
        let similarity = if self.count > 1 && self.squares > 0.0 {
            self.products / (self.squares * self.other_squares).sqrt()
        } else {
            let error = (self.squared_errors / self.count.max(1) as f64).sqrt();
            if error == 0.0 { 1.0 } else { (1.0 - (error / most).powi(2) / 2.0).max(0.0) }
        };
        if similarity.is_nan() { 0.0 } else { similarity }
    }
}
