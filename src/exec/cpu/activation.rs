use super::{
    Kernel, Operand,
    layout::{from_last, to_last},
    task::{Finish, relu as relu_of},
};
use crate::ops::{Abs, GELU, GeluApproxMode, LeakyRelu, Relu, Sigmoid, Softmax, Tanh};
use rayon::prelude::*;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath as vecmath;

/// Applies `f` to chunks of the values.
pub(super) fn map(input: Operand, finish: Finish, f: impl Fn(&mut [f32]) + Send + Sync + 'static) -> Kernel {
    Box::new(move |t| {
        let source = t.source(&input, &input.ty.shape)?;
        t.fill(0, 1, finish, |first, out| {
            source.reals(first, out);
            f(out);
            Ok(())
        })
    })
}

pub(super) fn abs(op: Abs<Operand>) -> Kernel {
    map(op.input, Finish::default(), |v| v.iter_mut().for_each(|x| *x = x.abs()))
}

pub(super) fn relu(op: Relu<Operand>) -> Kernel {
    let limit = op.relu_limit;
    map(op.input, Finish::default(), move |v| relu_of(v, limit))
}

pub(super) fn leaky_relu(op: LeakyRelu<Operand>) -> Kernel {
    let alpha = op.alpha as f32;
    map(op.input, Finish::round(op.round_mode), move |v| {
        v.iter_mut().for_each(|x| *x = if *x < 0.0 { *x * alpha } else { *x });
    })
}

pub(super) fn tanh(op: Tanh<Operand>) -> Kernel {
    map(op.input, Finish::round(op.round_mode), |v| {
        vecmath::Tanh {}.map_mut(v);
    })
}

pub(super) fn sigmoid(op: Sigmoid<Operand>) -> Kernel {
    let (scale, bias, log) = (op.scale as f32, op.bias as f32, op.log);
    map(op.input, Finish::round(op.round_mode), move |v| {
        vecmath::Sigmoid {}.map_mut(v);
        if scale != 1.0 || bias != 0.0 {
            v.iter_mut().for_each(|x| *x = *x * scale + bias);
        }
        if log {
            v.iter_mut().for_each(|x| *x = x.ln());
        }
    })
}

pub(super) fn gelu(op: GELU<Operand>) -> Kernel {
    let mode = op.approx_mode;
    map(op.input, Finish::round(op.round_mode), move |v| match mode {
        GeluApproxMode::Normal => vecmath::Gelu {}.map_mut(v),
        GeluApproxMode::Tanh => vecmath::ApproxGelu {}.map_mut(v),
        GeluApproxMode::Sigm => {
            let mut s: Vec<f32> = v.iter().map(|x| 1.702 * x).collect();
            vecmath::Sigmoid {}.map_mut(&mut s);
            v.iter_mut().zip(s).for_each(|(x, s)| *x *= s);
        }
    })
}

pub(super) fn softmax(op: Softmax<Operand>) -> Kernel {
    Box::new(move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (beta, log) = (op.beta as f32, op.log);
        let finish = Finish::round(op.round_mode);
        let row = |row: &mut [f32]| {
            if beta != 1.0 {
                row.iter_mut().for_each(|v| *v *= beta);
            }
            if log {
                vecmath::LogSoftmax::new_mut(row).dispatch();
            } else {
                vecmath::Softmax::new_mut(row).dispatch();
            }
        };
        if axis + 1 == shape.len() {
            let source = t.source(&op.input, shape)?;
            return t.fill(0, shape[axis], finish, |first, out| {
                source.reals(first, out);
                out.chunks_mut(shape[axis]).for_each(row);
                Ok(())
            });
        }
        let mut rows = to_last(&t.reals(&op.input)?, shape, axis)?;
        rows.par_chunks_mut(shape[axis]).for_each(row);
        let values = from_last(&rows, shape, axis)?;
        drop(rows);
        t.write(0, finish, |out| {
            out.copy_from_slice(&values);
            Ok(())
        })
    })
}
