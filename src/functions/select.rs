//! `cond_select`, lowered to `top.Where`.
use super::{argument::TensorOrScalar, function, lowering::Lowering};
use crate::{
    base::{Cause, Dtype, Result, misfit, shape_text},
    graph::{Operand, Tensor},
    ops,
};

function! {
    CondSelect -> Tensor {
        "float32." cond: Operand,
        "A tensor of cond's shape, or a number." tbrn: TensorOrScalar,
        "A tensor of cond's shape, or a number; of tbrn's dtype." fbrn: TensorOrScalar,
        ;
    }
    cond_select: "`tbrn` where `cond` is not 0, `fbrn` elsewhere.",
        example |g, x, i| {
            let y = g.cond_select(x, x, 0.0).call()?;
            assert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

/// A tensor or a number, and its dtype.
struct Branch {
    dtype: Dtype,
    tensor: Option<Tensor>,
    number: Option<f64>,
}

impl CondSelect {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("cond", &self.cond, &[Dtype::Float32])?;
        let cond = to.info(&self.cond)?.shape.clone();
        let yes = branch(to, "tbrn", &self.tbrn, &cond)?;
        let no = branch(to, "fbrn", &self.fbrn, &cond)?;
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
            ..ops::Where::new(to.tensor(&self.cond)?)
        };
        to.emit_as(op, yes.dtype)
    }
}

fn branch(to: &Lowering, name: &str, branch: &TensorOrScalar, cond: &[usize]) -> Result<Branch> {
    match branch {
        TensorOrScalar::Scalar(s) => Ok(Branch { dtype: s.dtype, tensor: None, number: Some(s.value) }),
        TensorOrScalar::Tensor(t) => {
            let info = to.info(t)?;
            if info.shape != cond {
                let (shape, cond) = (shape_text(&info.shape), shape_text(cond));
                return Err(misfit(name, format!("is {shape} and cond is {cond}; they must have the same shape")));
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
    fn bad_calls_are_told() {
        bad_calls("select", &[r#"{"op": "cond_select", "args": {"cond": "x", "tbrn": "v", "fbrn": 0.5}, "out": "y"}"#]);
    }
}
