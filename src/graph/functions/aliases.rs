//! Names of functions and arguments in PyTorch, ONNX and NumPy, and tpulang's names for them.

/// Names of functions, normalized by [`plain`].
const FUNCTIONS: &[(&[&str], &str)] = &[
    (&["conv1d", "conv2d", "convolution", "depthwiseconv2d", "separableconv2d"], "conv"),
    (&["convinteger"], "conv_int"),
    (&["qlinearconv"], "conv_quant"),
    (&["convtranspose", "convtranspose1d", "convtranspose2d", "conv2dtranspose", "deconv2d"], "deconv"),
    (&["convtranspose3d", "conv3dtranspose"], "deconv3d"),
    (&["gemm", "linear", "dense", "fullyconnected", "mm", "bmm", "dot", "addmm"], "matmul"),
    (&["matmulinteger"], "matmul_int"),
    (&["qlinearmatmul"], "matmul_quant"),
    (&["maxpool", "globalmaxpool", "maxpooling2d", "globalmaxpooling2d"], "maxpool2d"),
    (
        &[
            "averagepool",
            "averagepool2d",
            "averagepooling2d",
            "avgpool",
            "globalaveragepool",
            "globalaveragepooling2d",
            "adaptiveavgpool2d",
        ],
        "avgpool2d",
    ),
    (&["batchnorm1d", "batchnorm2d", "batchnormalization"], "batch_norm"),
    (&["layernormalization"], "layer_norm"),
    (&["groupnormalization"], "group_norm"),
    (&["rmsnormalization"], "rms_norm"),
    (&["lpnormalization"], "normalize"),
    (&["subtract", "rsub"], "sub"),
    (&["multiply"], "mul"),
    (&["divide", "truediv", "truedivide"], "div"),
    (&["embedding", "embeddingbag"], "index_select"),
    (&["maskedfill"], "cond_select"),
    (&["maximum"], "max"),
    (&["minimum"], "min"),
    (&["power"], "pow"),
    (&["log"], "ln"),
    (&["acos"], "arccos"),
    (&["atanh"], "arctanh"),
    (&["hardswish"], "hswish"),
    (&["hardsilu"], "hswish"),
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
    (&["where", "ifelse"], "cond_select"),
    (&["argmax", "argmin"], "arg"),
    (
        &["sum", "mean", "prod", "amax", "amin", "reducesum", "reducemean", "reducemax", "reducemin", "reduceprod"],
        "reduce",
    ),
    (&["reducel1", "reducel2", "norm"], "reduce"),
    (&["transpose", "swapaxes", "moveaxis", "t", "mt"], "permute"),
    (&["flatten", "view", "unflatten"], "reshape"),
    (&["cat", "concatenate"], "concat"),
    (&["chunk"], "split"),
    (&["expanddims"], "unsqueeze"),
    (&["stridedslice", "narrow"], "slice"),
    (&["constantpad", "constantpad2d", "zeropad2d", "zeropadding2d", "reflectionpad2d", "replicationpad2d"], "pad"),
    (&["expand", "broadcastto"], "broadcast"),
    (&["shape", "size"], "shape_fetch"),
    (&["gather", "take"], "index_select"),
    (&["takealongaxis"], "gather_elements"),
    (&["scatterelements"], "scatter"),
    (&["resize", "upsamplebilinear2d", "upsamplenearest2d"], "interpolate"),
    (&["nonmaxsuppression"], "nms"),
    (&["upsampling2d"], "upsample"),
    (&["rotaryembedding"], "rope"),
    (&["astype", "to"], "cast"),
    (&["quantizelinear", "quantize"], "requant_fp_to_int"),
    (&["dequantizelinear", "dequantize"], "dequant_int_to_fp"),
];

/// Names of operations that no function has, normalized by [`plain`], and the ops that compute them.
const OPS: &[(&[&str], &str)] = &[
    (&["depthtospace", "spacetodepth", "pixelshuffle", "pixelunshuffle"], "Depth2Space"),
    (&["gridsample"], "GridSampler"),
    (&["scaleddotproductattention", "dotproductattention"], "ScaleDotProductAttention"),
    (&["multiheadattention"], "Attention"),
    (&["flashattention"], "FAttention"),
    (&["instancenorm2d", "instancenormalization"], "InstanceNorm"),
    (&["localresponsenorm"], "LRN"),
    (&["softplus"], "Softplus"),
    (&["tril", "triu"], "Trilu"),
    (&["flip", "reversesequence"], "Reverse"),
    (&["channelshuffle"], "ShuffleChannel"),
    (&["maxroipool", "roipool"], "ROIPooling"),
    (&["deformconv", "deformconv2d"], "DeformConv2D"),
    (&["eyelike", "full", "fulllike", "constantofshape", "ones", "zeros", "zeroslike", "oneslike"], "ConstantFill"),
    (&["var", "std", "stdmean", "varmean"], "Variance"),
    (&["indexput", "indexcopy"], "IndexPut"),
    (&["fmod"], "Mod"),
    (&["logsoftmax"], "Softmax"),
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
    (&["tensor", "input", "x"], &["tensor"]),
    (&["align_corners", "coordinate_transformation_mode"], &["coord_mode"]),
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

/// Returns the op that computes an operation of another library for which there is no function.
pub(super) fn op(name: &str) -> Option<&'static str> {
    let wanted = plain(name);
    OPS.iter().find(|(theirs, _)| theirs.contains(&wanted.as_str())).map(|(_, ours)| *ours)
}

/// Returns the functions and ops (`top.Depth2Space`) that an operation of another library may stand for: those of the same
/// name, then those listed here.
///
/// ```
/// use tpulang::functions::known_elsewhere;
/// assert_eq!(known_elsewhere("nn.ConvTranspose2d"), ["deconv"]);
/// assert_eq!(known_elsewhere("torch.nn.PixelShuffle"), ["top.Depth2Space"]);
/// assert_eq!(known_elsewhere("LSTM"), ["top.LSTM"]);
/// ```
pub fn known_elsewhere(name: &str) -> Vec<String> {
    let functions = super::functions().map(|f| f.name);
    let same_op = crate::ops::OPS.iter().map(|op| op.name).find(|op| plain(op) == plain(name));
    let ops = same_op.or_else(|| op(name)).map(|op| format!("top.{op}"));
    function(name, functions).map(str::to_owned).into_iter().chain(ops).collect()
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

    /// The operations of PyTorch, ONNX and Keras that people look for, by the names that they use.
    #[test]
    fn operations_of_other_frameworks_are_found() {
        for (theirs, ours) in [
            ("torch.masked_fill", "cond_select"),
            ("conv_transpose2d", "deconv"),
            ("Conv2DTranspose", "deconv"),
            ("depth_to_space", "top.Depth2Space"),
            ("nn.PixelShuffle", "top.Depth2Space"),
            ("F.grid_sample", "top.GridSampler"),
            ("nn.Embedding", "index_select"),
            ("tf.nn.embedding_lookup", ""),
            ("LSTM", "top.LSTM"),
            ("nn.GRU", "top.GRU"),
            ("scaled_dot_product_attention", "top.ScaleDotProductAttention"),
            ("MultiHeadAttention", "top.Attention"),
            ("DepthwiseConv2D", "conv"),
            ("GlobalAveragePooling2D", "avgpool2d"),
            ("InstanceNormalization", "top.InstanceNorm"),
            ("einsum", "top.Einsum"),
            ("Gemm", "matmul"),
            ("QLinearConv", "conv_quant"),
            ("nn.Linear", "matmul"),
            ("torch.where", "cond_select"),
            ("UpSampling2D", "upsample"),
            ("Trilu", "top.Trilu"),
            ("nn.Hardswish", "hswish"),
        ] {
            assert_eq!(known_elsewhere(theirs).first().map_or("", String::as_str), ours, "{theirs}");
        }
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
        for (theirs, ours) in OPS {
            assert!(crate::ops::op_def(ours).is_ok(), "{ours}");
            theirs.iter().for_each(|name| assert_eq!(*name, plain(name)));
        }
        for ours in ARGUMENTS.iter().flat_map(|(_, ours)| *ours) {
            assert!(functions().any(|f| f.arguments().iter().any(|a| a.name == *ours)), "{ours}");
        }
    }
}
