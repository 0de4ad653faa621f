//! Selection by a condition: `cond_select`, `select`, `nonzero`.
use super::{
    argument::StringEnum,
    dtypes::FLOATS,
    function,
    lowering::{Lowering, one_of},
    operands::TensorOrScalar,
};
use crate::{
    Operand, Tensor,
    base::{Cause, Dtype, Result, misfit, shape_text},
    ops::{self, CompareMode, NonZeroOrder},
};

function! {
    CondSelect -> Tensor {
        "float32." cond: Operand,
        "A tensor of cond's shape, or a number." tbrn: TensorOrScalar,
        "A tensor of cond's shape, or a number; of tbrn's dtype." fbrn: TensorOrScalar,
        ;
    }
    cond_select: "`tbrn` where `cond` is nonzero, otherwise `fbrn`.",
        example |g, x, i| {
            let y = x.cond_select(x, 0.0).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

impl StringEnum for CompareMode {
    const NAME: &'static str = "comparison";
    fn words() -> Vec<(Self, &'static str)> {
        use CompareMode::*;
        [Greater, Less, GreaterOrEqual, LessOrEqual, Equal, NotEqual, And, Xor].map(|m| (m, m.name())).into()
    }
}

function! {
    Select -> Tensor {
        "float32." lhs: Operand,
        "float32, of the shape of `lhs`." rhs: Operand,
        "A tensor of that shape, or a number." tbrn: TensorOrScalar,
        "A tensor of that shape, or a number; of tbrn's dtype." fbrn: TensorOrScalar,
        "The comparison of `lhs` with `rhs`; `And` and `Xor` combine whether they are nonzero." r#type: CompareMode,
        ;
    }
    select: "`tbrn` where the comparison `type` of `lhs` with `rhs` holds, otherwise `fbrn`.",
        example |g, x, i| {
            let y = x.select(x, x, 0.0, ops::CompareMode::Greater).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    NonZero -> Tensor {
        "float32 or float16." input: Operand,
        ;
        "Dtype of the indices." dtype: Dtype = Dtype::Int32,
    }
    nonzero: "Indices of the nonzero elements in row-major order, one row each. As shapes are static, the result is `[elements, rank]`; unused rows at the end are 0.",
        example |g, x, i| {
            let y = x.nonzero().call()?;
            assert_eq!(y.shape()?, [192, 4]);
        },
        => |args, to| args.lower(to);
}

impl Select {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("lhs", &self.lhs, &[Dtype::Float32])?;
        let (lhs, rhs) = (&to.info(&self.lhs)?.shape, &to.info(&self.rhs)?.shape);
        if lhs != rhs {
            let (lhs, rhs) = (shape_text(lhs), shape_text(rhs));
            return Err(misfit("rhs", format!("is {rhs} and lhs is {lhs}; they must have the same shape")));
        }
        to.same_dtype(("lhs", &self.lhs), ("rhs", &self.rhs))?;
        let compare = ops::Compare::new(to.tensor(&self.lhs)?, to.tensor(&self.rhs)?, self.r#type);
        let cond = to.step("compare", compare, None)?;
        choose(to, ("lhs", &Operand::Tensor(cond)), &self.tbrn, &self.fbrn)
    }
}

impl NonZero {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        one_of("dtype", self.dtype(), ops::NUMBERS)?;
        let op = ops::NonZero::new(to.tensor(&self.input)?, NonZeroOrder::ColMajor);
        to.emit_as(op, self.dtype())
    }
}

/// A tensor or a number with its dtype.
struct Branch {
    dtype: Dtype,
    tensor: Option<Tensor>,
    number: Option<f64>,
}

impl CondSelect {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("cond", &self.cond, &[Dtype::Float32])?;
        choose(to, ("cond", &self.cond), &self.tbrn, &self.fbrn)
    }
}

/// Selects `tbrn` where the condition is not 0, and `fbrn` elsewhere. `cond` includes the condition's argument name.
fn choose(
    to: &mut Lowering,
    cond: (&str, &Operand),
    tbrn: &TensorOrScalar,
    fbrn: &TensorOrScalar,
) -> Result<Vec<Tensor>> {
    let yes = branch(to, "tbrn", tbrn, cond)?;
    let no = branch(to, "fbrn", fbrn, cond)?;
    if yes.dtype != no.dtype {
        let (left, left_dtype, right, right_dtype) = ("tbrn".into(), yes.dtype, "fbrn".into(), no.dtype);
        return Err(Cause::DtypeMismatch { left, left_dtype, right, right_dtype }.into());
    }
    let op = ops::Where {
        tbrn: yes.tensor,
        fbrn: no.tensor,
        x_is_const: yes.number.is_some(),
        y_is_const: no.number.is_some(),
        x_const_val: yes.number.unwrap_or(0.0),
        y_const_val: no.number.unwrap_or(0.0),
        ..ops::Where::new(to.tensor(cond.1)?)
    };
    to.emit_as(op, yes.dtype)
}

fn branch(to: &Lowering, name: &str, branch: &TensorOrScalar, cond: (&str, &Operand)) -> Result<Branch> {
    match branch {
        TensorOrScalar::Scalar(s) => Ok(Branch { dtype: s.dtype, tensor: None, number: Some(s.value) }),
        TensorOrScalar::Tensor(t) => {
            let (info, shape) = (to.info(t)?, &to.info(cond.1)?.shape);
            if info.shape != *shape {
                let (is, shape) = (shape_text(&info.shape), shape_text(shape));
                let problem = format!("is {is} and {} is {shape}; they must have the same shape", cond.0);
                return Err(misfit(name, problem));
            }
            Ok(Branch { dtype: info.dtype, tensor: Some(to.tensor(t)?), number: None })
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
        ops::CompareMode,
    };

    #[test]
    fn branches_are_checked() {
        let mut g = Graph::new("g").unwrap();
        let c = g.input("c", Dtype::Float32, [2, 3]).unwrap();
        let h = g.input("h", Dtype::Float16, [2, 3]).unwrap();
        let s = g.input("s", Dtype::Float32, [3]).unwrap();
        g.cond_select(c, 1.0, -1.0).call().unwrap();
        assert_eq!(
            first(g.cond_select(c, h, 1.0).call().unwrap_err()),
            "cond_select (ops[1]): tbrn is float16 and fbrn is float32; they must have the same dtype"
        );
        assert_eq!(
            first(g.cond_select(c, s, 1.0).call().unwrap_err()),
            "cond_select (ops[1]): tbrn is 3 and cond is 2x3; they must have the same shape"
        );
        assert_eq!(
            first(g.cond_select(h, c, c).call().unwrap_err()),
            "cond_select (ops[1]): cond is float16; expected float32"
        );
    }

    #[test]
    fn choices_and_places() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let i = g.input("i", Dtype::Int8, [2, 3]).unwrap();
        let y = g.select(x, x, i, i, CompareMode::Xor).out_name("y").call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "2x3 int8");
        let made: Vec<_> = g.operators().iter().map(|o| o.op.name()).collect();
        assert_eq!(made, ["Compare", "Where"]);
        assert!(g.find("y_compare").is_ok());
        let y = g.nonzero(x).dtype(Dtype::Float16).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().type_text(), "6x2 float16");
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "select",
            &[
                r#"{"op": "cond_select", "args": {"cond": "x", "tbrn": "v", "fbrn": 0.5}, "out": "y"}"#,
                r#"{"op": "select", "args": {"lhs": "x", "rhs": "v", "tbrn": "x", "fbrn": 0.5, "type": "Less"}, "out": "y"}"#,
                r#"{"op": "select", "args": {"lhs": "x", "rhs": "x", "tbrn": "v", "fbrn": 0.5, "type": "Less"}, "out": "y"}"#,
                r#"{"op": "select", "args": {"lhs": "x", "rhs": "x", "tbrn": "i", "fbrn": 0.5, "type": "Less"}, "out": "y"}"#,
                r#"{"op": "select", "args": {"lhs": "i", "rhs": "i", "tbrn": "x", "fbrn": "x", "type": "Less"}, "out": "y"}"#,
                r#"{"op": "select", "args": {"lhs": "x", "rhs": "x", "tbrn": "x", "fbrn": "x", "type": "Greatr"}, "out": "y"}"#,
                r#"{"op": "select", "args": {"lhs": "x", "rhs": "x", "tbrn": "x", "fbrn": "x"}, "out": "y"}"#,
                r#"{"op": "nonzero", "args": {"input": "i"}, "out": "y"}"#,
                r#"{"op": "nonzero", "args": {"input": "x", "dtype": "bool"}, "out": "y"}"#,
            ],
        );
    }
}
