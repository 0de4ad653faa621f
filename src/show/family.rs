//! Families of ops, by which drawings are colored.
use serde::Serialize;

/// A family of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Family {
    /// Convolutions, matrix products, attention, recurrent layers.
    Product,
    /// Functions of one value.
    Activation,
    /// Normalizations, and softmax.
    Norm,
    /// Pools, reductions and searches.
    Reduce,
    /// Arithmetic, comparisons and choices by element.
    Arithmetic,
    /// What moves elements: reshapes, slices, gathers.
    Layout,
    /// Conversions between dtypes and quantizations.
    Convert,
    /// Branches and loops.
    Control,
    /// All others.
    Other,
}

impl Family {
    /// Returns the family of an op.
    pub fn of(op: &str) -> Family {
        let (_, family) = TABLE.iter().find(|(ops, _)| ops.contains(&op)).unwrap_or(&(&[], Family::Other));
        *family
    }
    /// Returns the colors of its boxes in drawings: of the border and of the background.
    pub fn colors(self) -> (&'static str, &'static str) {
        match self {
            Family::Product => ("#3b6fd4", "#e8effc"),
            Family::Activation => ("#c2410c", "#fdeee6"),
            Family::Norm => ("#15803d", "#e7f6ec"),
            Family::Reduce => ("#0e7490", "#e4f4f8"),
            Family::Arithmetic => ("#7c3aed", "#f1eafe"),
            Family::Layout => ("#64748b", "#f0f2f5"),
            Family::Convert => ("#a16207", "#faf3de"),
            Family::Control => ("#be185d", "#fce8f1"),
            Family::Other => ("#52525b", "#f1f1f2"),
        }
    }
}

const TABLE: [(&[&str], Family); 8] = [
    (
        &[
            "A16MatMul",
            "Attention",
            "ChunkGatedDeltaRule",
            "Conv",
            "ConvBwd_Weight",
            "Convbwd",
            "Correlation",
            "Deconv",
            "DeformConv2D",
            "Einsum",
            "FAttention",
            "FAttentionLse",
            "FlexAttention",
            "Fp8MatMul",
            "GRU",
            "LSTM",
            "MatMul",
            "Mlp",
            "RecurrentGatedDeltaRule",
            "ScaleDotProductAttention",
            "SelectiveScan",
        ],
        Family::Product,
    ),
    (
        &[
            "Abs",
            "Arccos",
            "Arctanh",
            "Ceil",
            "Clip",
            "Cos",
            "Cosh",
            "Elu",
            "Erf",
            "Exp",
            "Floor",
            "GELU",
            "HardSigmoid",
            "HardSwish",
            "LeakyRelu",
            "Log",
            "LogB",
            "Lut",
            "Mish",
            "PRelu",
            "Reciprocal",
            "Relu",
            "Round",
            "Rsqrt",
            "SiLU",
            "Sigmoid",
            "Sign",
            "Sin",
            "Sinh",
            "Softplus",
            "Softsign",
            "Sqrt",
            "Swish",
            "Tan",
            "Tanh",
        ],
        Family::Activation,
    ),
    (
        &[
            "BatchNorm",
            "BatchNormBwd",
            "BatchNormTrain",
            "GroupNorm",
            "GroupNormTrain",
            "InstanceNorm",
            "LRN",
            "LayerNorm",
            "LayerNormBwd",
            "LayerNormTrain",
            "MeanRstd",
            "MeanStdScale",
            "Normalize",
            "PixelNorm",
            "RMSNorm",
            "Scale",
            "ScaleLut",
            "Softmax",
            "SoftmaxBwd",
        ],
        Family::Norm,
    ),
    (
        &[
            "AdaptiveAvgPool",
            "Arg",
            "AvgPool",
            "CumSum",
            "MaxPool",
            "MaxPoolWithMask",
            "MaxPoolingIndicesBwd",
            "NonZero",
            "PoolMask",
            "Reduce",
            "Sort",
            "TopK",
            "Variance",
        ],
        Family::Reduce,
    ),
    (
        &[
            "Add",
            "AddConst",
            "BinaryConstShift",
            "BinaryShift",
            "Compare",
            "CompareConst",
            "Div",
            "DivConst",
            "LogicalAnd",
            "MaskedFill",
            "Max",
            "MaxConst",
            "Min",
            "MinConst",
            "Mod",
            "Mul",
            "MulConst",
            "Pow",
            "Pow2",
            "Pow3",
            "Remainder",
            "Rope",
            "Sub",
            "SubConst",
            "Where",
        ],
        Family::Arithmetic,
    ),
    (
        &[
            "A16Gather",
            "Concat",
            "ConcatSlice",
            "ConcatVolume",
            "Copy",
            "Depth2Space",
            "Expand",
            "Flatten",
            "Gather",
            "GatherElements",
            "GatherND",
            "IndexPut",
            "Insert",
            "MaxUnpool",
            "Pack",
            "Pad",
            "Permute",
            "Repeat",
            "Reshape",
            "Reverse",
            "ScatterElements",
            "ScatterND",
            "Shape",
            "ShuffleChannel",
            "Size",
            "Slice",
            "SliceAxis",
            "Split",
            "Squeeze",
            "StridedSlice",
            "SwapChannel",
            "SwapDimInner",
            "Tile",
            "Transpose",
            "Trilu",
            "Unpack",
            "Unsqueeze",
            "Upsample",
            "View",
        ],
        Family::Layout,
    ),
    (
        &["Cast", "DequantInt", "DequantizeLinear", "DtypeCast", "QuantizeLinear", "RequantFp", "RequantInt"],
        Family::Convert,
    ),
    (&["If", "Loop"], Family::Control),
];

#[cfg(test)]
mod tests {
    use super::TABLE;
    use crate::ops::OPS;
    use std::collections::HashSet;

    #[test]
    fn families_have_ops_of_the_dialect_each_once() {
        let mut seen = HashSet::new();
        for name in TABLE.iter().flat_map(|(ops, _)| *ops) {
            assert!(OPS.iter().any(|op| op.name == *name), "there is no op {name}");
            assert!(seen.insert(name), "{name} has two families");
        }
    }
}
