//! `cond_select`, lowered to `top.Where`.
use super::{
    function,
    shape::{Inference, broadcast},
};
use crate::graph::{
    Attribute, Cause, Dtype, Lowering, Operand, Result, Shape, Tensor, TensorOrScalar, invalid, shape_text,
};

function! {
    "`tbrn` where `cond` is not 0, `fbrn` elsewhere.";
    example "let y = g.cond_select(x, x, 0.0).call()?;\nassert_eq!(g.tensor(y)?.shape, [1, 3, 8, 8]);";
    cond_select => CondSelect -> Tensor {
        "float32." cond: Operand,
        "A tensor of cond's shape, or a number." tbrn: TensorOrScalar,
        "A tensor of cond's shape, or a number; of tbrn's dtype." fbrn: TensorOrScalar,
        ;
    }
}

impl CondSelect {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("cond", &self.cond, &[Dtype::Float32])?;
        let cond = to.info(&self.cond)?.shape.clone();
        let (left_dtype, tbrn, x) = self.branch(to, "tbrn", &self.tbrn, &cond)?;
        let (right_dtype, fbrn, y) = self.branch(to, "fbrn", &self.fbrn, &cond)?;
        if left_dtype != right_dtype {
            return Err(
                Cause::DtypeMismatch { left: "tbrn".into(), left_dtype, right: "fbrn".into(), right_dtype }.into()
            );
        }
        let is_const = |v: Option<f64>| Attribute::Bool(v.is_some());
        let value = |v: Option<f64>| Attribute::Float(v.unwrap_or(0.0));
        let attributes = [
            ("x_is_const", is_const(x)),
            ("x_const_val", value(x)),
            ("y_is_const", is_const(y)),
            ("y_const_val", value(y)),
        ];
        to.emit("Where", &[Some(&self.cond), tbrn, fbrn], attributes, left_dtype)
    }
    /// Dtype, tensor and constant of a branch.
    fn branch<'a>(
        &self,
        to: &Lowering,
        name: &str,
        branch: &'a TensorOrScalar,
        cond: &[usize],
    ) -> Result<(Dtype, Option<&'a Operand>, Option<f64>)> {
        match branch {
            TensorOrScalar::Scalar(s) => Ok((s.dtype, None, Some(s.value))),
            TensorOrScalar::Tensor(t) => {
                let info = to.info(t)?;
                if info.shape != cond {
                    return Err(invalid(format!(
                        "{name} is {} and cond is {}; they must have the same shape",
                        shape_text(&info.shape),
                        shape_text(cond)
                    )));
                }
                Ok((info.dtype, Some(t), None))
            }
        }
    }
}

/// All operands broadcast together.
pub(super) fn where_shape(of: &Inference) -> Result<Vec<Shape>> {
    let mut shape = of.shape(0)?.to_vec();
    for (i, constant) in [(1, "x_is_const"), (2, "y_is_const")] {
        match of.operands.get(i).copied().flatten() {
            Some(t) => shape = broadcast(&shape, &t.shape)?,
            None if of.attributes.bool(constant) => {}
            None => {
                let problem = format!("the operand {} is none and {constant} is false", of.op.operands[i].name);
                return Err(Cause::Operator { op: of.op.name.into(), problem }.into());
            }
        }
    }
    Ok(vec![shape])
}

#[cfg(test)]
mod tests {
    use crate::ops::first_line as first;
    use crate::{Dtype, Graph};

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
}
