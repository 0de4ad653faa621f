// What every definition shares: the dialect, the base class, the attribute
// kinds with a closed set of strings, and the traits that tpulang reads.
include "mlir/IR/OpBase.td"

def Top_Dialect : Dialect {
  let name = "top";
  let cppNamespace = "::tpulang::top";
}

class Top_Op<string mnemonic, list<Trait> traits = []> : Op<Top_Dialect, mnemonic, traits> {
  // Attributes that tpulang accepts, and writes again, but that change no result.
  list<string> ignored = [];
}

// A function of one tensor.
class Top_UnaryOp<string mnemonic, list<Trait> traits = []> : Top_Op<mnemonic, traits> {
  let arguments = (ins Arg<AnyTensor, "The tensor">:$input);
  let results = (outs AnyTensor:$output);
}

// A function of several tensors.
class Top_NaryOp<string mnemonic, list<Trait> traits = []> : Top_Op<mnemonic, traits> {
  let arguments = (ins Arg<Variadic<AnyTensor>, "The tensors">:$inputs);
  let results = (outs AnyTensor:$output);
}

// The values pass through unchanged, so input and output share one scale and
// zero point: quantization is propagated across such an op in both directions.
def QuantTransparent : NativeOpTrait<"QuantTransparent">;

// The op declares values (inputs, coefficients, ends of blocks) and computes nothing.
def Structure : NativeOpTrait<"Structure">;

def AnyTensorOrNone : AnyTypeOf<[AnyTensor, NoneType]>;

// A string attribute that takes one of `allowed`.
class OneOf<list<string> cases> : StringBasedAttr<
    CPred<!interleave(!foreach(c, cases,
      "::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"" # c # "\""), " || ")>,
    "one of: " # !interleave(cases, ", ")> {
  list<string> allowed = cases;
  // The Rust type that stands for it, where that is not made from the strings.
  string rust = "";
}

def RoundMode : OneOf<["HalfAwayFromZero", "HalfUp", "HalfDown", "HalfToEven", "HalfToOdd",
                       "HalfTowardsZero", "TowardsZero", "Up", "Down"]> {
  let rust = "RoundMode";
}
def AutoPad : OneOf<["SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID"]>;
def DequantType : OneOf<["NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4"]>;

// Arguments of many ops.
def DoRelu : Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether negative results become 0">;
def ReluLimit : Arg<DefaultValuedAttr<F64Attr, "-1.0">,
  "With `do_relu`, the maximum of the results; 0 or a negative value means none">;
def Rounding : Arg<DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">, "How results are rounded to integers">;
def IsScalar : Arg<DefaultValuedAttr<BoolAttr, "false">,
  "Whether the tool chain treats the result, of shape [1], as a scalar">;
