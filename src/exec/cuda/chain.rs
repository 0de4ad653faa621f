//! Elementwise operators, one or a chain of them, as one generated kernel: each element is read once, and written once.
use super::{
    builder::Builder,
    formula::{Formula, From, Input, Numbers, Reading, c_type, name},
    geometry::Geometry,
    program::{Argument, Slot},
    source::Source,
    walk::{Walk, broadcast_steps},
};
use crate::{
    base::{Dtype, Result, invalid},
    exec::{ValueType, views::View},
    quant::{Quantization, RoundMode, channel_axis},
};
use std::fmt::Write;

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

/// What a kernel that is generated gets.
#[derive(Default)]
pub(super) struct Kernel {
    /// By type and name.
    parameters: Vec<(String, String)>,
    arguments: Vec<Argument>,
    /// What `element` gets beside the elements, by name and type.
    passed: Vec<(String, String)>,
}

impl Kernel {
    pub fn parameter(&mut self, c_type: &str, name: &str, argument: impl Into<Argument>) {
        self.parameters.push((c_type.into(), name.into()));
        self.arguments.push(argument.into());
    }
    fn parameter_list(&self) -> String {
        let list: Vec<String> = self.parameters.iter().map(|(c_type, name)| format!("{c_type} {name}")).collect();
        list.join(", ")
    }
    fn passed(&mut self, c_type: &str, name: &str, argument: impl Into<Argument>) {
        self.parameter(c_type, name, argument);
        self.passed.push((c_type.into(), name.into()));
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
        Chain { shape: part.shape.clone(), place: Some(part), ..self }
    }
    /// Of the result, in CUDA C.
    pub fn out_type(&self) -> &'static str {
        c_type(self.result.buffer_dtype())
    }
    /// That are made.
    pub fn elements(&self) -> u64 {
        self.shape.iter().fold(1, |n, d| n.saturating_mul(*d as u64))
    }
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.formulas.iter().flat_map(|f| &f.inputs).filter(|i| !i.is_fused_input())
    }
    fn walk(&self) -> Walk {
        let steps = |input: &Input| match &input.view {
            Some(view) => (view.start, view.strides.clone()),
            None => (0, broadcast_steps(&input.shape, self.shape.len())),
        };
        let to = self
            .place
            .as_ref()
            .map_or_else(|| (0, broadcast_steps(&self.shape, self.shape.len())), |p| (p.start, p.strides.clone()));
        Walk::new(&self.shape, self.inputs().map(steps).chain([to]))
    }

    /// The kernel, how often it runs, and what it gets.
    ///
    /// # Errors
    /// The memory is not enough for lists of scales.
    pub fn compile(&self, builder: &mut Builder) -> Result<(Source, Geometry, Vec<Argument>)> {
        let (mut kernel, walk) = (Kernel::default(), self.walk());
        self.memory(&mut kernel, builder)?;
        let element = self.element(&mut kernel, builder)?;
        let (code, geometry) = self.loops(&mut kernel, &walk);
        let parameters = kernel.parameter_list();
        let text = format!("{element}extern \"C\" __global__ void generated({parameters}) {{\n{code}}}\n");
        Ok((Source::generated(text), geometry, kernel.arguments))
    }
    /// What a kernel that makes sums does with each of them, and what it gets behind its own parameters.
    ///
    /// # Errors
    /// As of [`Chain::compile`].
    pub fn epilogue(&self, builder: &mut Builder) -> Result<(String, Vec<Argument>)> {
        let (mut kernel, walk) = (Kernel::default(), self.walk());
        self.memory(&mut kernel, builder)?;
        let element = self.element(&mut kernel, builder)?;
        let code = self.by_axes(&mut kernel, &walk);
        let sums = self.inputs().find(|i| matches!(i.from, From::Sums)).map_or("float", |i| c_type(i.dtype));
        let names: String = kernel.parameters.iter().map(|(_, name)| format!(", {name}")).collect();
        let parameters = kernel.parameter_list();
        let text = format!(
            "{element}__device__ __forceinline__ void finish(i64 i, {sums} sum, {parameters}) {{\n{code}}}\n\
             #define EPILOGUE_PARAMETERS(T) {parameters}\n#define EPILOGUE(i, sum) finish(i, sum{names})\n"
        );
        Ok((text, kernel.arguments))
    }

    /// Parameters for where elements are read and written.
    fn memory(&self, kernel: &mut Kernel, builder: &mut Builder) -> Result<()> {
        kernel.parameter(&format!("{}*", c_type(self.result.buffer_dtype())), "to", self.to);
        for (j, input) in self.inputs().enumerate() {
            let from = match &input.from {
                From::Operand(operand) => builder.stored(operand)?,
                From::Slot(slot) => *slot,
                From::Sums => continue,
                From::Doubles(list) => builder.constant(list)?,
                From::Ints(list) => builder.constant(list)?,
            };
            // A kernel that changes a tensor in place reads and writes the same memory.
            let restrict = if from == self.to { "" } else { " __restrict__" };
            kernel.parameter(&format!("const {}*{restrict}", c_type(input.dtype)), &format!("p{j}"), from);
        }
        Ok(())
    }
    /// The function `element` of what is read, with the functions that it calls.
    fn element(&self, kernel: &mut Kernel, builder: &mut Builder) -> Result<String> {
        let body = self.body(kernel, builder)?;
        let (functions, out) = (called_functions(&self.formulas, &body), c_type(self.result.buffer_dtype()));
        let inputs = self.inputs().map(|i| c_type(i.dtype)).enumerate();
        let taken: String = inputs.map(|(j, c)| format!(", {c} e{j}, i64 j{j}")).collect();
        let passed: String = kernel.passed.iter().map(|(c, name)| format!(", {c} {name}")).collect();
        Ok(format!("{functions}__device__ __forceinline__ {out} element(i64 i, i64 t{taken}{passed}) {{\n{body}}}\n"))
    }
    /// Its call for the place `t`: `e` and `j` say how each input's element is read, and its place.
    pub fn call(&self, kernel: &Kernel, t: &str, e: impl Fn(usize) -> String, j: impl Fn(usize) -> String) -> String {
        let own: String = (0..self.inputs().count()).map(|k| format!(", {}, {}", e(k), j(k))).collect();
        let passed: String = kernel.passed.iter().map(|(_, name)| format!(", {name}")).collect();
        format!("element(i, {t}{own}{passed})")
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
                let (c, read) = match input.is_fused_input() {
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
    let scales = input.quantization.as_ref().map(Quantization::values).filter(|_| !input.dtype.is_float());
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
    if dtype.is_float() {
        return Ok(format!("({c})(float){v}"));
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
