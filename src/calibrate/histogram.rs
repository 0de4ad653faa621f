//! Histograms that grow with the numbers they count, and merge exactly.
//!
//! A bin's width `w` is a power of two that depends on the largest absolute value alone, which lies in the upper half of [`BINS`] bins.
//! If a larger one comes, bins are summed by twos. Since `floor(floor(x / w) / 2)` is `floor(x / 2w)`, the counts are then those of
//! the wider bins, so neither the order of numbers nor that of merges matters.
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use serde::{Deserialize, Serialize};

/// More numbers than a file can have, so that thousands of files can be merged.
const MAX_COUNT: u64 = 1 << 48;
/// Numbers that one thread counts at a time.
const CHUNK: usize = 1 << 15;
/// Numbers whose count fits in 32 bits.
const PART: usize = 1 << 31;

/// Maximum number of bins for the positive numbers, and for the negative ones.
pub(crate) const BINS: usize = 8192;

/// The exponent of the smallest positive number.
const SMALLEST_EXPONENT: i32 = -149;

/// How often numbers of each size occur.
///
/// ```
/// use tpulang::calibrate::Histogram;
/// let mut first = Histogram::default();
/// first.add(&[0.0, 1.0, -2.0]);
/// let mut second = Histogram::default();
/// second.add(&[100.0]);
/// first.merge(&second);
/// let mut both = Histogram::default();
/// both.add(&[100.0, -2.0, 1.0, 0.0]);
/// assert_eq!(first, both);
/// assert_eq!((both.count(), both.min(), both.max(), both.largest()), (4, -2.0, 100.0, 100.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// The width of bins is 2 to this power.
    exponent: i32,
    /// The smallest and the largest number; infinite if there is none.
    #[serde(with = "bits")]
    min: f32,
    #[serde(with = "bits")]
    max: f32,
    zeros: u64,
    /// How many numbers are in each bin, from 0 on, without the empty bins at the end. Zeros are not among them.
    positive: Vec<u64>,
    negative: Vec<u64>,
    /// Infinities and NaN, which are in no bin.
    not_finite: u64,
}

/// Numbers as their bits, since JSON has no infinity.
mod bits {
    use serde::{Deserialize, Deserializer, Serializer};
    pub fn serialize<S: Serializer>(number: &f32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(number.to_bits())
    }
    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<f32, D::Error> {
        u32::deserialize(from).map(f32::from_bits)
    }
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            exponent: SMALLEST_EXPONENT,
            min: f32::INFINITY,
            max: f32::NEG_INFINITY,
            zeros: 0,
            positive: Vec::new(),
            negative: Vec::new(),
            not_finite: 0,
        }
    }
}

/// What is known of some numbers before they are counted.
#[derive(Clone, Copy)]
struct Range {
    min: f32,
    max: f32,
    zeros: u64,
    not_finite: u64,
}

impl Default for Range {
    fn default() -> Range {
        Range { min: f32::INFINITY, max: f32::NEG_INFINITY, zeros: 0, not_finite: 0 }
    }
}

/// Ranges of every sixteenth number, side by side.
struct Lanes {
    min: [f32; LANES],
    max: [f32; LANES],
    zeros: [u32; LANES],
    not_finite: [u32; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, block: &[f32; LANES]) {
        // Two loops, without which the compiler keeps the extrema in memory.
        let (mut low, mut high) = ([0.0; LANES], [0.0; LANES]);
        for i in 0..LANES {
            let (x, is_finite) = (block[i], block[i].is_finite());
            low[i] = if is_finite { x } else { f32::INFINITY };
            high[i] = if is_finite { x } else { f32::NEG_INFINITY };
            self.zeros[i] += u32::from(x == 0.0);
            self.not_finite[i] += u32::from(!is_finite);
        }
        for i in 0..LANES {
            self.min[i] = if low[i] < self.min[i] { low[i] } else { self.min[i] };
            self.max[i] = if high[i] > self.max[i] { high[i] } else { self.max[i] };
        }
    }
}

/// Computes the range of some numbers with the machine's vector instructions.
struct RangeOf<'n>(&'n [f32]);

impl SimdOp for RangeOf<'_> {
    type Output = Range;
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> Range {
        let (zeros, not_finite) = ([0; LANES], [0; LANES]);
        let mut lanes = Lanes { min: [f32::INFINITY; LANES], max: [f32::NEG_INFINITY; LANES], zeros, not_finite };
        let (blocks, rest) = self.0.as_chunks::<LANES>();
        for block in blocks {
            lanes.add(block);
        }
        let mut last = [f32::NAN; LANES];
        last[..rest.len()].copy_from_slice(rest);
        lanes.add(&last);
        let sum = |lanes: [u32; LANES]| lanes.into_iter().map(u64::from).sum::<u64>();
        Range {
            // -0.0 equals 0.0, but has other bits.
            min: lanes.min.into_iter().fold(f32::INFINITY, f32::min) + 0.0,
            max: lanes.max.into_iter().fold(f32::NEG_INFINITY, f32::max) + 0.0,
            zeros: sum(lanes.zeros),
            not_finite: sum(lanes.not_finite) - (LANES - rest.len()) as u64,
        }
    }
}

impl Range {
    fn and(self, other: Range) -> Range {
        Range {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            zeros: self.zeros + other.zeros,
            not_finite: self.not_finite + other.not_finite,
        }
    }
}

/// Number of ranges that are computed side by side.
const LANES: usize = 16;
/// Places of numbers that are not counted, so that neighbors have different ones.
const UNCOUNTED: usize = 16;
/// The places of bins: those of positive numbers, and those of negative ones.
const PLACES: usize = 2 * BINS + UNCOUNTED;

/// Rounds a number from 0 to 2^22 down to an integer. Unlike a cast, the compiler vectorizes this for every processor.
#[inline(always)]
pub(crate) fn floor(number: f32) -> i32 {
    // Floats of this size are integers, so the sum is rounded to one.
    const INTEGERS: f32 = (1 << 23) as f32;
    let nearest = (number + INTEGERS).to_bits() as i32 & ((1 << 23) - 1);
    nearest - i32::from(nearest as f32 > number)
}

/// Counts of bins. Every other number is counted in the second list, since adding to a count has to wait until the addition before is
/// done.
struct Counts([Vec<u32>; 2]);

impl Default for Counts {
    fn default() -> Counts {
        Counts([vec![0; PLACES], vec![0; PLACES]])
    }
}

impl Counts {
    #[inline(always)]
    fn count(&mut self, places: &[u32]) {
        let Counts([even, odd]) = self;
        let (pairs, last) = places.as_chunks::<2>();
        for [a, b] in pairs {
            even[*a as usize] += 1;
            odd[*b as usize] += 1;
        }
        last.iter().for_each(|place| even[*place as usize] += 1);
    }
}

/// Returns the place of the `i`-th number, which is in this bin. The bins of zeros, and of numbers that are not finite, are ignored.
#[inline(always)]
fn place(number: f32, bin: i32, i: usize) -> u32 {
    let (size, sign) = (number.abs().to_bits() as i32, number.to_bits() >> 31);
    let place = bin as u32 % BINS as u32 + sign * BINS as u32;
    let uncounted = (2 * BINS) as u32 + i as u32 % UNCOUNTED as u32;
    if (size > 0) & (size < f32::INFINITY.to_bits() as i32) { place } else { uncounted }
}

/// Numbers whose places are computed at a time.
const BLOCK: usize = 256;

/// Counts numbers by their bin, except zeros and those that are not finite. Places are computed with the machine's vector instructions.
struct CountsOf<'n> {
    numbers: &'n [f32],
    per_width: f64,
}

impl SimdOp for CountsOf<'_> {
    type Output = Counts;
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> Counts {
        let (mut counts, mut places) = (Counts::default(), [0; BLOCK]);
        // A power of two, which makes products exact, unless it is too large for float32.
        let factor = self.per_width as f32;
        for block in self.numbers.chunks(BLOCK) {
            let places = &mut places[..block.len()];
            let each = places.iter_mut().zip(block).enumerate();
            if factor.is_finite() {
                each.for_each(|(i, (to, number))| *to = place(*number, floor(number.abs() * factor), i));
            } else {
                let bin = |number: f32| (f64::from(number.abs()) * self.per_width) as i32;
                each.for_each(|(i, (to, number))| *to = place(*number, bin(*number), i));
            }
            counts.count(places);
        }
        counts
    }
}

/// A bin: its numbers are near `center`, and there are `count` of them.
#[derive(Clone, Copy)]
pub(crate) struct Bin {
    pub center: f64,
    pub count: u64,
}

impl Histogram {
    /// Counts numbers. Infinite numbers and NaN are counted apart. Threads of the current pool share the work.
    pub fn add(&mut self, numbers: &[f32]) {
        let ranges: Vec<Range> = numbers.par_chunks(CHUNK).map(|chunk| RangeOf(chunk).dispatch()).collect();
        let range = ranges.into_iter().fold(Range::default(), Range::and);
        (self.min, self.max) = (self.min.min(range.min), self.max.max(range.max));
        self.zeros += range.zeros;
        self.not_finite += range.not_finite;
        self.widen(exponent_for(self.largest()));
        let per_width = 2f64.powi(-self.exponent);
        self.positive.resize(BINS, 0);
        self.negative.resize(BINS, 0);
        for part in numbers.chunks(PART) {
            // One list per thread, since making it and adding it up takes as long as counting a chunk.
            let share = part.len().div_ceil(rayon::current_num_threads()).max(CHUNK);
            let counted = |numbers| CountsOf { numbers, per_width }.dispatch();
            let of_each: Vec<Counts> = part.par_chunks(share).map(counted).collect();
            for Counts(both) in &of_each {
                let bins = self.positive.iter_mut().chain(&mut self.negative);
                bins.zip(&both[0]).zip(&both[1]).for_each(|((to, a), b)| *to += u64::from(*a) + u64::from(*b));
            }
        }
        self.trim();
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        let mut other = other.clone();
        let exponent = self.exponent.max(other.exponent);
        self.widen(exponent);
        other.widen(exponent);
        for (to, from) in [(&mut self.positive, other.positive), (&mut self.negative, other.negative)] {
            to.resize(to.len().max(from.len()), 0);
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
        self.zeros += other.zeros;
        self.not_finite += other.not_finite;
    }

    /// The number of finite numbers.
    pub fn count(&self) -> u64 {
        self.zeros + self.positive.iter().chain(&self.negative).sum::<u64>()
    }
    /// The number of infinite numbers and NaN.
    pub fn not_finite(&self) -> u64 {
        self.not_finite
    }
    /// Whether there are negative numbers.
    pub(crate) fn is_signed(&self) -> bool {
        self.min < 0.0
    }
    /// The smallest finite number, 0 if there is none.
    pub fn min(&self) -> f32 {
        if self.min.is_finite() { self.min } else { 0.0 }
    }
    /// The largest finite number, 0 if there is none.
    pub fn max(&self) -> f32 {
        if self.max.is_finite() { self.max } else { 0.0 }
    }
    /// The largest absolute value.
    pub fn largest(&self) -> f32 {
        self.max().max(-self.min())
    }
    /// The width of a bin.
    pub(crate) fn width(&self) -> f64 {
        2f64.powi(self.exponent)
    }
    /// The counts of numbers that are not zero, by their size.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        let mut counts = vec![0; self.positive.len().max(self.negative.len())];
        for side in [&self.positive, &self.negative] {
            counts.iter_mut().zip(side).for_each(|(to, from)| *to += from);
        }
        counts
    }
    /// The counts of negative and of positive numbers, by their size.
    pub(crate) fn sides(&self) -> (&[u64], &[u64]) {
        (&self.negative, &self.positive)
    }
    /// The bins that are not empty, in ascending order. Zeros have one of their own.
    pub(crate) fn bins(&self) -> impl Iterator<Item = Bin> {
        let width = self.width();
        let center = move |i: usize| (i as f64 + 0.5) * width;
        let negative = self.negative.iter().enumerate().rev().map(move |(i, n)| Bin { center: -center(i), count: *n });
        let positive = self.positive.iter().enumerate().map(move |(i, n)| Bin { center: center(i), count: *n });
        negative.chain([Bin { center: 0.0, count: self.zeros }]).chain(positive).filter(|bin| bin.count > 0)
    }

    /// Whether a histogram that was read from a file is consistent.
    pub(crate) fn is_valid(&self) -> bool {
        let is_bound = |x: f32, none: f32| x.is_finite() || x == none;
        let all = [&self.positive, &self.negative];
        let total = all.into_iter().flatten().chain([&self.zeros]).try_fold(0u64, |sum, n| sum.checked_add(*n));
        all.iter().all(|side| side.len() <= BINS && side.last() != Some(&0))
            && is_bound(self.min, f32::INFINITY)
            && is_bound(self.max, f32::NEG_INFINITY)
            && self.exponent == exponent_for(self.largest())
            && total.is_some_and(|n| n < MAX_COUNT && (n == 0) == (self.min > self.max))
            && self.not_finite < MAX_COUNT
    }

    /// Adds bins by twos until their width has this exponent.
    fn widen(&mut self, exponent: i32) {
        let steps = exponent.saturating_sub(self.exponent);
        if steps <= 0 {
            return;
        }
        self.exponent = exponent;
        for side in [&mut self.positive, &mut self.negative] {
            // All of the bins become one at most.
            let together = 1usize << steps.min(BINS.ilog2() as i32 + 1);
            *side = side.chunks(together).map(|bins| bins.iter().sum()).collect();
        }
    }

    fn trim(&mut self) {
        for side in [&mut self.positive, &mut self.negative] {
            let used = side.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1);
            side.truncate(used);
        }
    }
}

/// Returns the exponent of the bin width for this largest absolute value.
fn exponent_for(largest: f32) -> i32 {
    let mut exponent = SMALLEST_EXPONENT;
    let bound = |exponent: i32| 2f64.powi(exponent) * BINS as f64;
    while f64::from(largest) >= bound(exponent) {
        exponent += 1;
    }
    exponent
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(numbers: &[f32]) -> Histogram {
        let mut histogram = Histogram::default();
        histogram.add(numbers);
        histogram
    }

    fn any_number() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => -10f32..10.0,
            2 => any::<f32>(),
            1 => prop::sample::select(vec![0.0, -0.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 1e-45]),
        ]
    }

    proptest! {
        #[test]
        fn merged_histograms_are_those_of_all_numbers(
            parts in prop::collection::vec(prop::collection::vec(any_number(), 0..50), 1..6), seed: u64,
        ) {
            let all: Vec<f32> = parts.concat();
            let mut order: Vec<usize> = (0..parts.len()).collect();
            order.sort_by_key(|i| seed.rotate_left(9 * *i as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let (mut merged, mut grown) = (Histogram::default(), Histogram::default());
            for i in order {
                merged.merge(&of(&parts[i]));
                grown.add(&parts[i]);
            }
            prop_assert_eq!(&merged, &of(&all));
            prop_assert_eq!(&grown, &merged);
            prop_assert!(merged.is_valid());
            prop_assert_eq!(merged.count() + merged.not_finite(), all.len() as u64);
            let read: Histogram = serde_json::from_str(&serde_json::to_string(&merged).unwrap()).unwrap();
            prop_assert_eq!(read, merged);
        }

        #[test]
        fn bins_are_near_their_numbers(numbers in prop::collection::vec(-5f32..7.0, 1..200)) {
            let histogram = of(&numbers);
            let mut sorted = numbers;
            sorted.sort_by(f32::total_cmp);
            let centers = histogram.bins().flat_map(|bin| std::iter::repeat_n(bin.center, bin.count as usize));
            for (number, center) in sorted.iter().zip(centers) {
                prop_assert!((f64::from(*number) - center).abs() <= histogram.width());
            }
            prop_assert!(histogram.width() <= 7.0 / (BINS as f64 / 4.0));
        }
    }
}
