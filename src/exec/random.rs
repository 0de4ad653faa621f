//! Random inputs that a network can be run on, the same on every machine.
use crate::{
    array::Array,
    base::{Dtype, Result},
    graph::{Graph, Operator, Tensor, TensorInfo},
    ops::Op,
};
use indexmap::IndexMap;
use std::collections::HashMap;

/// Returns random values for every input of a graph; a seed gives the same values on every machine.
///
/// | input | values |
/// | --- | --- |
/// | floats | in [-1, 1), in steps of 2^-23 |
/// | 8- and 16-bit integers | over their range |
/// | other integers | from -128 to 127, or 0 to 255 if unsigned |
/// | indices of `Gather` and its relatives, of any dtype | from 0 up to, but not including, the size of the axis |
/// | conditions of `Where`, `MaskedFill`, `If` and `Loop` | 0 or 1 |
/// | the number of iterations of a `Loop` | 0 to 3 |
/// | integers from which such a value is computed | 0 |
///
/// Input `NAME` has element `i` from the bits `mix(seed ^ hash(NAME) + (i + 1) * 0x9e3779b97f4a7c15)`, where `mix` is
/// SplitMix64's and `hash` FNV-1a of 64 bits. A float is its upper 24 bits as a fraction of 2^24, times 2, less 1. One of
/// `n` integers is the upper 32 bits times `n`, divided by 2^32, plus the least.
///
/// ```
/// use tpulang::{Dtype, Graph, exec::random_feeds};
/// let mut g = Graph::new("net")?;
/// let table = g.coefficient("table", tpulang::Array::filled(Dtype::Float32, [5, 2], 1.0)?)?;
/// let ids = g.input("ids", Dtype::Int32, [8])?;
/// let x = g.input("x", Dtype::Float16, [4])?;
/// g.index_select(table, ids).axis(0).call()?;
/// let feeds = random_feeds(&g, 7)?;
/// assert!(feeds["x"].to_f32()?.iter().all(|v| (-1.0..1.0).contains(v)));
/// assert!(feeds["ids"].to_f32()?.iter().all(|v| (0.0..5.0).contains(v)));
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if memory runs out.
pub fn random_feeds(graph: &Graph, seed: u64) -> Result<IndexMap<String, Array>> {
    let uses = Uses::of(graph);
    let inputs = graph.inputs().iter().filter_map(|t| Some((t, graph.tensor(*t).ok()?)));
    inputs.map(|(t, info)| Ok((info.name.clone(), drawn(info, uses.of_tensor(*t), seed)?))).collect()
}

fn drawn(input: &TensorInfo, used: Option<Use>, seed: u64) -> Result<Array> {
    let count: usize = input.shape.iter().product();
    let state = seed ^ hash(&input.name);
    let bits = (1..=count as u64).map(|i| mix(state.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
    let dtype = if input.dtype.is_float() { Dtype::Float32 } else { input.dtype };
    let fraction = |bits: u64| (bits >> 40) as f64 / f64::from(1 << 24);
    let integer = |(least, most): (i64, i64)| {
        let n = (most - least + 1) as u64;
        move |bits: u64| (least + (((bits >> 32) * n) >> 32) as i64) as f64
    };
    let shape = input.shape.as_slice();
    match (used, input.dtype) {
        (Some(Use::Below(n)), _) => Array::from_f64s(dtype, shape, bits.map(integer((0, n.max(1) as i64 - 1)))),
        (_, of) if of.is_float() => Array::from_f64s(dtype, shape, bits.map(|bits| 2.0 * fraction(bits) - 1.0)),
        (Some(Use::Computed), _) => Array::filled(dtype, shape, 0.0),
        (None, of) => Array::from_f64s(dtype, shape, bits.map(integer(range(of)))),
    }
}

fn range(dtype: Dtype) -> (i64, i64) {
    let (low, high) = dtype.int_range().unwrap_or((0, 1));
    if dtype.size() <= 2 { (low, high) } else { (low.max(-128), if low < 0 { 127 } else { 255 }) }
}

/// SplitMix64's output function. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
fn mix(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// FNV-1a.
fn hash(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// What restricts the values of a tensor.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Use {
    /// It must be in `0..n`: an index, or for 2 a condition.
    Below(usize),
    /// An index or a condition is computed from it.
    Computed,
}

/// What restricts the values of the tensors of a graph.
struct Uses(HashMap<Tensor, Use>);

impl Uses {
    fn of(graph: &Graph) -> Uses {
        let mut operators: Vec<&Operator> = Vec::new();
        graph.body().walk(&mut |operator| operators.push(operator));
        let mut uses = Uses(HashMap::new());
        // From the last to the first, so that the uses of a result are known before its operands'.
        for operator in operators.into_iter().rev() {
            uses.of_operands(graph, operator);
            uses.of_origins(operator);
        }
        uses
    }
    fn of_tensor(&self, tensor: Tensor) -> Option<Use> {
        let Uses(found) = self;
        found.get(&tensor).copied()
    }
    fn add(&mut self, tensor: Tensor, new: Use) {
        let Uses(all) = self;
        let both = match (all.get(&tensor), new) {
            (Some(Use::Below(a)), Use::Below(b)) => Use::Below(b.min(*a)),
            (Some(Use::Below(a)), Use::Computed) => Use::Below(*a),
            _ => new,
        };
        all.insert(tensor, both);
    }
    /// Adds the uses of an operator's operands by itself.
    fn of_operands(&mut self, graph: &Graph, operator: &Operator) {
        let dims = |t: Tensor| graph.tensor(t).map_or(&[][..], |info| info.shape.as_slice());
        let along = |t: Tensor, axis: i64| {
            let dims = dims(t);
            let axis = if axis < 0 { axis + dims.len() as i64 } else { axis };
            Use::Below(usize::try_from(axis).ok().and_then(|axis| dims.get(axis)).copied().unwrap_or(1))
        };
        // The indices are tuples, for axes from `first` on.
        let tuples = |t: Tensor, indices: Tensor, first: i64| {
            let axes = dims(indices).last().copied().unwrap_or(1);
            let dims = dims(t).iter().skip(usize::try_from(first).unwrap_or(0)).take(axes);
            Use::Below(dims.copied().min().unwrap_or(1))
        };
        const CONDITION: Use = Use::Below(2);
        match &operator.op {
            Op::Gather(op) => self.add(op.indices, along(op.input, op.axis)),
            Op::A16Gather(op) => self.add(op.indices, along(op.weight, op.axis)),
            Op::GatherElements(op) => self.add(op.indices, along(op.input, op.axis)),
            Op::ScatterElements(op) => self.add(op.indices, along(op.input, op.axis)),
            Op::GatherND(op) => self.add(op.indices, tuples(op.input, op.indices, op.batch_dims)),
            Op::ScatterND(op) => self.add(op.indices, tuples(op.input_data, op.indices, 0)),
            Op::IndexPut(op) => self.add(op.indices, along(op.input, 0)),
            Op::EmbDenseBwd(op) => self.add(op.indices, Use::Below(usize::try_from(op.num_weights).unwrap_or(1))),
            Op::MaxPoolingIndicesBwd(op) => {
                let plane = op.input_shape.iter().rev().take(2).product::<i64>();
                self.add(op.indices, Use::Below(usize::try_from(plane).unwrap_or(1)));
            }
            Op::Where(op) => self.add(op.cond, CONDITION),
            Op::MaskedFill(op) => self.add(op.cond, CONDITION),
            Op::If(op) => self.add(op.cond, CONDITION),
            Op::Loop(op) => {
                op.cond.iter().for_each(|t| self.add(*t, CONDITION));
                op.M.iter().for_each(|t| self.add(*t, Use::Below(4)));
            }
            _ => {}
        }
    }
    /// Adds the uses of an operator's results to the tensors that they come from.
    fn of_origins(&mut self, operator: &Operator) {
        if let Op::Loop(op) = &operator.op {
            // The first two arguments are the number of the iteration and the condition.
            let carried = operator.blocks.iter().flat_map(|block| block.arguments().iter().skip(2));
            for (first, argument) in op.v_initial.iter().zip(carried) {
                self.of_tensor(*argument).into_iter().for_each(|used| self.add(*first, used));
            }
        }
        let used = operator.outputs().filter_map(|t| self.of_tensor(t));
        let Some(used) = used.reduce(|a, b| if let Use::Below(_) = a { a } else { b }) else { return };
        let used = if moves(&operator.op) { used } else { Use::Computed };
        operator.op.operands().map(|(_, t)| *t).collect::<Vec<_>>().into_iter().for_each(|t| self.add(t, used));
    }
}

/// Whether the values of an op's results are values of its operands.
pub fn moves<V>(op: &Op<V>) -> bool {
    matches!(
        op,
        Op::Cast(_)
            | Op::Concat(_)
            | Op::Copy(_)
            | Op::DtypeCast(_)
            | Op::Expand(_)
            | Op::Flatten(_)
            | Op::Permute(_)
            | Op::Repeat(_)
            | Op::Reshape(_)
            | Op::Reverse(_)
            | Op::Slice(_)
            | Op::SliceAxis(_)
            | Op::Split(_)
            | Op::Squeeze(_)
            | Op::StridedSlice(_)
            | Op::Tile(_)
            | Op::Transpose(_)
            | Op::Unsqueeze(_)
            | Op::View(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuBackend, RunOptions, Session};

    /// The values were computed with NumPy from the description.
    #[test]
    fn values_are_those_of_the_description() {
        let mut g = Graph::new("g").unwrap();
        g.input("x", Dtype::Float32, [3]).unwrap();
        g.input("i", Dtype::Int8, [4]).unwrap();
        g.input("n", Dtype::Int32, [4]).unwrap();
        let feeds = random_feeds(&g, 42).unwrap();
        assert_eq!(feeds["x"].to_f64().unwrap(), X);
        assert_eq!(feeds["i"].to_f64().unwrap(), I);
        assert_eq!(feeds["n"].to_f64().unwrap(), N);
        assert_ne!(random_feeds(&g, 43).unwrap()["x"], feeds["x"]);
    }
    const X: [f64; 3] = [-0.10411953926086426, -0.36282551288604736, -0.2295546531677246];
    const I: [f64; 4] = [-10.0, -123.0, 112.0, 58.0];
    const N: [f64; 4] = [-52.0, 86.0, -115.0, 24.0];

    /// Indices and conditions are in range, also behind reshapes, casts and loops.
    #[test]
    fn networks_with_indices_run() {
        let mut g = Graph::new("g").unwrap();
        let table = g.coefficient("table", Array::filled(Dtype::Float32, [3, 2], 1.0).unwrap()).unwrap();
        let other = g.coefficient("other", Array::filled(Dtype::Float32, [2, 2], 1.0).unwrap()).unwrap();
        let ids = g.input("ids", Dtype::Int32, [4, 8]).unwrap();
        let flat = g.reshape(ids, [32]).call().unwrap();
        let a = g.index_select(table, flat).axis(0).call().unwrap();
        let shifted = g.input("shifted", Dtype::Int32, [8]).unwrap();
        let sum = g.add(shifted, 1).call().unwrap();
        let b = g.index_select(other, sum).axis(0).call().unwrap();
        let floats = g.input("floats", Dtype::Float32, [8]).unwrap();
        let c = g.index_select(other, floats).axis(0).call().unwrap();
        let mask = g.input("mask", Dtype::Float32, [8, 2]).unwrap();
        let d = g.cond_select(mask, c, 0.5).call().unwrap();
        g.set_outputs(&[a, b, d]).unwrap();
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        for seed in 0..20 {
            let feeds = random_feeds(&g, seed).unwrap();
            session.run(&feeds).unwrap();
            let of = |name: &str| feeds[name].to_f64().unwrap();
            assert!(of("mask").iter().all(|v| *v == 0.0 || *v == 1.0));
            assert_eq!(of("shifted"), [0.0; 8]);
            assert!((0..3).all(|i| of("ids").contains(&f64::from(i))), "{seed}");
        }
    }
}
