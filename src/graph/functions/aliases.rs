//! Names of functions and arguments in PyTorch, ONNX and NumPy, and tpulang's names for them.

/// Names of functions, normalized by [`plain`].
const FUNCTIONS: &[(&[&str], &str)] = &[
    (&["conv1d", "conv2d", "convolution"], "conv"),
    (&["convinteger", "qlinearconv"], "conv_int"),
    (&["convtranspose", "convtranspose1d", "convtranspose2d", "deconv2d"], "deconv"),
    (&["convtranspose3d"], "deconv3d"),
    (&["gemm", "linear", "dense", "fullyconnected", "mm", "bmm", "dot", "addmm"], "matmul"),
    (&["matmulinteger"], "matmul_int"),
    (&["qlinearmatmul"], "matmul_quant"),
    (&["maxpool", "globalmaxpool"], "maxpool2d"),
    (&["averagepool", "averagepool2d", "avgpool", "globalaveragepool", "adaptiveavgpool2d"], "avgpool2d"),
    (&["batchnorm1d", "batchnorm2d", "batchnormalization"], "batch_norm"),
    (&["layernormalization"], "layer_norm"),
    (&["groupnormalization"], "group_norm"),
    (&["rmsnormalization"], "rms_norm"),
    (&["lpnormalization"], "normalize"),
    (&["subtract", "rsub"], "sub"),
    (&["multiply"], "mul"),
    (&["divide", "truediv", "truedivide"], "div"),
    (&["maximum"], "max"),
    (&["minimum"], "min"),
    (&["power"], "pow"),
    (&["log"], "ln"),
    (&["acos"], "arccos"),
    (&["atanh"], "arctanh"),
    (&["hardswish"], "hswish"),
    (&["hardsigmoid"], "hsigmoid"),
    (&["clip", "hardtanh", "relu6"], "clamp"),
    (&["identity", "clone"], "copy"),
    (&["reciprocal"], "div"),
    (&["equal"], "eq"),
    (&["notequal"], "ne"),
    (&["greater"], "gt"),
    (&["less"], "lt"),
    (&["greaterequal", "greaterorequal"], "ge"),
    (&["lessequal", "lessorequal"], "le"),
    (&["and", "logicaland"], "and_op"),
    (&["or", "logicalor"], "or_op"),
    (&["xor", "logicalxor"], "xor_op"),
    (&["not", "logicalnot"], "not_op"),
    (&["where"], "cond_select"),
    (&["argmax", "argmin"], "arg"),
    (
        &["sum", "mean", "prod", "amax", "amin", "reducesum", "reducemean", "reducemax", "reducemin", "reduceprod"],
        "reduce",
    ),
    (&["reducel1", "reducel2", "norm"], "reduce"),
    (&["transpose", "swapaxes", "moveaxis"], "permute"),
    (&["flatten", "view"], "reshape"),
    (&["cat", "concatenate"], "concat"),
    (&["chunk"], "split"),
    (&["expanddims"], "unsqueeze"),
    (&["stridedslice", "narrow"], "slice"),
    (&["constantpad", "constantpad2d", "zeropad2d"], "pad"),
    (&["expand", "broadcastto"], "broadcast"),
    (&["shape", "size"], "shape_fetch"),
    (&["gather", "take"], "index_select"),
    (&["takealongaxis"], "gather_elements"),
    (&["scatterelements"], "scatter"),
    (&["resize"], "interpolate"),
    (&["nonmaxsuppression"], "nms"),
    (&["rotaryembedding"], "rope"),
    (&["astype", "to"], "cast"),
    (&["quantizelinear", "quantize"], "requant_fp_to_int"),
    (&["dequantizelinear", "dequantize"], "dequant_int_to_fp"),
];

/// Names of arguments, and the candidates for tpulang's name: the first that the function has.
const ARGUMENTS: &[(&[&str], &[&str])] = &[
    (&["dim", "dims", "axis", "axes"], &["axis", "axes", "dims", "order"]),
    (&["perm", "permutation"], &["order"]),
    (&["kernel_size", "kernel_shape", "ksize"], &["kernel"]),
    (&["padding", "pads"], &["pad", "padding"]),
    (&["strides"], &["stride"]),
    (&["dilations"], &["dilation"]),
    (&["groups"], &["group"]),
    (&["running_mean", "input_mean"], &["mean"]),
    (&["running_var", "input_var", "var"], &["variance"]),
    (&["weight", "scale"], &["gamma"]),
    (&["bias", "B"], &["beta", "bias"]),
    (&["eps", "epsilon"], &["epsilon", "eps"]),
    (&["keepdim", "keepdims"], &["keep_dims"]),
    (&["x", "X", "a", "A", "input", "self", "data", "tensor"], &["input", "tensor_i0", "tensor_i", "base", "lhs"]),
    (&["other", "y", "Y", "b", "B", "exponent"], &["tensor_i1", "right", "expn", "rhs"]),
    (&["filter", "W", "w"], &["weight"]),
    (&["indices", "idx"], &["index"]),
    (&["alpha", "slope"], &["negative_slope", "slope"]),
    (&["dtype", "to", "output_dtype"], &["out_dtype"]),
    (&["starts"], &["start"]),
    (&["ends"], &["end"]),
    (&["steps", "step"], &["stride", "steps"]),
    (&["shape", "size", "repeats", "sizes"], &["new_shape", "reps", "sizes"]),
    (&["mode"], &["method"]),
    (&["min_val"], &["min"]),
    (&["max_val"], &["max"]),
    (&["zero_points", "zp"], &["zero_point"]),
    (&["transpose_b", "transB", "trans_b"], &["right_transpose"]),
    (&["transpose_a", "transA", "trans_a"], &["input_transpose"]),
];

/// Removes the module path and underscores, and converts to lower case.
fn plain(name: &str) -> String {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    last.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Returns tpulang's name for a function, if it is among the known ones.
pub(super) fn function<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let wanted = plain(name);
    let listed = || FUNCTIONS.iter().find(|(theirs, _)| theirs.contains(&wanted.as_str())).map(|(_, ours)| *ours);
    known.clone().find(|k| plain(k) == wanted).or_else(|| listed().and_then(|ours| known.clone().find(|k| *k == ours)))
}

/// Returns tpulang's name for an argument, if it is among the known ones.
pub(super) fn argument<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let listed = ARGUMENTS.iter().filter(|(theirs, _)| theirs.contains(&name));
    listed.flat_map(|(_, ours)| *ours).find_map(|ours| known.clone().find(|k| k == ours))
}

/// Returns the names of a function in other libraries.
pub(super) fn names_of(function: &str) -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().filter(move |(_, ours)| *ours == function).flat_map(|(theirs, _)| *theirs).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::functions;

    #[test]
    fn names_of_others_lead_here() {
        let known = || functions().map(|f| f.name);
        for (theirs, ours) in [
            ("MaxPool", Some("maxpool2d")),
            ("nn.MaxPool2d", Some("maxpool2d")),
            ("torch.nn.functional.leaky_relu", Some("leaky_relu")),
            ("LeakyRelu", Some("leaky_relu")),
            ("np.concatenate", Some("concat")),
            ("BatchNormalization", Some("batch_norm")),
            ("frobnicate", None),
        ] {
            assert_eq!(function(theirs, known()), ours, "{theirs}");
        }
        let of = |f: &str, name: &str| argument(name, function_names(f).into_iter());
        assert_eq!(of("softmax", "dim"), Some("axis"));
        assert_eq!(of("batch_norm", "running_var"), Some("variance"));
        assert_eq!(of("conv", "padding"), Some("pad"));
        assert_eq!(of("conv", "running_mean"), None);
    }
    fn function_names(function: &str) -> Vec<&'static str> {
        crate::functions::function_def(function).unwrap().arguments().iter().map(|a| a.name).collect()
    }

    #[test]
    fn every_name_of_ours_exists_and_none_of_theirs_is_ours() {
        for (theirs, ours) in FUNCTIONS {
            assert!(functions().any(|f| f.name == *ours), "{ours}");
            for name in *theirs {
                assert_eq!(*name, plain(name));
                assert!(!functions().any(|f| f.name == *name), "{name}");
            }
        }
        for ours in ARGUMENTS.iter().flat_map(|(_, ours)| *ours) {
            assert!(functions().any(|f| f.arguments().iter().any(|a| a.name == *ours)), "{ours}");
        }
    }
}
