//! Searching the layers that must stay floats.
use crate::{
    Mode, QuantizeTable, QuantizedNetwork,
    array::Array,
    base::{Result, invalid},
    judge::{Judge, Outputs},
};
use indexmap::IndexMap;

/// The layers of a network by their effect on its outputs, and which of them must stay floats.
///
/// Each layer alone is computed in integers, and the rest in floats. Then layers become floats, those with the largest effect first,
/// until the outputs are good enough; of these, layers that are not needed become integers again. Attentions that the tool chain fuses
/// ([`QuantizedNetwork::fused_attentions`]), layers without integer arithmetic here ([`QuantizedNetwork::unemulated`]), and layers with
/// infinite numbers, for which the tool chain has no scale, become floats in any case.
///
/// ```
/// use tpulang::{Array, Dtype, Graph, calibrate::{QuantizeTable, QuantizedNetwork, Search, Table}};
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [1, 100])?;
/// let fine = g.matmul(x, Array::filled(Dtype::Float32, [100, 4], 0.01)?).out_name("fine").call()?;
/// // The threshold of this layer is far too large.
/// let coarse = g.matmul(fine, Array::filled(Dtype::Float32, [4, 3], 0.01)?).out_name("coarse").call()?;
/// g.set_outputs(&[coarse])?;
/// let table = Table::parse("x 1 -1 1\nfine 1 -1 1\ncoarse 10 -10 10")?;
/// let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default())?;
/// let samples = vec![[("x", Array::filled(Dtype::Float32, [1, 100], 0.3)?)].map(|(n, a)| (n.to_owned(), a)).into_iter().collect()];
/// let search = Search::new(&network, &samples, 0.99, &mut |_| ())?;
/// assert_eq!(search.ranking[0].0, "coarse");
/// assert_eq!(search.table().modes.keys().collect::<Vec<_>>(), ["coarse"]);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub struct Search {
    /// The layers that compute new numbers, those with the largest effect first: the relative L2 error of the outputs if this layer alone
    /// is computed in integers.
    pub ranking: Vec<(String, f64)>,
    /// The layers that must stay floats, with their dtypes: float16, or float32 if their numbers are too large or too small for it.
    /// First the output projections of fused attentions, and the layers that are floats in any case.
    pub floats: Vec<(String, Mode)>,
    /// The layers that only move numbers between layers in floats, which are therefore floats, too.
    pub copies: Vec<(String, Mode)>,
    /// The mean cosine of the outputs over the samples (of several outputs, the worst) if all layers are integers, but for those that
    /// are floats in any case, and if those of `floats` and `copies` are floats.
    ///
    /// If an output has parts that come from different tensors ([`Parts`](crate::exec::Parts)), the worst part counts. The cosine of
    /// two single numbers says only whether they have the same sign. A part with a single number, or with zeros only, therefore counts as
    /// `1 - e^2 / 2`, the cosine of vectors with a relative error of `e`; `e` is relative to the largest number of that part on all
    /// samples. Of integers, such as the results of an ArgMax, the fraction that is equal counts.
    pub cosines: [f64; 2],
    /// The least mean cosine that is wanted.
    pub expect: f64,
}

/// The feeds of a run.
type Sample = IndexMap<String, Array>;

/// Maximum number of samples by which layers are ranked. All samples decide which of them become floats.
const RANKED: usize = 2;
/// Layers that are tried in integers again, at most.
const RETRIED: usize = 32;

impl Search {
    /// Searches the layers of a network on samples. `progress` is called with the part that is done, from 0 to 1.
    ///
    /// # Errors
    /// Same as for [`QuantizedNetwork::run`]. Also returns an error if there is no sample.
    pub fn new(
        network: &QuantizedNetwork,
        samples: &[Sample],
        expect: f64,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Search> {
        if samples.is_empty() {
            return Err(invalid("a search needs samples"));
        }
        let mut effects: Vec<(usize, f64)> = network.choices().into_iter().map(|layer| (layer, 0.0)).collect();
        let compared = Outputs::of(network.graph())?;
        let ranked = samples.len().min(RANKED);
        let mut references = Vec::new();
        let mut steps = Steps::of(effects.len(), [ranked, samples.len()], progress);
        let floats = vec![Mode::F32; network.layers().count()];
        for (i, sample) in samples.iter().enumerate() {
            let exact = network.exact(sample)?;
            let reference = network.run_as(sample, &floats, Some(&exact), None)?;
            for (layer, effect) in effects.iter_mut().filter(|_| i < ranked) {
                let mut modes = floats.clone();
                modes[*layer] = Mode::Int8;
                let outputs = network.run_as(sample, &modes, Some(&exact), None)?;
                *effect += compared.error(&reference, &outputs)? / ranked as f64;
                steps.advance(1);
            }
            references.push(reference);
        }
        effects.sort_by(|a, b| b.1.total_cmp(&a.1));
        let judge = Judge::new(compared, &references)?;
        let mut trial = Trial { network, samples, references: &references, judge, steps };
        let ranking = effects.iter().map(|(layer, effect)| Ok((network.name(*layer)?.to_owned(), *effect)));
        let ranking = ranking.collect::<Result<Vec<_>>>()?;
        let order: Vec<usize> = effects.iter().map(|(layer, _)| *layer).collect();
        let before = trial.cosine(&network.modes_with_fixed_floats())?;
        let (chosen, after) = trial.fewest(&order, expect, before)?;
        let copies = chosen.as_deref().map(|chosen| network.moved_floats(chosen)).transpose()?.unwrap_or_default();
        let chosen =
            chosen.iter().flatten().map(|layer| Ok((network.name(*layer)?.to_owned(), network.float_mode(*layer))));
        let chosen = chosen.collect::<Result<Vec<_>>>()?;
        let floats = network.fixed_floats().into_iter().chain(chosen).collect();
        trial.steps.advance(trial.steps.count);
        Ok(Search { ranking, floats, copies, cosines: [before, after], expect })
    }

    /// The layers of [`Search::floats`] that are floats in any case.
    pub fn fixed(&self) -> impl Iterator<Item = &str> {
        let is_ranked = |name: &str| self.ranking.iter().any(|(other, _)| other == name);
        self.floats.iter().map(|(name, _)| name.as_str()).filter(move |name| !is_ranked(name))
    }

    /// Returns the table of the layers that must stay floats.
    pub fn table(&self) -> QuantizeTable {
        let [before, after] = self.cosines;
        let all = if self.fixed().next().is_none() { "all layers" } else { "all layers that can be" };
        let comments = vec![
            format!("cosine of the outputs: {before:.6} if {all} are INT8, {after:.6} with these"),
            "layer mode".to_owned(),
        ];
        QuantizeTable { comments, modes: self.floats.iter().chain(&self.copies).cloned().collect() }
    }
}

/// Counts the runs of a search, for its progress: those that rank the layers, and then about one trial per binary digit of their number,
/// and the retries.
struct Steps<'a> {
    done: usize,
    count: usize,
    progress: &'a mut dyn FnMut(f64),
}

impl Steps<'_> {
    fn of(layers: usize, [ranked, samples]: [usize; 2], progress: &mut dyn FnMut(f64)) -> Steps<'_> {
        let trials = 2 + layers.max(1).ilog2() as usize + layers.min(RETRIED);
        Steps { done: 0, count: layers * ranked + trials * samples, progress }
    }

    fn advance(&mut self, runs: usize) {
        self.done = self.count.min(self.done + runs);
        (self.progress)(self.done as f64 / self.count as f64);
    }
}

/// A network with its outputs in floats.
struct Trial<'a> {
    network: &'a QuantizedNetwork,
    samples: &'a [Sample],
    references: &'a [Sample],
    judge: Judge,
    steps: Steps<'a>,
}

impl Trial<'_> {
    /// Returns the mean cosine of the outputs; of several outputs, the worst.
    fn cosine(&mut self, modes: &[Mode]) -> Result<f64> {
        self.steps.advance(self.samples.len());
        let mut sum = 0.0;
        for (sample, reference) in self.samples.iter().zip(self.references) {
            let outputs = self.network.run_as(sample, modes, None, None)?;
            sum += self.judge.similarity(reference, &outputs)?;
        }
        Ok(sum / self.samples.len() as f64)
    }

    /// Returns the mean cosine of the outputs with some layers in floats.
    fn cosine_with(&mut self, floats: &[usize]) -> Result<f64> {
        self.cosine(&self.network.modes_with_floats(floats))
    }

    /// Returns the layers that must be floats, and the cosine that is reached. Without any layers, it is `before`.
    fn fewest(&mut self, order: &[usize], expect: f64, before: f64) -> Result<(Option<Vec<usize>>, f64)> {
        if before >= expect {
            return Ok((None, before));
        }
        // The first `few` do not suffice, and the first `many` do, if any number does.
        let (mut few, mut many) = (0, order.len());
        let mut reached = self.cosine_with(order)?;
        while reached >= expect && few + 1 < many {
            let middle = few.midpoint(many);
            let cosine = self.cosine_with(&order[..middle])?;
            if cosine >= expect {
                (many, reached) = (middle, cosine);
            } else {
                few = middle;
            }
        }
        let mut chosen = order[..many].to_vec();
        if reached < expect {
            // Floats can be worse than integers where numbers overflow float16 within a layer.
            return Ok(if reached < before { (None, before) } else { (Some(chosen), reached) });
        }
        // Those with the smallest effect are least likely to be needed.
        for layer in order[..many].iter().rev().take(RETRIED) {
            let others: Vec<usize> = chosen.iter().copied().filter(|other| other != layer).collect();
            let cosine = self.cosine_with(&others)?;
            if cosine >= expect {
                (chosen, reached) = (others, cosine);
            }
        }
        Ok((Some(chosen), reached))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use tpulang::{
        Dtype, Graph,
        ops::{Arg, ArgMode, Deconv, Reduce, ReduceMode},
    };

    #[test]
    fn layers_with_numbers_beyond_float16_become_float32() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2]).unwrap();
        let large = g.matmul(x, Array::from_vec([2, 2], vec![3e5f32, 1e5, 2e5, -2e5]).unwrap());
        let large = large.out_name("large").call().unwrap();
        let y = g.matmul(large, Array::from_vec([2, 2], vec![1e-6f32, 2e-6, 3e-6, -1e-6]).unwrap());
        let y = y.out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        // The threshold of the output is far too large.
        let table = Table::parse("x 1 -1 1\nlarge 300000 -300000 300000\ny 100 -100 100").unwrap();
        let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default()).unwrap();
        let feeds = [("x".to_owned(), Array::from_vec([1, 2], vec![0.5f32, -0.25]).unwrap())];
        let samples = vec![feeds.into_iter().collect()];
        let search = Search::new(&network, &samples, 0.999, &mut |_| ()).unwrap();
        assert_eq!(search.floats, [("y".to_owned(), Mode::F32)]);
        assert!(search.cosines[1] > 0.999, "{}", search.cosines[1]);
    }

    /// The cosine of two single numbers is 1 if they have one sign.
    #[test]
    fn outputs_of_one_number_are_judged_by_their_error() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2]).unwrap();
        let w = Array::from_vec([2, 1], vec![1f32, 2.0]).unwrap();
        let y = g.matmul(x, w).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let sample =
            |x: [f32; 2]| [("x".to_owned(), Array::from_vec([1, 2], x.to_vec()).unwrap())].into_iter().collect();
        let samples = vec![sample([0.5, 0.75]), sample([0.0, 0.0])];
        for (threshold, expected) in [(0.00001, &["y"][..]), (2.0, &[])] {
            let table = Table::parse(&format!("x 1 0 1\ny {threshold} 0 {threshold}")).unwrap();
            let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default()).unwrap();
            let search = Search::new(&network, &samples, 0.999, &mut |_| ()).unwrap();
            let floats: Vec<&str> = search.floats.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(floats, expected, "{:?}", search.cosines);
            assert!(search.cosines[1] >= 0.999);
        }
    }

    /// A Concat has one threshold for all its operands.
    #[test]
    fn parts_of_an_output_are_judged_by_themselves() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4]).unwrap();
        let boxes = g.mul(x, 100.0).out_name("boxes").call().unwrap();
        let scores = g.sigmoid(x).out_name("scores").call().unwrap();
        let y = g.concat(vec![boxes, scores]).axis(1).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let table = Table::parse("x 4 -4 4\nboxes 400 -400 400\nscores 1 0 1\ny 400 -400 400").unwrap();
        let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default()).unwrap();
        let feeds = [("x".to_owned(), Array::from_vec([1, 4], vec![4f32, -2.0, 1.0, -0.5]).unwrap())];
        let search = Search::new(&network, &[feeds.into_iter().collect()], 0.99, &mut |_| ()).unwrap();
        // All scores are less than half a step.
        assert_eq!(search.cosines[0], 0.0);
    }

    /// The cosine of indices says nothing about them.
    #[test]
    fn integers_are_judged_by_how_many_are_equal() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [4, 3]).unwrap();
        let y = g.mul(x, 2.0).out_name("y").call().unwrap();
        let best =
            g.op(Arg::new(y, 1, false, ArgMode::ArgMax)).out_dtypes([Dtype::Int32, Dtype::Float32]).call().unwrap()[0];
        g.set_outputs(&[best]).unwrap();
        // With this threshold, the second and the third number of the last row are equal, and the last one is found.
        let table = Table::parse("x 127 -127 127\ny 254 -254 254").unwrap();
        let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default()).unwrap();
        let numbers = vec![3f32, 1.0, 2.0, 1.0, 9.0, 2.0, 5.0, 6.0, 9.0, 1.0, 7.3, 7.0];
        let feeds = [("x".to_owned(), Array::from_vec([4, 3], numbers).unwrap())];
        let search = Search::new(&network, &[feeds.into_iter().collect()], 0.5, &mut |_| ()).unwrap();
        assert_eq!(search.cosines[0], 0.75);
    }

    /// The tool chain computes such a sum in F16 by default, where it is infinite.
    #[test]
    fn sums_beyond_float16_become_float32() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4, 64]).unwrap();
        let sum = g.op(Reduce::new(x, vec![2], false, ReduceMode::ReduceSum)).out_name("sum").call().unwrap()[0];
        let y = g.matmul(sum, Array::filled(Dtype::Float32, [4, 3], 1e-5).unwrap()).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let table = Table::parse("x 5000 0 5000\nsum 200000 0 200000\ny 8 0 8").unwrap();
        let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default()).unwrap();
        let samples =
            vec![[("x".to_owned(), Array::filled(Dtype::Float32, [1, 4, 64], 2500.0).unwrap())].into_iter().collect()];
        let search = Search::new(&network, &samples, 0.99, &mut |_| ()).unwrap();
        assert_eq!(search.floats, [("sum".to_owned(), Mode::F32)]);
        // Without the table, infinities become the smallest integer.
        let results = network.run(&samples[0], &mut |_, _| Ok(())).unwrap();
        assert_eq!(results["y"].to_f32().unwrap(), [0.0; 3]);
    }

    #[test]
    fn transposed_convolutions_of_volumes_are_floats() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 1, 2, 2, 2]).unwrap();
        let w = g.coefficient("w", Array::filled(Dtype::Float32, [1, 1, 2, 2, 2], 0.5).unwrap()).unwrap();
        let op = Deconv::new(x, w, vec![2; 3], vec![0; 6], vec![1; 3]);
        let y = g.op(op).out_name("y").call().unwrap()[0];
        g.set_outputs(&[y]).unwrap();
        let table = Table::parse("x 1 -1 1\ny 4 -4 4").unwrap();
        let network = QuantizedNetwork::new(&g, &table, &QuantizeTable::default()).unwrap();
        assert_eq!(network.unemulated(), ["y"]);
        let feeds = [("x", Array::filled(Dtype::Float32, [1, 1, 2, 2, 2], 0.25).unwrap())];
        let results = network.run(&feeds, &mut |_, _| Ok(())).unwrap();
        assert_eq!(results["y"].to_f32().unwrap()[13], 1.0, "the sum of eight eighths");
    }

    /// As integers, they would round what the layers in floats compute.
    #[test]
    fn layers_between_floats_become_floats() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2]).unwrap();
        let w = Array::from_vec([2, 4], vec![1f32, 0.001, -0.002, 2.0, 3.0, 0.003, 0.001, -1.0]).unwrap();
        let mixed = g.matmul(x, w).out_name("mixed").call().unwrap();
        // The small columns are lost with the scale of the large ones.
        let small = g.slice(mixed, [1], [3]).axes([1]).out_name("small").call().unwrap();
        let flat = g.reshape(small, [2]).out_name("flat").call().unwrap();
        let rows = g.unsqueeze(flat).axes([0]).out_name("rows").call().unwrap();
        let y = g.matmul(rows, Array::filled(Dtype::Float32, [2, 1], 100.0).unwrap()).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let table = "x 1 -1 1\nmixed 4 -4 4\nsmall 4 -4 4\nflat 4 -4 4\nrows 4 -4 4\ny 0.5 -0.5 0.5";
        let network = QuantizedNetwork::new(&g, &Table::parse(table).unwrap(), &QuantizeTable::default()).unwrap();
        let feeds = [("x".to_owned(), Array::from_vec([1, 2], vec![0.5f32, 0.75]).unwrap())];
        let samples = vec![feeds.into_iter().collect()];
        let search = Search::new(&network, &samples, 0.99, &mut |_| ()).unwrap();
        assert!(search.floats.iter().any(|(name, _)| name == "mixed"));
        assert_eq!(search.copies, ["small", "rows"].map(|name| (name.to_owned(), Mode::F16)));
        assert!(search.cosines[1] > 0.99, "{:?}", search.cosines);
        let network = QuantizedNetwork::new(&g, &Table::parse(table).unwrap(), &search.table()).unwrap();
        let results = network.run(&samples[0], &mut |_, _| Ok(())).unwrap();
        let exact = 100.0 * (0.5f32 * 0.001 + 0.75 * 0.003 - 0.5 * 0.002 + 0.75 * 0.001);
        assert!((results["y"].to_f32().unwrap()[0] - exact).abs() < 0.01 * exact);
    }

    /// The mask is -inf, as PyTorch's are, and is moved before it is added.
    #[test]
    fn layers_with_infinite_numbers_become_floats() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 4]).unwrap();
        let keep = g.input("keep", Dtype::Float32, [2, 2]).unwrap();
        let low = g.coefficient("low", Array::filled(Dtype::Float32, [2, 2], f64::NEG_INFINITY).unwrap()).unwrap();
        let mask = g.cond_select(keep, 0.0, low).out_name("mask").call().unwrap();
        let row = g.reshape(mask, [1, 4]).out_name("row").call().unwrap();
        let scores =
            g.matmul(x, Array::filled(Dtype::Float32, [4, 4], 0.5).unwrap()).out_name("scores").call().unwrap();
        let masked = g.add(scores, row).out_name("masked").call().unwrap();
        let weights = g.softmax(masked, 1).out_name("weights").call().unwrap();
        let y = g.matmul(weights, Array::filled(Dtype::Float32, [4, 2], 1.0).unwrap()).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let table = "x 1 -1 1\nkeep 1 0 1\nmask 1 0 0\nrow 1 0 0\nscores 2 -2 2\nmasked 2 -2 2\nweights 1 0 1\ny 1 0 1";
        let network = QuantizedNetwork::new(&g, &Table::parse(table).unwrap(), &QuantizeTable::default()).unwrap();
        let array = |shape: &[usize], numbers: [f32; 4]| Array::from_vec(shape, numbers.to_vec()).unwrap();
        let feeds = [("x", array(&[1, 4], [0.5, -0.25, 1.0, 0.0])), ("keep", array(&[2, 2], [1.0, 1.0, 0.0, 1.0]))];
        let samples = vec![feeds.into_iter().map(|(name, array)| (name.to_owned(), array)).collect()];
        let search = Search::new(&network, &samples, 0.9, &mut |_| ()).unwrap();
        let names: Vec<&str> = search.floats.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["mask", "row", "masked", "weights"]);
        assert!(search.floats.iter().all(|(_, mode)| *mode == Mode::F16));
    }

    /// On the chip, a mask of large numbers makes zeros of all others.
    #[test]
    fn layers_without_integers_here_become_floats() {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [1, 2]).unwrap();
        let mask = g.input("mask", Dtype::Float32, [1, 2]).unwrap();
        let scores = g.matmul(x, Array::from_vec([2, 2], vec![3f32, 1.0, 2.0, -2.0]).unwrap());
        let scores = scores.out_name("scores").call().unwrap();
        let masked = g.cond_select(mask, -1e9, scores).out_name("masked").call().unwrap();
        let y = g.softmax(masked, 1).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        let table = "x 1 -1 1\nmask 1 0 1\nscores 3 -3 3\nmasked 1000000000 -1000000000 3\ny 1 0 1";
        let network = QuantizedNetwork::new(&g, &Table::parse(table).unwrap(), &QuantizeTable::default()).unwrap();
        assert_eq!(network.unemulated(), ["masked"]);
        // The tool chain has a table for a softmax over the second of two axes.
        assert!(network.layers().any(|layer| layer == ("y", Mode::Int8)));
        let feeds = [("x", [0.5f32, -0.25]), ("mask", [0.0, 1.0])];
        let feeds = feeds.map(|(name, numbers)| (name.to_owned(), Array::from_vec([1, 2], numbers.to_vec()).unwrap()));
        let samples = vec![feeds.into_iter().collect()];
        let search = Search::new(&network, &samples, 0.9, &mut |_| ()).unwrap();
        assert_eq!(search.floats, [("masked".to_owned(), Mode::F32)]);
        let network = QuantizedNetwork::new(&g, &Table::parse(table).unwrap(), &search.table()).unwrap();
        assert!(network.unemulated().is_empty());
    }
}
