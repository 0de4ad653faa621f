use super::{Dtype, Result, invalid, nearest, pluralized, truncated};

/// The reason of a [`Warning`](super::Warning), with its numbers. Each has a [`WarningCode`] of the same name.
#[derive(Debug, Clone, PartialEq, thiserror::Error, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(WarningCode),
    doc = "The name of a kind of warning, with which users allow or deny it: `unused-input`.",
    derive(Hash, PartialOrd, Ord, strum::EnumIter, strum::EnumString, strum::IntoStaticStr),
    strum(serialize_all = "kebab-case"),
    allow(missing_docs),
    non_exhaustive
)]
#[non_exhaustive]
pub enum WarningKind {
    /// No operator reads an input.
    #[error("no operator reads the input {tensor:?}, and it is not an output")]
    UnusedInput {
        /// Name of the input.
        tensor: String,
    },
    /// No operator reads a coefficient.
    #[error("no operator reads the coefficient {tensor:?}")]
    UnusedWeight {
        /// Name of the coefficient.
        tensor: String,
    },
    /// No tensor of the model has the name of an array in a file of weights or inputs.
    #[error("the model does not use the array {array:?} of {file}")]
    UnusedArray {
        /// Name of the array.
        array: String,
        /// The file.
        file: String,
    },
    /// Nothing reads a result, and it is not an output.
    #[error("nothing reads {tensor:?}, a result of {op}, and it is not an output")]
    UnreadResult {
        /// Name of the result.
        tensor: String,
        /// The op that computes it.
        op: String,
    },
    /// An output does not depend on any input.
    #[error("the output {tensor:?} is constant: it depends on no input")]
    ConstantOutput {
        /// Name of the output.
        tensor: String,
    },
    /// An omitted argument has another default than in other frameworks.
    #[error("{argument} is not given, so it is {default}; {elsewhere}")]
    SurprisingDefault {
        /// Name of the argument.
        argument: String,
        /// The default.
        default: String,
        /// What another framework would do: `PyTorch's avg_pool2d would use the kernel size, 2x2`.
        elsewhere: String,
    },
    /// An argument has a value that is rarely meant.
    #[error("{argument} is {found}; {usual}")]
    UnusualArgument {
        /// Name of the argument.
        argument: String,
        /// Its value.
        found: String,
        /// What is usual: `epsilons are small, as in 1e-5`.
        usual: String,
    },
    /// The image preprocessing of an input is rarely meant so.
    #[error("the preprocess of {tensor:?}: {problem}")]
    UnusualPreprocess {
        /// Name of the input.
        tensor: String,
        /// What is unusual, and what was probably meant.
        problem: String,
    },
    /// `rsqrt` adds a number to its input.
    #[error("rsqrt computes 1 / sqrt(x + 1e-5) for floats; PyTorch's rsqrt adds nothing")]
    AddedEpsilon,
    /// The filter of a transposed convolution has as many output as input channels, so that the wrong order of its axes
    /// is not an error.
    #[error(
        "weight has {channels} output and {channels} input channels; expected the output channels first \
         (PyTorch's ConvTranspose has the input channels first)"
    )]
    FilterOrder {
        /// Number of output channels, and of input channels.
        channels: usize,
    },
    /// An integer tensor is combined with a number that is not an integer.
    #[error(
        "{argument} is {value}, but the result is {dtype}, so it is rounded to integers; cast the tensor to float32 first"
    )]
    FractionalScalar {
        /// Name of the argument.
        argument: String,
        /// The number.
        value: f64,
        /// The dtype of the result.
        dtype: Dtype,
    },
    /// A finite number becomes infinite.
    #[error("{tensor:?}: {argument} is {value:e}, which is infinite as {dtype}")]
    InfiniteScalar {
        /// Name of the operator's result.
        tensor: String,
        /// Name of the attribute.
        argument: String,
        /// The number.
        value: f64,
        /// The dtype of the result.
        dtype: Dtype,
    },
    /// An integer output of a quantized model has no scale.
    #[error("the output {tensor:?} is {dtype} and has no scale, so its real values are unknown")]
    MissingScale {
        /// Name of the output.
        tensor: String,
        /// Its dtype.
        dtype: Dtype,
    },
    /// The tool chain renames a tensor.
    #[error("tpuc-opt will rename {tensor:?} to {renamed:?}")]
    RenamedTensor {
        /// Name of the tensor.
        tensor: String,
        /// Its name in the canonical module.
        renamed: String,
    },
    /// The tool chain computes something else than the operator's definition.
    #[error("{tensor:?}: {problem}")]
    ToolChainDiffers {
        /// Name of the operator's result.
        tensor: String,
        /// What the tool chain does.
        problem: String,
    },
    /// A call computes quantized tensors in a model that is emitted as a float module.
    #[error("its tensors are quantized, but the model's mode is f32; expected the mode \"quantized\"")]
    QuantizedInF32,
    /// A gradient was asked for that is zero.
    #[error("the gradient of {tensor:?} is zero; nothing that is differentiated depends on it")]
    ZeroGradient {
        /// Name of the tensor.
        tensor: String,
    },
    /// A coefficient has NaN or infinite elements.
    #[error("the coefficient {tensor:?} has {}, first at index {first}", non_finite(*nan, *infinite))]
    NotFiniteWeight {
        /// Name of the coefficient.
        tensor: String,
        /// Number of NaN elements.
        nan: usize,
        /// Number of infinite elements.
        infinite: usize,
        /// Index of the first of them, row-major.
        first: usize,
    },
    /// An input has NaN or infinite elements.
    #[error("the input {tensor:?} has {}, first at index {first}", non_finite(*nan, *infinite))]
    NotFiniteInput {
        /// Name of the input.
        tensor: String,
        /// Number of NaN elements.
        nan: usize,
        /// Number of infinite elements.
        infinite: usize,
        /// Index of the first of them, row-major.
        first: usize,
    },
    /// A result has NaN or infinite elements.
    #[error("{tensor:?} has {}, first at index {first}; {origin}", non_finite(*nan, *infinite))]
    NotFiniteResult {
        /// Name of the result.
        tensor: String,
        /// Number of NaN elements.
        nan: usize,
        /// Number of infinite elements.
        infinite: usize,
        /// Index of the first of them, row-major.
        first: usize,
        /// Where they come from: `the first tensor with such elements is "h", computed by Log`.
        origin: String,
    },
    /// Most elements of a quantized result are at the limits of its dtype.
    #[error("{at_limits} of {elements} elements of {tensor:?} are at the limits of {of}; the scale seems too small")]
    SaturatedResult {
        /// Name of the result.
        tensor: String,
        /// Number of elements at the limits.
        at_limits: usize,
        /// Number of all elements.
        elements: usize,
        /// The dtype and the quantization: `int8 (scale 0.5)`.
        of: String,
    },
    /// Integer arithmetic saturates.
    #[error(
        "{saturated} of {} of {tensor:?}, computed by {op}, {} at the limits of int32",
        pluralized(*elements, "element"), either(*saturated, "saturates", "saturate")
    )]
    IntegerOverflow {
        /// Name of the result.
        tensor: String,
        /// The op that computes it.
        op: String,
        /// Number of elements that saturate.
        saturated: usize,
        /// Number of all elements.
        elements: usize,
    },
    /// A calibration table lacks tensors that layers compute.
    #[error("{table} has no threshold for {}; the tool chain may refuse it", such_as(*count, "tensor", tensor))]
    MissingThreshold {
        /// The table.
        table: String,
        /// The first of the tensors.
        tensor: String,
        /// Number of such tensors.
        count: usize,
    },
    /// A calibration table names another network. A remark: the network may have been renamed.
    #[error("{table} was made for the network {of:?}, and this is {network:?}; the thresholds may not fit")]
    OtherTable {
        /// The table.
        table: String,
        /// The network that it names.
        of: String,
        /// The network that it is used for.
        network: String,
    },
    /// Samples are probably damaged.
    #[error("{} {} {problem}", such_as(*count, "sample", sample), either(*count, "has", "have"))]
    UnusualSample {
        /// The first of the samples.
        sample: String,
        /// Number of such samples.
        count: usize,
        /// What they have: `only zeros`.
        problem: String,
    },
    /// A chip computes layers in integers that are computed in floats here.
    #[error(
        "the chip computes {} in integers; here {} F16, so the chip's error may be larger; calibrate --search keeps {} in floats",
        such_as(*count, "layer", layer), either(*count, "it is", "they are"), either(*count, "it", "them")
    )]
    NotEmulated {
        /// The first of the layers.
        layer: String,
        /// Number of such layers.
        count: usize,
    },
    /// A chip computes attentions as one operator each, which has larger errors than its layers.
    #[error(
        "the chip computes {} as one operator{}, whose error in INT8 is larger than here; calibrate --search keeps {} in F16",
        such_as(*count, "attention", layer), either(*count, "", " each"), either(*count, "it", "them")
    )]
    FusedAttention {
        /// The output projection of the first.
        layer: String,
        /// Number of attentions.
        count: usize,
    },
    /// Layers are computed in float16, which does not represent their numbers.
    #[error(
        "the chip computes {} in F16, whose range is too small for the numbers; calibrate --search makes {} F32",
        such_as(*count, "layer", layer), either(*count, "it", "them")
    )]
    BeyondFloat16 {
        /// The first of the layers.
        layer: String,
        /// Number of such layers.
        count: usize,
    },
    /// An array has a dtype that no tensor has, or a wider one, and is converted. A remark: every value fits, or reading it
    /// is an error.
    #[error("{tensor:?} is stored as {from}, and is converted to {to}")]
    Converted {
        /// Name of the tensor.
        tensor: String,
        /// The dtype of the array.
        from: Dtype,
        /// The dtype of the tensor.
        to: Dtype,
    },
    /// A tensor is fed that is no input. A remark: it was asked for.
    #[error("{tensor:?} is fed instead of {instead}")]
    FedInner {
        /// Name of the tensor.
        tensor: String,
        /// What is not used: `the result of top.Conv`.
        instead: String,
    },
    /// A file of inputs has a result of the model too, which is computed.
    #[error("{file} also has {tensor:?}, which is not fed but computed; --set {tensor}={file} would feed it")]
    UnfedResult {
        /// Name of the result.
        tensor: String,
        /// The file.
        file: String,
    },
    /// A quantized ONNX model became a network of floats. A remark: its results are the same.
    #[error("the model is quantized, but becomes a network of floats: {reason}")]
    QuantizationInFloats {
        /// The reason: `"y" has 3 scales; expected one`.
        reason: String,
    },
    /// A loop was replaced by copies of its body. A remark: the model computes the same.
    #[error("the loop {name:?} is written as {} of its body, since the tool chain runs few loops", pluralized(*copies as usize, "copy"))]
    LoopUnrolled {
        /// Name of its first result.
        name: String,
        /// Number of its iterations.
        copies: u64,
    },
    /// An `If` is in a branch of another.
    #[error("the branches of {name:?} are in a branch, where the tool chain computes 0 for them")]
    NestedBranches {
        /// Name of the result of the inner one.
        name: String,
    },
    /// A loop is written as `top.Loop`.
    #[error("the loop {name:?} is written as top.Loop, which the tool chain may reject")]
    LoopKept {
        /// Name of its first result.
        name: String,
    },
    /// An option has no effect on this model.
    #[error("{option} has no effect: {reason}")]
    NoEffect {
        /// The option.
        option: String,
        /// The reason.
        reason: String,
    },
    /// A device does something else than asked for, or slower.
    #[error("{0}")]
    Device(String),
}

impl WarningKind {
    /// Returns the name of the tensor that the warning is about, if it is about one.
    pub fn tensor(&self) -> Option<&str> {
        use WarningKind::*;
        match self {
            UnusedInput { tensor }
            | UnusedWeight { tensor }
            | UnreadResult { tensor, .. }
            | ConstantOutput { tensor }
            | InfiniteScalar { tensor, .. }
            | MissingScale { tensor, .. }
            | UnusualPreprocess { tensor, .. }
            | RenamedTensor { tensor, .. }
            | ToolChainDiffers { tensor, .. }
            | ZeroGradient { tensor }
            | NotFiniteWeight { tensor, .. }
            | NotFiniteInput { tensor, .. }
            | NotFiniteResult { tensor, .. }
            | SaturatedResult { tensor, .. }
            | IntegerOverflow { tensor, .. }
            | MissingThreshold { tensor, .. }
            | NotEmulated { layer: tensor, .. }
            | FusedAttention { layer: tensor, .. }
            | BeyondFloat16 { layer: tensor, .. }
            | Converted { tensor, .. }
            | FedInner { tensor, .. }
            | UnfedResult { tensor, .. } => Some(tensor),
            LoopUnrolled { name, .. } | NestedBranches { name } | LoopKept { name } => Some(name),
            UnusedArray { .. }
            | OtherTable { .. }
            | UnusualSample { .. }
            | SurprisingDefault { .. }
            | UnusualArgument { .. }
            | AddedEpsilon
            | FilterOrder { .. }
            | FractionalScalar { .. }
            | QuantizedInF32
            | QuantizationInFloats { .. }
            | NoEffect { .. }
            | Device(_) => None,
        }
    }
}

/// Formats counts: `1 NaN and 2 infinite elements`.
fn non_finite(nan: usize, infinite: usize) -> String {
    match (nan, infinite) {
        (0, infinite) => pluralized(infinite, "infinite element"),
        (nan, 0) => pluralized(nan, "NaN element"),
        (nan, infinite) => format!("{nan} NaN and {}", pluralized(infinite, "infinite element")),
    }
}

/// Names the first of some things: `the layer "a"` or `3 layers such as "a"`.
fn such_as(count: usize, thing: &str, first: &str) -> String {
    match count {
        1 => format!("the {thing} {first:?}"),
        _ => format!("{} such as {first:?}", pluralized(count, thing)),
    }
}

/// Returns the word for one thing or for several.
fn either(count: usize, one: &'static str, several: &'static str) -> &'static str {
    if count == 1 { one } else { several }
}

/// How serious a warning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The model does what was asked for, in another way than written.
    Remark,
    /// The model is valid but probably not what was meant.
    Warning,
}

impl WarningCode {
    /// Returns the name: `unused-input`.
    ///
    /// ```
    /// use tpulang::base::WarningCode;
    /// assert_eq!("unused-input".parse(), Ok(WarningCode::UnusedInput));
    /// assert_eq!(WarningCode::UnusedInput.name(), "unused-input");
    /// ```
    pub fn name(self) -> &'static str {
        self.into()
    }
    /// Returns the code of this name.
    ///
    /// # Errors
    /// Returns an error with a similar name if there is no such code.
    pub fn from_name(name: &str) -> Result<WarningCode> {
        name.parse().map_err(|_| {
            let hint = match nearest(name, WarningCode::all().map(WarningCode::name)) {
                Some(near) => format!("did you mean {near}?"),
                None => "`tpulang explain` lists them".to_owned(),
            };
            invalid(format!("there is no warning {:?}; {hint}", truncated(name)))
        })
    }
    /// Returns all codes.
    pub fn all() -> impl Iterator<Item = WarningCode> {
        <WarningCode as strum::IntoEnumIterator>::iter()
    }
    /// Returns how serious the warning is.
    pub fn severity(self) -> Severity {
        match self {
            WarningCode::Converted
            | WarningCode::FedInner
            | WarningCode::OtherTable
            | WarningCode::QuantizationInFloats
            | WarningCode::LoopUnrolled => Severity::Remark,
            _ => Severity::Warning,
        }
    }
}

impl std::fmt::Display for WarningCode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
