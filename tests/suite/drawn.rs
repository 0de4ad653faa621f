//! Random graphs of any op of the table, with unlikely operands and attributes.
use tpulang::{
    Array, Dtype, Graph, Quantization, Tensor,
    base::Cause,
    exec,
    ops::{Arity, Attribute, AttributeKind, OPS, Op, OpDef},
};

/// A source of random choices, from a seed or from a fuzzer's bytes. Choices depend on earlier ones, which is cumbersome
/// with proptest strategies.
pub struct Draw<'a> {
    /// Returns a number below `n`, which is not 0; small numbers are more likely.
    pub source: &'a mut dyn FnMut(usize) -> usize,
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        (self.source)(n.max(1))
    }
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
    fn dtype(&mut self) -> Dtype {
        let all: Vec<Dtype> = Dtype::all().collect();
        if self.one_in(3) { Dtype::Float32 } else { self.of(&all) }
    }
    fn dim(&mut self) -> i64 {
        let odd = [0, -1, 1 << 20, 1 << 31, 1 << 40, 1 << 50, i64::MAX, 165_768_537_521];
        if self.one_in(40) { self.of(&odd) } else { 1 + self.below(4) as i64 }
    }
    fn shape(&mut self) -> Vec<i64> {
        let rank = if self.one_in(30) { 40 } else { self.below(6) };
        (0..rank).map(|_| self.dim()).collect()
    }
    fn int(&mut self) -> i64 {
        let odd = [i64::MIN, i64::MIN + 1, i64::MAX, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 40, 1 << 62, 100, -200];
        if self.one_in(6) { self.of(&odd) } else { self.below(6) as i64 - 1 }
    }
    fn float(&mut self) -> f64 {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 5e-324, -0.0, f64::MAX];
        if self.one_in(4) { self.of(&odd) } else { self.below(17) as f64 / 2.0 - 4.0 }
    }
    fn ints(&mut self) -> Vec<i64> {
        let n = if self.one_in(60) { 5000 } else { self.below(7) };
        // Lists of equal numbers, like most strides and pads.
        let same = self.one_in(2).then(|| self.int());
        (0..n).map(|_| same.unwrap_or_else(|| self.int())).collect()
    }
    fn attribute(&mut self, kind: AttributeKind) -> Attribute {
        match kind {
            _ if self.one_in(25) => self.any_attribute(),
            AttributeKind::Int | AttributeKind::Si32 | AttributeKind::I32 | AttributeKind::Ui32 => self.int().into(),
            AttributeKind::Float => self.float().into(),
            AttributeKind::Bool => self.one_in(2).into(),
            AttributeKind::Str => self.of(&["", "F32", "INT8", "x"]).into(),
            AttributeKind::OneOf(all) => self.of(all).into(),
            AttributeKind::Ints | AttributeKind::I32s => self.ints().into(),
            AttributeKind::Floats => (0..self.below(5)).map(|_| self.float()).collect::<Vec<_>>().into(),
            AttributeKind::IntLists => Attribute::List(vec![self.ints().into()]),
            AttributeKind::Dicts => Attribute::List(Vec::new()),
        }
    }
    fn any_attribute(&mut self) -> Attribute {
        match self.below(6) {
            0 => self.int().into(),
            1 => self.float().into(),
            2 => "".into(),
            3 => self.ints().into(),
            4 => Attribute::Floats(Vec::new()),
            _ => Attribute::List(vec![Attribute::Bool(true)]),
        }
    }
    fn quantization(&mut self) -> Quantization {
        let many = self.one_in(4);
        let zero_point = if self.one_in(6) { self.int() } else { self.below(5) as i64 - 2 };
        Quantization {
            scale: Some(if many { vec![0.5, 0.25, 2.0].into() } else { self.of(&[0.5, 1e-30, 1e30, 1.0]).into() }),
            zero_point: Some(if many { vec![zero_point; 3].into() } else { zero_point.into() }),
        }
    }
    fn array(&mut self, dtype: Dtype, shape: &[usize]) -> Option<Array> {
        let n = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|n| *n <= 1 << 12)?;
        let plain = self.one_in(2);
        let values: Vec<f64> = (0..n)
            .map(|_| match () {
                () if plain => self.below(7) as f64 - 2.0,
                () if self.one_in(3) => self.int() as f64,
                () => self.float(),
            })
            .collect();
        Array::from_f64s(dtype, shape, values.into_iter()).ok()
    }
}

/// Adds a tensor, which often resembles `like`, so that some tensors fit together.
fn tensor(d: &mut Draw, g: &mut Graph, like: Option<Tensor>, i: usize) -> Option<Tensor> {
    let known = like.and_then(|t| g.tensor(t).ok()).map(|t| (t.dtype, t.shape.clone()));
    let (mut dtype, mut shape) = (d.dtype(), d.shape());
    if let Some((other, theirs)) = known {
        dtype = if d.one_in(5) { dtype } else { other };
        shape = if d.one_in(2) { shape } else { theirs.iter().map(|&v| v as i64).collect() };
        if d.one_in(3) && shape.len() > 1 {
            shape.drain(..1 + d.below(shape.len() - 1));
        }
    }
    let sizes: Option<Vec<usize>> = shape.iter().map(|&v| usize::try_from(v).ok()).collect();
    let data = if d.one_in(3) { sizes.and_then(|s| d.array(dtype, &s)) } else { None };
    let made = match data {
        Some(data) => g.coefficient(&format!("c{i}"), data),
        None => g.input(&format!("x{i}"), dtype, shape),
    };
    let made = made.ok()?;
    if d.one_in(3) {
        let q = d.quantization();
        let _ = g.quantize(made, &q);
    }
    Some(made)
}

fn op(d: &mut Draw, def: &OpDef, all: &[Tensor]) -> Option<Op<Tensor>> {
    let mut operands = Vec::new();
    for operand in def.operands {
        match operand.arity {
            Arity::Variadic => (0..d.below(4)).for_each(|_| operands.push(Some(d.of(all)))),
            Arity::Required if !d.one_in(30) => operands.push(Some(d.of(all))),
            _ => operands.push(d.one_in(2).then(|| d.of(all))),
        }
    }
    if d.one_in(40) {
        operands.truncate(d.below(3));
    }
    let mut attributes = Vec::new();
    for a in def.attributes {
        if !((a.default.is_some() || a.optional) && d.one_in(2)) {
            attributes.push((a.name, d.attribute(a.kind)));
        }
    }
    Op::new(def.name, operands, attributes).ok()
}

/// Returns the parts of a graph that a failed call must not change.
fn state(g: &Graph) -> String {
    let tensors: Vec<_> = g.tensors().collect();
    format!("{tensors:?} {:?}", g.body())
}

fn insert(d: &mut Draw, g: &mut Graph, all: &[Tensor]) -> Option<Vec<Tensor>> {
    let computed: Vec<&OpDef> = OPS.iter().filter(|o| o.is_computed()).collect();
    let def = if d.one_in(10) { &OPS[d.below(OPS.len())] } else { d.of(&computed) };
    let op = op(d, def, all)?;
    let before = state(g);
    // The dtype that the rule requires is not known here: try any dtype first, then one that fits.
    let dtype = d.dtype();
    let mut made = g.op(op.clone()).call();
    if made.is_err() {
        made = g.op(op.clone()).out_dtypes([dtype]).call();
    }
    if made.is_err() {
        let shape = d.shape();
        made = g.op(op).out_dtypes([dtype]).out_shapes([shape]).call();
    }
    if made.is_err() {
        assert!(state(g) == before, "a call that failed changed the graph");
    }
    let made = made.ok()?;
    for &t in &made {
        if d.one_in(4) {
            let q = d.quantization();
            let _ = g.quantize(t, &q);
        }
    }
    Some(made)
}

/// Creates a graph of a few tensors and ops, or returns `None` if too many were rejected.
pub fn graph(d: &mut Draw) -> Option<Graph> {
    let mut g = Graph::new("g").ok()?;
    let mut all = Vec::new();
    for i in 0..1 + d.below(4) {
        let like = all.first().copied();
        all.extend(tensor(d, &mut g, like, i));
    }
    if all.is_empty() {
        return None;
    }
    let mut made = Vec::new();
    for _ in 0..1 + d.below(3) {
        let new = insert(d, &mut g, &all).unwrap_or_default();
        all.extend(&new);
        made.extend(new);
    }
    let complete = !made.is_empty() && g.set_outputs(&made).is_ok();
    complete.then_some(g)
}

/// Runs a small graph on random inputs. An accepted graph must run, except for errors that depend on values.
pub fn run(d: &mut Draw, g: &Graph) {
    let feeds = g.inputs().iter().filter_map(|&t| {
        let info = g.tensor(t).ok()?;
        let array = d.array(info.dtype, &info.shape);
        Some((info.name.clone(), array.unwrap_or(Array::filled(info.dtype, &info.shape, 1.0).ok()?)))
    });
    let feeds: indexmap::IndexMap<_, _> = feeds.collect();
    let options = exec::RunOptions::default().all(true).threads(1);
    if let Err(error) = exec::run(g, &feeds, &exec::CpuBackend::new(), &options) {
        let told = match error.cause() {
            Cause::Misfit { argument, .. } => argument.starts_with("index "),
            Cause::Operator { problem, .. } => problem.contains("no kernel"),
            cause => matches!(cause, Cause::Quantization { .. } | Cause::TooLarge { .. }),
        };
        assert!(told, "{error}\n{:?}", g.operators());
    }
}
