//! Elementwise operators, one or a chain of them, as one generated kernel: each element is read once, and written once.
use super::{
    builder::Builder,
    device::Value,
    program::{Argument, Slot},
    source::Source,
};
use crate::{
    base::{Dtype, Result, invalid},
    exec::{Operand, ValueType, views::View},
    quant::{Quantization, RoundMode, channel_axis},
};
use std::fmt::Write;

/// Elements that a thread takes at a time where all lie evenly.
const WIDTH: u64 = 4;

/// What happens to real numbers before they are stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Finish {
    /// `max(x, 0)`, capped where the limit is positive.
    pub relu: Option<f64>,
    pub round: RoundMode,
}

impl Finish {
    pub fn relu(do_relu: bool, limit: f64) -> Self {
        Finish { relu: do_relu.then_some(limit), ..Finish::default() }
    }
    pub fn round(round: RoundMode) -> Self {
        Finish { round, ..Finish::default() }
    }
    pub fn and_round(self, round: RoundMode) -> Self {
        Finish { round, ..self }
    }
}

/// Where an input's elements are.
#[derive(Debug, Clone)]
enum From {
    Operand(Operand),
    Slot(Slot),
    /// Numbers that are known, for a constant on the device.
    Doubles(Vec<f64>),
    Ints(Vec<i64>),
}

/// A tensor that is broadcast to the result, or of which the result shows a view.
#[derive(Debug, Clone)]
pub(super) struct Input {
    from: From,
    shape: Vec<usize>,
    /// Where its elements are, if it is not broadcast.
    view: Option<View>,
    dtype: Dtype,
    quantization: Option<Quantization>,
    reading: Reading,
}

/// As what an input is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The formula's numbers.
    ByFormula,
    /// As stored, whatever the formula's numbers are.
    Stored,
    /// Real numbers.
    Real,
    /// As stored, in float64.
    Double,
}

impl Input {
    pub fn of(operand: &Operand) -> Input {
        let ty = &operand.ty;
        let (dtype, quantization) = (ty.buffer_dtype(), ty.quantization.clone());
        Input {
            from: From::Operand(operand.clone()),
            shape: ty.shape.clone(),
            view: None,
            dtype,
            quantization,
            reading: Reading::ByFormula,
        }
    }
    pub fn slot(slot: Slot, ty: ValueType) -> Input {
        let dtype = ty.buffer_dtype();
        Input {
            from: From::Slot(slot),
            shape: ty.shape,
            view: None,
            dtype,
            quantization: ty.quantization,
            reading: Reading::ByFormula,
        }
    }
    /// Numbers for each index of an axis of `shape`; one is for all. An axis that is not there has one index.
    pub fn of_axis<T: Copy + Into<Number>>(list: &[T], shape: &[usize], axis: i64) -> Input {
        let rank = shape.len() as i64;
        let axis = (-rank..rank).contains(&axis).then(|| axis.rem_euclid(rank) as usize);
        let n = axis.map_or(1, |a| shape[a]);
        let numbers: Vec<Number> = (0..n).filter_map(|i| list.get(i).or(list.first())).map(|v| (*v).into()).collect();
        let own = shape.iter().enumerate().map(|(i, d)| if Some(i) == axis { *d } else { 1 }).collect();
        let ints: Option<Vec<i64>> =
            numbers.iter().map(|n| if let Number::Int(i) = n { Some(*i) } else { None }).collect();
        let (from, dtype) = match ints {
            Some(ints) => (From::Ints(ints), Dtype::Int64),
            None => {
                let of = |n: &Number| match *n {
                    Number::Int(i) => i as f64,
                    Number::Real(x) => x,
                };
                (From::Doubles(numbers.iter().map(of).collect()), Dtype::Float64)
            }
        };
        Input { from, shape: own, view: None, dtype, quantization: None, reading: Reading::Stored }
    }
    /// Read as stored integers.
    pub fn in_integers(self) -> Input {
        Input { reading: Reading::Stored, ..self }
    }
    /// Read as real numbers, also where the others are not.
    pub fn in_reals(self) -> Input {
        Input { reading: Reading::Real, ..self }
    }
    /// Read as stored, in float64.
    pub fn in_doubles(self) -> Input {
        Input { reading: Reading::Double, ..self }
    }
    /// Of which the result shows a view.
    pub fn viewed(self, view: View) -> Input {
        Input { view: Some(view), ..self }
    }
    /// Seen in another shape of as many elements.
    pub fn shaped(self, shape: Vec<usize>) -> Input {
        Input { shape, ..self }
    }
    fn is_computed_before(&self) -> bool {
        matches!(&self.from, From::Operand(o) if o.is_computed_before())
    }
    fn is_plain_int(&self) -> bool {
        self.dtype.int_range().is_some() && self.quantization.is_none()
    }
}

/// A number of a list.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
}
impl std::convert::From<i64> for Number {
    fn from(i: i64) -> Self {
        Number::Int(i)
    }
}
impl std::convert::From<f64> for Number {
    fn from(x: f64) -> Self {
        Number::Real(x)
    }
}

/// In which numbers an operator is computed; which, depends on the types of what it is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In float32.
    Real,
    /// In float32, or in float64 between integers: of 8 bits whatever their scales, rounded once with the zero point, as the
    /// compiler's tables have it; or plain ones.
    Function,
    /// In float64 between plain integers, otherwise in float32.
    Constant,
    /// In 64-bit integers where all are plain integers, otherwise in float32.
    Arithmetic,
    /// In 64-bit integers of stored values.
    Whole,
    /// In float64.
    Double,
    /// Elements as they are, of the result's own type.
    Moved,
}

/// The type of numbers in the generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Float,
    Double,
    /// The zero point is added before rounding.
    Table,
    Whole,
    Moved(Dtype),
}

impl Numbers {
    fn c_type(self) -> &'static str {
        match self {
            Numbers::Moved(dtype) => c_type(dtype),
            Numbers::Float => "float",
            Numbers::Double | Numbers::Table => "double",
            Numbers::Whole => "i64",
        }
    }
}

/// One elementwise operator: an expression in CUDA C over its inputs `x`, `y`, `z`, .., its numbers `k0`, `k1`, .., the
/// element's place `i`, and `R`, the type of its numbers.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    inputs: Vec<Input>,
    kind: Kind,
    expression: String,
    /// What is computed instead in integers.
    whole: Option<String>,
    numbers: Vec<f64>,
    /// The type of `k0`, ..: `double` where they must not be rounded to the formula's numbers.
    number_type: &'static str,
    finish: Finish,
    /// Put before the kernel.
    functions: &'static str,
    /// The result is not in its scale.
    unscaled: bool,
}

/// The names of inputs.
pub(super) fn name(i: usize) -> String {
    ["x", "y", "z"].get(i).map_or_else(|| format!("x{i}"), |n| (*n).to_owned())
}

impl Formula {
    fn new(kind: Kind, inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        let (expression, finish) = (expression.into(), Finish::default());
        Formula {
            inputs,
            kind,
            expression,
            whole: None,
            numbers: Vec::new(),
            number_type: "R",
            finish,
            functions: "",
            unscaled: false,
        }
    }
    /// The numbers that the input means.
    pub fn copy(input: Input) -> Formula {
        Formula::new(Kind::Real, vec![input], "x")
    }
    /// Of real numbers.
    pub fn real(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Real, inputs, expression)
    }
    /// A function of one number.
    pub fn function(input: &Operand, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Function, vec![Input::of(input)], expression)
    }
    /// A number and a constant.
    pub fn constant(input: &Operand, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Constant, vec![Input::of(input)], expression)
    }
    /// Exact between plain integers, where `whole` is computed.
    pub fn arithmetic(inputs: Vec<Input>, expression: impl Into<String>, whole: impl Into<String>) -> Formula {
        Formula { whole: Some(whole.into()), ..Formula::new(Kind::Arithmetic, inputs, expression) }
    }
    /// Of stored integers.
    pub fn whole(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Whole, inputs, expression)
    }
    /// The input's elements as they are stored, which are the result's.
    pub fn moved(input: Input) -> Formula {
        Formula::new(Kind::Moved, vec![input], "x")
    }
    /// In float64, whatever the types.
    pub fn double(inputs: Vec<Input>, expression: impl Into<String>) -> Formula {
        Formula::new(Kind::Double, inputs, expression)
    }
    pub fn numbers(self, numbers: impl Into<Vec<f64>>) -> Formula {
        Formula { numbers: numbers.into(), ..self }
    }
    pub fn finish(self, finish: Finish) -> Formula {
        Formula { finish, ..self }
    }
    /// The numbers are float64, whatever the inputs are.
    pub fn in_doubles(self) -> Formula {
        Formula { number_type: "double", ..self }
    }
    /// The numbers are stored as they are, also in a quantized result.
    pub fn stored_as_it_is(self) -> Formula {
        Formula { unscaled: true, ..self }
    }
    /// Functions that the expression calls.
    pub fn with(self, functions: &'static str) -> Formula {
        Formula { functions, ..self }
    }

    fn numbers_for(&self, result: &ValueType) -> Numbers {
        let is_plain = result.buffer_dtype() != Dtype::Float32 && result.quantization.is_none();
        let all_plain =
            is_plain && self.inputs.iter().filter(|i| i.reading == Reading::ByFormula).all(Input::is_plain_int);
        let one_scale = |q: &Option<Quantization>| q.as_ref().is_none_or(|q| q.values().0.len() == 1);
        match self.kind {
            Kind::Whole => Numbers::Whole,
            Kind::Double => Numbers::Double,
            Kind::Moved => Numbers::Moved(result.buffer_dtype()),
            Kind::Arithmetic if all_plain => Numbers::Whole,
            Kind::Constant if all_plain => Numbers::Double,
            Kind::Function => {
                let is_byte =
                    |i: &Input| i.dtype.int_range().is_some() && i.dtype.size() == 1 && one_scale(&i.quantization);
                let to_int = result.buffer_dtype().int_range().is_some() && one_scale(&result.quantization);
                match self.inputs.first() {
                    Some(input) if to_int && is_byte(input) => Numbers::Table,
                    _ if all_plain => Numbers::Double,
                    _ => Numbers::Float,
                }
            }
            Kind::Real | Kind::Constant | Kind::Arithmetic => Numbers::Float,
        }
    }
}

/// Elementwise operators, each on what that before gives, and where the last one's numbers go.
pub(super) struct Chain {
    formulas: Vec<Formula>,
    to: Slot,
    result: ValueType,
    /// What is walked over: the result's dimensions, or the counts of views.
    shape: Vec<usize>,
    /// Where in the result the elements go, if not one behind the other.
    place: Option<View>,
}

/// What is written while a kernel is generated: its text and what it gets.
struct Kernel {
    parameters: Vec<String>,
    arguments: Vec<Argument>,
    /// What `element` gets beside the elements, by name and type.
    passed: Vec<(String, String)>,
}

impl Kernel {
    fn parameter(&mut self, c_type: &str, name: &str, argument: impl Into<Argument>) {
        self.parameters.push(format!("{c_type} {name}"));
        self.arguments.push(argument.into());
    }
    fn passed(&mut self, c_type: &str, name: &str, argument: impl Into<Argument>) {
        self.parameter(c_type, name, argument);
        self.passed.push((c_type.into(), name.into()));
    }
}

/// The type of a dtype's elements.
pub(super) fn c_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Int8 => "i8",
        Dtype::Uint8 => "u8",
        Dtype::Bool => "Truth",
        Dtype::Int16 => "short",
        Dtype::Uint16 => "u16",
        Dtype::Int32 => "int",
        Dtype::Uint32 => "unsigned",
        Dtype::Int64 => "i64",
        Dtype::Uint64 => "u64",
        Dtype::Float64 => "double",
        _ => "float",
    }
}

impl Chain {
    pub fn new(formulas: Vec<Formula>, to: Slot, result: ValueType) -> Chain {
        let shape = result.shape.clone();
        Chain { formulas, to, result, shape, place: None }
    }
    /// Over these counts of inputs' views, in the place of the result's dimensions.
    pub fn over(self, counts: &[usize]) -> Chain {
        Chain { shape: counts.to_vec(), ..self }
    }
    /// Into a part of the result, over the part's counts.
    pub fn into_part(self, part: View) -> Chain {
        Chain { shape: part.counts.clone(), place: Some(part), ..self }
    }
    /// That are made.
    pub fn elements(&self) -> u64 {
        self.shape.iter().fold(1, |n, d| n.saturating_mul(*d as u64))
    }
    /// Elements that a thread takes at a time.
    pub fn width(&self) -> u64 {
        if self.walk().is_even() { WIDTH } else { 1 }
    }
    fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.formulas.iter().flat_map(|f| &f.inputs).filter(|i| !i.is_computed_before())
    }
    fn walk(&self) -> Walk {
        let steps = |input: &Input| match &input.view {
            Some(view) => (view.start, view.by.clone()),
            None => (0, broadcast_steps(&input.shape, self.shape.len())),
        };
        let to = self
            .place
            .as_ref()
            .map_or_else(|| (0, broadcast_steps(&self.shape, self.shape.len())), |p| (p.start, p.by.clone()));
        Walk::new(&self.shape, self.inputs().map(steps).chain([to]))
    }

    /// The kernel, and what it gets.
    ///
    /// # Errors
    /// The memory is not enough for lists of scales.
    pub fn compile(&self, builder: &mut Builder) -> Result<(Source, Vec<Argument>)> {
        let (walk, n) = (self.walk(), self.elements());
        let out = c_type(self.result.buffer_dtype());
        let mut kernel = Kernel { parameters: Vec::new(), arguments: Vec::new(), passed: Vec::new() };
        kernel.parameter(&format!("{out}*"), "to", self.to);
        kernel.parameter("i64", "n", n as i64);
        for (j, input) in self.inputs().enumerate() {
            let from = match &input.from {
                From::Operand(operand) => builder.stored(operand)?,
                From::Slot(slot) => *slot,
                From::Doubles(list) => builder.constant(list)?,
                From::Ints(list) => builder.constant(list)?,
            };
            // A kernel that changes a tensor in place reads and writes the same memory.
            let restrict = if from == self.to { "" } else { "__restrict__ " };
            kernel.parameter(&format!("const {}*", c_type(input.dtype)), &format!("{restrict}p{j}"), from);
        }
        let body = self.body(&mut kernel, builder)?;
        let text = self.text(&called_functions(&self.formulas, &body), &body, &mut kernel, &walk);
        Ok((Source::generated(text), kernel.arguments))
    }

    /// Statements that make `v`, an element of the result, of `e0`, `e1`, .., those of the inputs, which lie in the places
    /// `j0`, `j1`, ..
    fn body(&self, kernel: &mut Kernel, builder: &mut Builder) -> Result<String> {
        let (mut body, mut j, last) = (String::new(), 0, self.formulas.len() - 1);
        let mut numbers = Numbers::Float;
        for (f, formula) in self.formulas.iter().enumerate() {
            let ty = if f == last { self.result.clone() } else { super::builder::as_real(&self.result) };
            numbers = formula.numbers_for(&ty);
            let c = numbers.c_type();
            let _ = writeln!(body, "    {c} v{f}; {{ typedef {c} R;");
            for (i, input) in formula.inputs.iter().enumerate() {
                let (c, read) = match input.is_computed_before() {
                    true => (c, format!("v{}", f.checked_sub(1).ok_or_else(|| invalid("a chain without a head"))?)),
                    false => {
                        j += 1;
                        read(input, j - 1, numbers, kernel, builder)?
                    }
                };
                let _ = writeln!(body, "        const {c} {} = {read};", name(i));
            }
            for (i, number) in formula.numbers.iter().enumerate() {
                let given = format!("k{f}_{i}");
                kernel.passed("double", &given, *number);
                let _ = writeln!(body, "        const {t} k{i} = ({t}){given};", t = formula.number_type);
            }
            let whole = formula.whole.as_ref().filter(|_| numbers == Numbers::Whole);
            let _ = writeln!(body, "        v{f} = {};", whole.unwrap_or(&formula.expression));
            if let Some(limit) = formula.finish.relu {
                kernel.passed("double", &format!("limit{f}"), limit);
                let _ = writeln!(body, "        v{f} = relu(v{f}, (R)limit{f});");
            }
            body += "    }\n";
        }
        let round = self.formulas[last].finish.round;
        let result = match self.formulas[last].unscaled {
            true => ValueType { quantization: None, ..self.result.clone() },
            false => self.result.clone(),
        };
        let stored = store(&result, &format!("v{last}"), numbers, round, kernel, builder)?;
        let _ = writeln!(body, "    return {stored};");
        Ok(body)
    }

    /// The whole text: `element`, and the kernel that calls it for each.
    fn text(&self, functions: &str, body: &str, kernel: &mut Kernel, walk: &Walk) -> String {
        let types: Vec<&str> = self.inputs().map(|i| c_type(i.dtype)).collect();
        let out = c_type(self.result.buffer_dtype());
        let mut taken: String = types.iter().enumerate().map(|(j, c)| format!(", {c} e{j}, i64 j{j}")).collect();
        let mut given = String::new();
        for (c, name) in &kernel.passed {
            let _ = write!(taken, ", {c} {name}");
            let _ = write!(given, ", {name}");
        }
        let call = |t: &str, e: &dyn Fn(usize) -> String, j: &dyn Fn(usize) -> String| {
            let own: String = (0..types.len()).map(|k| format!(", {}, {}", e(k), j(k))).collect();
            format!("element(i, {t}{own}{given})")
        };
        let code =
            if walk.is_even() { even_loop(out, &types, walk, call) } else { self.loop_by_axes(kernel, walk, call) };
        let parameters = kernel.parameters.join(", ");
        format!(
            "{functions}__device__ __forceinline__ {out} element(i64 i, i64 t{taken}) {{\n{body}}}\n\
             extern \"C\" __global__ void generated({parameters}) {{\n{code}}}\n"
        )
    }

    /// Each element by its places along the axes.
    fn loop_by_axes(
        &self,
        kernel: &mut Kernel,
        walk: &Walk,
        call: impl Fn(&str, &dyn Fn(usize) -> String, &dyn Fn(usize) -> String) -> String,
    ) -> String {
        let index = if self.elements() < 1 << 31 { "unsigned" } else { "u64" };
        let mut code = format!("    FOR_ELEMENTS(i, n) {{\n        {index} left = i;\n");
        let last = walk.starts.len() - 1;
        let place = |k: usize| if k == last { "t".to_owned() } else { format!("j{k}") };
        for (k, start) in walk.starts.iter().enumerate() {
            kernel.parameter("i64", &format!("start{k}"), *start);
            let _ = writeln!(code, "        i64 {} = start{k};", place(k));
        }
        for (a, (size, by)) in walk.axes.iter().enumerate().rev() {
            kernel.parameter("i64", &format!("d{a}"), *size);
            let _ = writeln!(code, "        const i64 c{a} = left % ({index})d{a}; left /= ({index})d{a};");
            for (k, by) in by.iter().enumerate().filter(|(_, by)| **by != 0) {
                kernel.parameter("i64", &format!("b{a}_{k}"), *by);
                let _ = writeln!(code, "        {} += c{a} * b{a}_{k};", place(k));
            }
        }
        let _ = writeln!(code, "        to[t] = {};\n    }}", call("t", &|k| format!("p{k}[j{k}]"), &place));
        code
    }
}

/// Four elements at a time, where each input is one row, or a single number.
fn even_loop(
    out: &str,
    types: &[&str],
    walk: &Walk,
    call: impl Fn(&str, &dyn Fn(usize) -> String, &dyn Fn(usize) -> String) -> String,
) -> String {
    let is_row = |k: usize| walk.axes.first().is_some_and(|(_, by)| by[k] == 1);
    let place = |k: usize| if is_row(k) { "i".to_owned() } else { "0".into() };
    let mut code = "    FOR_ELEMENTS(q, n / 4) {\n".to_owned();
    for (k, c) in types.iter().enumerate() {
        let _ = match is_row(k) {
            true => writeln!(code, "        const Four<{c}> f{k} = ((const Four<{c}>*)p{k})[q];"),
            false => writeln!(code, "        const {c} f{k} = p{k}[0];"),
        };
    }
    let from = |k: usize| if is_row(k) { format!("f{k}.of[l]") } else { format!("f{k}") };
    let _ = write!(
        code,
        "        Four<{out}> all;\n        for (int l = 0; l < 4; l++) {{\n            const i64 i = 4 * q + l;\n            \
         all.of[l] = {};\n        }}\n        ((Four<{out}>*)to)[q] = all;\n    }}\n    \
         FOR_ELEMENTS(left, n % 4) {{\n        const i64 i = n / 4 * 4 + left;\n        to[i] = {};\n    }}\n",
        call("i", &from, &place),
        call("i", &|k| format!("p{k}[{}]", place(k)), &place),
    );
    code
}

/// Functions that are called in a kernel, each text once.
fn called_functions(formulas: &[Formula], body: &str) -> String {
    let mut texts: Vec<&str> = formulas.iter().map(|f| f.functions).filter(|text| calls_any(body, text)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.concat()
}

/// Whether a function that a text defines is called.
fn calls_any(body: &str, functions: &str) -> bool {
    let defined = functions.split("__device__ inline ").skip(1);
    let mut names = defined.filter_map(|f| f.split_once('(')?.0.rsplit(' ').next());
    names.any(|name| [format!("{name}("), format!("{name}<")].iter().any(|call| body.contains(call)))
}

/// How an input's element is read, and the type that it then has.
fn read(
    input: &Input,
    j: usize,
    numbers: Numbers,
    kernel: &mut Kernel,
    builder: &mut Builder,
) -> Result<(&'static str, String)> {
    let numbers = if input.reading == Reading::Real { Numbers::Float } else { numbers };
    let c = numbers.c_type();
    match input.reading {
        Reading::Stored if input.dtype != Dtype::Float64 => return Ok(("i64", format!("whole(e{j})"))),
        Reading::Stored | Reading::Double => return Ok(("double", format!("(double)e{j}"))),
        Reading::ByFormula | Reading::Real => {}
    }
    match numbers {
        Numbers::Whole => return Ok((c, format!("whole(e{j})"))),
        Numbers::Moved(_) => return Ok((c, format!("e{j}"))),
        _ => {}
    }
    let scales = input.quantization.as_ref().map(Quantization::values).filter(|_| input.dtype != Dtype::Float32);
    let Some((scales, zeros)) = scales else {
        return Ok((c, format!("({c})e{j}")));
    };
    let (s, z) = scaling(&format!("_{j}"), &format!("j{j}"), &input.shape, (scales, zeros), kernel, builder)?;
    Ok((
        c,
        match numbers {
            Numbers::Float => format!("((float)e{j} - (float){z}) * (float){s}"),
            _ => format!("(double)(whole(e{j}) - {z}) * {s}"),
        },
    ))
}

/// How the number `v` is stored as an element of the result.
fn store(
    result: &ValueType,
    v: &str,
    numbers: Numbers,
    round: RoundMode,
    kernel: &mut Kernel,
    builder: &mut Builder,
) -> Result<String> {
    let dtype = result.buffer_dtype();
    let c = c_type(dtype);
    if let Numbers::Moved(_) = numbers {
        return Ok(v.to_owned());
    }
    if dtype == Dtype::Float32 {
        return Ok(format!("(float){v}"));
    }
    if numbers == Numbers::Whole {
        return Ok(format!("Stored<{c}>::of_whole({v})"));
    }
    let mode = round as i32;
    let Some(values) = result.quantization.as_ref().map(Quantization::values) else {
        return Ok(format!("Stored<{c}>::of(rounded((double){v}, {mode}))"));
    };
    let (s, z) = scaling("", "t", &result.shape, values, kernel, builder)?;
    Ok(match numbers {
        Numbers::Table => format!("Stored<{c}>::of(rounded({v} / {s} + (double){z}, {mode}))"),
        _ => format!("Stored<{c}>::of(rounded((double){v} / {s}, {mode}) + (double){z})"),
    })
}

/// Scale and zero point of the element in some place of a tensor, as they are written.
fn scaling(
    suffix: &str,
    place: &str,
    shape: &[usize],
    (scales, zeros): (Vec<f64>, Vec<i64>),
    kernel: &mut Kernel,
    builder: &mut Builder,
) -> Result<(String, String)> {
    let (s, z) = (format!("scale{suffix}"), format!("zero{suffix}"));
    if let ([scale], [zero]) = (scales.as_slice(), zeros.as_slice()) {
        kernel.passed("double", &s, *scale);
        kernel.passed("i64", &z, *zero);
        return Ok((s, z));
    }
    let axis = channel_axis(shape, scales.len()).unwrap_or(1);
    let channels = shape.get(axis).copied().unwrap_or(1);
    let inner: usize = shape.get(axis + 1..).map_or(1, |s| s.iter().product());
    // One of each for every channel.
    let of = |c: usize, n: usize| c.min(n - 1);
    let scales: Vec<f64> = (0..channels).map(|c| scales[of(c, scales.len())]).collect();
    let zeros: Vec<i64> = (0..channels).map(|c| zeros[of(c, zeros.len())]).collect();
    let (scales, zeros) = (builder.constant(&scales)?, builder.constant(&zeros)?);
    kernel.passed("const double*", &s, scales);
    kernel.passed("const i64*", &z, zeros);
    kernel.passed("i64", &format!("inner{suffix}"), inner);
    kernel.passed("i64", &format!("channels{suffix}"), channels);
    let channel = format!("[{place} / inner{suffix} % channels{suffix}]");
    Ok((s + &channel, z + &channel))
}

/// How inputs and the result are walked over together: where each begins, and axes that all walk alike put together, with
/// the steps of each, 0 where it is broadcast. The result is the last.
struct Walk {
    starts: Vec<i64>,
    axes: Vec<(usize, Vec<i64>)>,
}

impl Walk {
    fn new(shape: &[usize], tensors: impl Iterator<Item = (i64, Vec<i64>)>) -> Walk {
        let (starts, steps): (Vec<i64>, Vec<Vec<i64>>) = tensors.unzip();
        let mut axes: Vec<(usize, Vec<i64>)> = Vec::new();
        for (a, &size) in shape.iter().enumerate().filter(|(_, size)| **size != 1) {
            let own: Vec<i64> = steps.iter().map(|s| s[a]).collect();
            match axes.last_mut() {
                Some((n, before)) if before.iter().zip(&own).all(|(b, o)| *b == o * size as i64) => {
                    (*n, *before) = (*n * size, own);
                }
                _ => axes.push((size, own)),
            }
        }
        Walk { starts, axes }
    }
    /// One row, which the result has from its beginning on, and each input so too, or as a single number.
    fn is_even(&self) -> bool {
        let steps_are_even = match self.axes.as_slice() {
            [] => true,
            [(_, by)] => by.iter().all(|b| (0..=1).contains(b)) && by.last() == Some(&1),
            _ => false,
        };
        steps_are_even && self.starts.iter().all(|s| *s == 0)
    }
}

/// Row-major steps of a tensor as a result of so many axes sees it.
fn broadcast_steps(own: &[usize], rank: usize) -> Vec<i64> {
    let mut steps = vec![0; rank];
    let mut size = 1;
    for (back, &d) in own.iter().rev().enumerate().take(rank) {
        steps[rank - 1 - back] = if d == 1 { 0 } else { size };
        size *= d as i64;
    }
    steps
}

impl std::convert::From<Value> for Argument {
    fn from(value: Value) -> Self {
        Argument::Number(value)
    }
}
