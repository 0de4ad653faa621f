// What every definition shares: the dialect, the base class, the attribute
// kinds with a closed set of strings, and the traits that tpulang reads.
include "mlir/IR/OpBase.td"

def Top_Dialect : Dialect {
  let name = "top";
  let cppNamespace = "::tpulang::top";
}

class Top_Op<string mnemonic, list<Trait> traits = []> : Op<Top_Dialect, mnemonic, traits>;

// The values pass through unchanged, so input and output share one scale and
// zero point: quantization is propagated across such an op in both directions.
def QuantTransparent : NativeOpTrait<"QuantTransparent">;

def AnyTensorOrNone : AnyTypeOf<[AnyTensor, NoneType]>;

// A string attribute that takes one of `allowed`.
class OneOf<list<string> cases> : StringBasedAttr<
    CPred<!interleave(!foreach(c, cases,
      "::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"" # c # "\""), " || ")>,
    "one of: " # !interleave(cases, ", ")> {
  list<string> allowed = cases;
}

def RoundMode : OneOf<["HalfAwayFromZero", "HalfUp", "HalfDown", "HalfToEven", "HalfToOdd",
                       "HalfTowardsZero", "TowardsZero", "Up", "Down"]>;
def AutoPad : OneOf<["SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID"]>;
def DequantType : OneOf<["NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4"]>;
