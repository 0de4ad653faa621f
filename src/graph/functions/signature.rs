//! The parameters of functions in TpuLang's order.
use super::{ArgumentDef, FunctionDef};

/// A parameter of a function in Python.
#[derive(Debug, Clone, Copy)]
pub enum Parameter<'f> {
    /// An argument.
    Argument(&'f ArgumentDef),
    /// `out_name`: the name of the output, or the beginning of the names of several.
    OutName,
    /// `out_names`: a list with the name of each output.
    OutNames,
    /// `mask_name`: the name of the second output.
    MaskName,
}

impl Parameter<'_> {
    /// Returns the parameter's name.
    ///
    /// ```
    /// assert_eq!(tpulang::functions::Parameter::OutName.name(), "out_name");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Parameter::Argument(argument) => argument.name,
            Parameter::OutName => "out_name",
            Parameter::OutNames => "out_names",
            Parameter::MaskName => "mask_name",
        }
    }
    fn is_required(&self) -> bool {
        matches!(self, Parameter::Argument(argument) if argument.required)
    }
}

/// The parameters of a function.
#[derive(Debug, Clone)]
pub struct Signature<'f> {
    /// Those that may be passed by position, in TpuLang's order.
    pub positional: Vec<Parameter<'f>>,
    /// The number of leading `positional` parameters without a default. An optional argument among them, which is before a
    /// required one, may be passed as `None`.
    pub required: usize,
    /// Optional arguments that are passed by name only, because TpuLang lacks them.
    pub keyword_only: Vec<&'f ArgumentDef>,
}

impl FunctionDef {
    /// Returns the parameters in TpuLang's order: the arguments, then the name of the output, with exceptions.
    ///
    /// ```
    /// use tpulang::functions::{Parameter, function_def};
    /// let cast = function_def("cast")?.signature();
    /// let names: Vec<_> = cast.positional.iter().map(Parameter::name).collect();
    /// assert_eq!(names, ["tensor_i", "out_dtype", "out_name", "round_mode"]);
    /// assert_eq!(cast.required, 1);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn signature(&self) -> Signature<'_> {
        let is_keyword = |argument: &&ArgumentDef| KEYWORD_ONLY.contains(&(self.name, argument.name));
        let (keyword_only, arguments): (Vec<_>, Vec<_>) = self.arguments().iter().partition(is_keyword);
        let mut positional: Vec<_> = arguments.into_iter().map(Parameter::Argument).collect();
        positional.extend(output_names(self.name));
        for exception in MOVED.iter().filter(|m| m.functions.contains(&self.name)) {
            exception.apply(&mut positional);
        }
        let required = positional.iter().rposition(Parameter::is_required).map_or(0, |last| last + 1);
        Signature { positional, required, keyword_only }
    }
}

/// The parameters that name the outputs.
fn output_names(function: &str) -> &'static [Parameter<'static>] {
    match function {
        "custom" => &[Parameter::OutNames],
        "maxpool2d_with_mask" => &[Parameter::OutName, Parameter::MaskName],
        _ => &[Parameter::OutName],
    }
}

/// Arguments that TpuLang lacks.
const KEYWORD_ONLY: [(&str, &str); 1] = [("custom", "out_shapes")];

/// Parameters that have another place in TpuLang than in the table.
struct Moved {
    functions: &'static [&'static str],
    parameters: &'static [&'static str],
    /// The parameter that follows them; `None` if they are the last.
    before: Option<&'static str>,
}

impl Moved {
    fn apply(&self, all: &mut Vec<Parameter>) {
        let place = |all: &[Parameter], name: &str| all.iter().position(|p| p.name() == name);
        let take = |name: &&str| place(all, name).map(|at| all.remove(at));
        let moved: Vec<_> = self.parameters.iter().filter_map(take).collect();
        let at = self.before.and_then(|name| place(all, name)).unwrap_or(all.len());
        all.splice(at..at, moved);
    }
}

/// `moved!(functions: parameters => the one that follows)`
macro_rules! moved {
    ($($($function:ident)+: $($parameter:ident)+ => $before:expr;)+) => {
        &[$( Moved {
            functions: &[$(stringify!($function)),+],
            parameters: &[$(stringify!($parameter)),+],
            before: $before,
        }, )+]
    };
}

const MOVED: &[Moved] = moved! {
    conv conv3d deconv deconv3d matmul: out_dtype => Some("out_name");
    conv_int conv3d_int deconv_int: input_zp weight_zp out_dtype => Some("out_name");
    conv_quant conv3d_quant:
        input_scale weight_scale output_scale input_zp weight_zp output_zp out_dtype => Some("out_name");
    matmul_int: input_zp right_zp => Some("do_relu");
    matmul_int: out_dtype => Some("out_name");
    avgpool2d avgpool3d: count_include_pad round_mode first_round_mode => None;
    gelu maxpool2d maxpool3d sigmoid tanh: round_mode => None;
    swish: round_mode => Some("out_name");
    multi_scale_deformable_attention: value identity query_pos => Some("key_padding_mask");
    qwen2_block qwen2_block_cache: cos sin => Some("out_dtype");
    qwen2_block qwen2_block_cache: o_proj_bias => Some("down_proj_weights");
    cast dequant_int dequant_int_to_fp leaky_relu requant_fp requant_fp_to_int requant_int softmax_int:
        out_name => Some("round_mode");
    a16matmul: out_name => Some("group_size");
    concat: out_name => Some("dtype");
    custom: out_names => Some("params");
    fp8matmul: out_name => Some("block_size");
    index_select: out_name => Some("keep_dims");
    matmulrq_int_op: out_name => Some("multiplier");
    mean_std_scale: out_name => Some("odtype");
    roiExtractor: out_name => Some("max_roi_num");
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::{function_def, functions};

    /// One function per line: the parameters in TpuLang's order, those with a default followed by `=`.
    const TPULANG: &str = include_str!("../../../tests/tpulang_signatures.txt");

    #[test]
    fn parameters_are_in_the_order_of_tpulang() {
        let mut compared = 0;
        for (name, parameters) in TPULANG.lines().filter_map(|line| line.split_once(": ")) {
            let signature = function_def(name).unwrap().signature();
            let written = |(i, p): (usize, &Parameter)| match i < signature.required {
                true => p.name().to_owned(),
                false => format!("{}=", p.name()),
            };
            let ours: Vec<_> = signature.positional.iter().enumerate().map(written).collect();
            assert_eq!(ours.join(" "), parameters, "{name}");
            compared += 1;
        }
        assert_eq!(compared, 139);
    }

    #[test]
    fn a_signature_has_each_argument_once() {
        for f in functions() {
            let Signature { positional, keyword_only, .. } = f.signature();
            let of_position = positional.iter().filter_map(|p| match p {
                Parameter::Argument(argument) => Some(argument.name),
                _ => None,
            });
            let mut all: Vec<_> = of_position.chain(keyword_only.iter().map(|a| a.name)).collect();
            let mut arguments: Vec<_> = f.arguments().iter().map(|a| a.name).collect();
            [&mut all, &mut arguments].into_iter().for_each(|names| names.sort_unstable());
            assert_eq!(all, arguments, "{}", f.name);
        }
    }

    #[test]
    fn every_exception_is_needed() {
        for moved in MOVED {
            for function in moved.functions {
                let f = function_def(function).unwrap();
                let mut names: Vec<_> = f.arguments().iter().map(Parameter::Argument).collect();
                names.extend(output_names(f.name));
                let before: Vec<_> = names.iter().map(Parameter::name).collect();
                moved.apply(&mut names);
                assert_ne!(before, names.iter().map(Parameter::name).collect::<Vec<_>>(), "{function}");
            }
        }
    }
}
