//! A chain of elementwise operators as one generated kernel, which reads and writes each element once.
use super::{
    constants::Constants,
    float::Float,
    formula::{ComputeType, Formula, Input, InputSource, Reading, c_type, name, relu_limit, relu_limit_of_ints},
    geometry::Geometry,
    slot::{Argument, Slot},
    source::Source,
    walk::{Walk, broadcast_steps},
};
use crate::{
    base::{Dtype, Result, invalid},
    exec::{ValueType, views::View},
    quant::{Quantization, RoundMode, channel_axis},
};
use std::fmt::Write;

/// Elementwise operators, each applied to the result of the previous one, and the memory for the last result.
pub(super) struct Chain {
    formulas: Vec<Formula>,
    to: Slot,
    result: ValueType,
    /// The iteration space: the result's dimensions, or those of a view.
    shape: Vec<usize>,
    /// The part of the result that is written, or `None` for the whole result.
    place: Option<View>,
}

/// Begins the names of an epilogue's parameters in the kernel that it becomes part of, whose own names begin otherwise.
const OF_EPILOGUE: &str = "epilogue_";

/// The parameters of a generated kernel, and their arguments.
#[derive(Default)]
pub(super) struct Parameters {
    /// Their types and names.
    parameters: Vec<(String, String)>,
    arguments: Vec<Argument>,
    /// Types and names of the additional parameters of the function `element`.
    passed: Vec<(String, String)>,
}

impl Parameters {
    pub fn parameter(&mut self, c_type: &str, name: &str, argument: impl Into<Argument>) {
        self.parameters.push((c_type.into(), name.into()));
        self.arguments.push(argument.into());
    }
    /// Returns the list of parameters, with their names after `prefix`.
    fn list(&self, prefix: &str) -> String {
        let list: Vec<_> = self.parameters.iter().map(|(c_type, name)| format!("{c_type} {prefix}{name}")).collect();
        list.join(", ")
    }
    fn passed(&mut self, c_type: &str, name: &str, argument: impl Into<Argument>) {
        self.parameter(c_type, name, argument);
        self.passed.push((c_type.into(), name.into()));
    }
    /// Passes a number as float32 or as float64, because arithmetic in double precision is slow on most GPUs.
    fn number(&mut self, name: &str, number: f64, as_float32: bool) {
        if as_float32 { self.passed("float", name, number as f32) } else { self.passed("double", name, number) }
    }
}

impl Chain {
    pub fn new(formulas: Vec<Formula>, to: Slot, result: ValueType) -> Chain {
        let shape = result.shape.clone();
        Chain { formulas, to, result, shape, place: None }
    }
    /// Iterates over these dimensions of the inputs' views instead of over the result's dimensions.
    pub fn over(self, counts: &[usize]) -> Chain {
        Chain { shape: counts.to_vec(), ..self }
    }
    /// Writes a part of the result, iterating over the part's dimensions.
    pub fn into_part(self, part: View) -> Chain {
        Chain { shape: part.shape.clone(), place: Some(part), ..self }
    }
    /// Returns the result's type in CUDA C.
    pub fn out_type(&self) -> &'static str {
        c_type(self.result.buffer_dtype())
    }
    /// Returns the number of computed elements.
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
    /// Returns the type of all indices and offsets in CUDA C. If there are several scales, offsets are divided by sizes of the
    /// tensor, of which a view may show only a part.
    fn offset_type(&self, walk: &Walk) -> &'static str {
        let has_several = |q: &Option<Quantization>| {
            q.as_ref().map(Quantization::values).is_some_and(|(scales, zeros)| scales.len().max(zeros.len()) > 1)
        };
        let inputs = self.inputs().map(|i| (&i.shape, &i.quantization));
        let scaled = inputs.chain([(&self.result.shape, &self.result.quantization)]).filter(|(_, q)| has_several(q));
        let sizes = scaled.map(|(shape, _)| shape.iter().fold(1usize, |n, d| n.saturating_mul(*d)));
        walk.index_type(sizes.max().unwrap_or(0))
    }

    /// Generates the kernel, and returns it with its geometry and arguments.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory for the lists of scales.
    pub fn compile(&self, constants: &mut Constants) -> Result<(Source, Geometry, Vec<Argument>)> {
        let (mut kernel, walk) = (Parameters::default(), self.walk());
        self.memory(&mut kernel, constants)?;
        let element = self.element(&mut kernel, constants)?;
        let (code, geometry) = self.loops(&mut kernel, &walk);
        let (parameters, index) = (kernel.list(""), self.offset_type(&walk));
        let text = format!(
            "typedef {index} Index;\n{element}extern \"C\" __global__ void generated({parameters}) {{\n{code}}}\n"
        );
        Ok((Source::generated(text), geometry, kernel.arguments))
    }
    /// Generates an epilogue, which a kernel applies to each accumulator, and its arguments, which follow the kernel's own.
    ///
    /// # Errors
    /// Same as for [`Chain::compile`].
    pub fn epilogue(&self, constants: &mut Constants) -> Result<(String, Vec<Argument>)> {
        let (mut kernel, walk) = (Parameters::default(), self.walk());
        self.memory(&mut kernel, constants)?;
        let element = self.element(&mut kernel, constants)?;
        let (code, index) = (self.by_axes(&mut kernel, &walk), self.offset_type(&walk));
        let sums =
            self.inputs().find(|i| matches!(i.from, InputSource::Accumulator)).map_or("float", |i| c_type(i.dtype));
        let names: String = kernel.parameters.iter().map(|(_, name)| format!(", {OF_EPILOGUE}{name}")).collect();
        let (parameters, of_kernel) = (kernel.list(""), kernel.list(OF_EPILOGUE));
        let text = format!(
            "typedef {index} Index;\n{element}__device__ __forceinline__ void epilogue(i64 i, {sums} sum, {parameters}) {{\n{code}}}\n\
             #define EPILOGUE_PARAMETERS(T) {of_kernel}\n#define EPILOGUE(i, sum) epilogue(i, sum{names})\n"
        );
        Ok((text, kernel.arguments))
    }

    /// Adds the parameters for the tensors' memory.
    fn memory(&self, kernel: &mut Parameters, constants: &mut Constants) -> Result<()> {
        kernel.parameter(&format!("{}*", c_type(self.result.buffer_dtype())), "to", self.to);
        for (j, input) in self.inputs().enumerate() {
            let from = match &input.from {
                InputSource::Operand(operand) => Slot::of(operand)?,
                InputSource::Slot(slot) => *slot,
                InputSource::Accumulator => continue,
                InputSource::Doubles(list) => constants.add(list)?,
                InputSource::Ints(list) => constants.add(list)?,
            };
            // An in-place kernel reads and writes the same memory.
            let restrict = if from == self.to { "" } else { " __restrict__" };
            kernel.parameter(&format!("const {}*{restrict}", c_type(input.dtype)), &format!("p{j}"), from);
        }
        Ok(())
    }
    /// Generates the function `element`, which computes one element, and the functions that it calls.
    fn element(&self, kernel: &mut Parameters, constants: &mut Constants) -> Result<String> {
        let body = self.body(kernel, constants)?;
        let (functions, out) = (called_functions(&self.formulas, &body), c_type(self.result.buffer_dtype()));
        let inputs = self.inputs().map(|i| c_type(i.dtype)).enumerate();
        let taken: String = inputs.map(|(j, c)| format!(", {c} e{j}, Index j{j}")).collect();
        let passed: String = kernel.passed.iter().map(|(c, name)| format!(", {c} {name}")).collect();
        Ok(format!("{functions}__device__ __forceinline__ {out} element(i64 i, Index t{taken}{passed}) {{\n{body}}}\n"))
    }
    /// Generates a call of `element` for the offset `t`. `e` and `j` return the expressions for each input's element and
    /// offset.
    pub fn call(
        &self,
        kernel: &Parameters,
        t: &str,
        e: impl Fn(usize) -> String,
        j: impl Fn(usize) -> String,
    ) -> String {
        let own: String = (0..self.inputs().count()).map(|k| format!(", {}, {}", e(k), j(k))).collect();
        let passed: String = kernel.passed.iter().map(|(_, name)| format!(", {name}")).collect();
        format!("element(i, {t}{own}{passed})")
    }

    /// Generates the body of `element` from the inputs' elements `e0`, `e1`, .. at the offsets `j0`, `j1`, ..
    fn body(&self, kernel: &mut Parameters, constants: &mut Constants) -> Result<String> {
        let (mut body, mut j, last) = (String::new(), 0, self.formulas.len() - 1);
        let mut compute = ComputeType::Float;
        for (f, formula) in self.formulas.iter().enumerate() {
            let ty = if f == last { self.result.clone() } else { Float::Single.type_like(&self.result) };
            compute = formula.compute_type(&ty);
            let c = compute.c_type();
            let _ = writeln!(body, "    {c} v{f}; {{ typedef {c} R;");
            for (i, input) in formula.inputs.iter().enumerate() {
                let (c, read) = match input.is_fused_input() {
                    true => (
                        c,
                        format!(
                            "v{}",
                            f.checked_sub(1)
                                .ok_or_else(|| invalid("internal error: a chain begins with a fused operator"))?
                        ),
                    ),
                    false => {
                        j += 1;
                        read(input, j - 1, compute, kernel, constants)?
                    }
                };
                let _ = writeln!(body, "        const {c} {} = {read};", name(i));
            }
            for (i, number) in formula.numbers.iter().enumerate() {
                let given = format!("k{f}_{i}");
                kernel.number(&given, *number, formula.number_type == "R" && compute == ComputeType::Float);
                let _ = writeln!(body, "        const {t} k{i} = ({t}){given};", t = formula.number_type);
            }
            let whole = formula.whole.as_ref().filter(|_| compute == ComputeType::Whole);
            let _ = writeln!(body, "        v{f} = {};", whole.unwrap_or(&formula.expression));
            if let Some(limit) = formula.post_op.relu {
                let is_float = compute == ComputeType::Float;
                let limit = if is_float { relu_limit(limit) } else { relu_limit_of_ints(limit) };
                kernel.number(&format!("limit{f}"), limit, is_float);
                let _ = writeln!(body, "        v{f} = relu(v{f}, (R)limit{f});");
            }
            body += "    }\n";
        }
        let round = self.formulas[last].post_op.round;
        let result = match self.formulas[last].unscaled {
            true => ValueType { quantization: None, ..self.result.clone() },
            false => self.result.clone(),
        };
        let stored = store(&result, &format!("v{last}"), compute, round, kernel, constants)?;
        let _ = writeln!(body, "    return {stored};");
        Ok(body)
    }
}

/// Returns the definitions of the functions that a kernel calls, without duplicates.
fn called_functions(formulas: &[Formula], body: &str) -> String {
    let mut texts: Vec<&str> = formulas.iter().map(|f| f.functions).filter(|text| calls_any(body, text)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.concat()
}

/// Whether `body` calls a function that `functions` defines.
fn calls_any(body: &str, functions: &str) -> bool {
    let defined = functions.split("__device__ inline ").skip(1);
    let mut names = defined.filter_map(|f| f.split_once('(')?.0.rsplit(' ').next());
    names.any(|name| [format!("{name}("), format!("{name}<")].iter().any(|call| body.contains(call)))
}

/// Generates the expression for an input's element, and returns it with its type.
fn read(
    input: &Input,
    j: usize,
    compute: ComputeType,
    kernel: &mut Parameters,
    constants: &mut Constants,
) -> Result<(&'static str, String)> {
    let compute = if input.reading == Reading::Real { ComputeType::Float } else { compute };
    let c = compute.c_type();
    match input.reading {
        Reading::Stored if input.dtype != Dtype::Float64 => return Ok(("i64", format!("to_int(e{j})"))),
        Reading::Stored | Reading::Double => return Ok(("double", format!("(double)e{j}"))),
        Reading::ByFormula | Reading::Real => {}
    }
    match compute {
        ComputeType::Whole => return Ok((c, format!("to_int(e{j})"))),
        ComputeType::Moved(_) => return Ok((c, format!("e{j}"))),
        _ => {}
    }
    let scales = input.quantization.as_ref().map(Quantization::values).filter(|_| !input.dtype.is_float());
    let Some((scales, zeros)) = scales else {
        return Ok((c, format!("({c})e{j}")));
    };
    let (s, z) = scaling(&format!("_{j}"), &format!("j{j}"), &input.shape, (scales, zeros), kernel, constants)?;
    Ok((
        c,
        match compute {
            ComputeType::Float => format!("((float)e{j} - (float){z}) * (float){s}"),
            _ => format!("(double)(to_int(e{j}) - {z}) * {s}"),
        },
    ))
}

/// Generates the expression that converts `v` to an element of the result.
fn store(
    result: &ValueType,
    v: &str,
    compute: ComputeType,
    round: RoundMode,
    kernel: &mut Parameters,
    constants: &mut Constants,
) -> Result<String> {
    let dtype = result.buffer_dtype();
    let c = c_type(dtype);
    if let ComputeType::Moved(_) = compute {
        return Ok(v.to_owned());
    }
    if dtype.is_float() {
        return Ok(format!("({c})(float){v}"));
    }
    if compute == ComputeType::Whole {
        return Ok(format!("Stored<{c}>::of_int({v})"));
    }
    let mode = round as i32;
    let Some(values) = result.quantization.as_ref().map(Quantization::values) else {
        return Ok(format!("Stored<{c}>::of(rounded((double){v}, {mode}))"));
    };
    let (s, z) = scaling("", "t", &result.shape, values, kernel, constants)?;
    Ok(match compute {
        ComputeType::Table => format!("Stored<{c}>::of(rounded({v} / {s} + (double){z}, {mode}))"),
        _ => format!("Stored<{c}>::of(rounded((double){v} / {s}, {mode}) + (double){z})"),
    })
}

/// Generates the expressions for the scale and the zero point of the element at an offset.
fn scaling(
    suffix: &str,
    place: &str,
    shape: &[usize],
    (scales, zeros): (Vec<f64>, Vec<i64>),
    kernel: &mut Parameters,
    constants: &mut Constants,
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
    // One value per channel.
    let of = |c: usize, n: usize| c.min(n - 1);
    let scales: Vec<f64> = (0..channels).map(|c| scales[of(c, scales.len())]).collect();
    let zeros: Vec<i64> = (0..channels).map(|c| zeros[of(c, zeros.len())]).collect();
    let (scales, zeros) = (constants.add(&scales)?, constants.add(&zeros)?);
    kernel.passed("const double*", &s, scales);
    kernel.passed("const i64*", &z, zeros);
    kernel.passed("Index", &format!("inner{suffix}"), inner);
    kernel.passed("Index", &format!("channels{suffix}"), channels);
    let channel = format!("[{place} / inner{suffix} % channels{suffix}]");
    Ok((s + &channel, z + &channel))
}
