//! Gradients of image processing.
use super::{
    backward::{Backward, Output},
    conv::Geometry,
};
use crate::{
    Operator, Tensor,
    array::Array,
    base::{Dtype, Result},
    emit::Emit,
    ops::{MatchTemplate, MatchTemplateMode, MeanStdScale},
};

/// The sums of products of a template with the image at each place, as a convolution.
fn correlated(b: &mut Backward, image: Tensor, template: Tensor) -> Result<Tensor> {
    Geometry::of(&[1, 1], &[0; 4], &[1, 1], 1).forward(b, image, template)
}

/// Differences are of images and templates `[1, 1, h, w]`; coefficients do not change with brightness, so that the mean
/// can be taken off first, for accuracy.
pub(super) fn match_template(b: &mut Backward, op: &MatchTemplate<Tensor>, o: Output) -> Result<()> {
    let (size, of_template) = (b.shape(op.input)?, b.shape(op.r#match)?);
    let count = of_template.iter().product::<usize>() as f64;
    let result = b.shape(o.y)?;
    b.expand(&[Some(o)], |b| {
        let (image, template) = (b.real(op.input)?, b.real(op.r#match)?);
        let image = b.reshape(image, &[1, 1, size[0], size[1]])?;
        let template = b.reshape(template, &[1, 1, of_template[0], of_template[1]])?;
        let ones = b.filled(1.0, b.dtype(image)?, &[1, 1, of_template[0], of_template[1]])?;
        let y = match op.mode {
            MatchTemplateMode::TMSQDIFF => {
                let square = b.square(image)?;
                let of_image = correlated(b, square, ones)?;
                let product = correlated(b, image, template)?;
                let product = b.mul_const(product, -2.0)?;
                let square = b.square(template)?;
                let of_template = b.sum(square, &[2, 3])?;
                let sum = b.add(of_image, product)?;
                b.add(sum, of_template)?
            }
            MatchTemplateMode::TMCCOEFFNORMED => {
                let (image, template) = (centered(b, image)?, centered(b, template)?);
                let product = correlated(b, image, template)?;
                let square = b.square(image)?;
                let squares = correlated(b, square, ones)?;
                let sums = correlated(b, image, ones)?;
                let square = b.square(sums)?;
                let of_mean = b.mul_const(square, 1.0 / count)?;
                let of_image = b.sub(squares, of_mean)?;
                let square = b.square(template)?;
                let of_template = b.sum(square, &[2, 3])?;
                let deviations = b.mul(of_image, of_template)?;
                let inverse = b.rsqrt(deviations)?;
                b.mul(product, inverse)?
            }
        };
        Ok(vec![b.reshape(y, &result)?])
    })
}

/// Takes the mean off.
fn centered(b: &mut Backward, x: Tensor) -> Result<Tensor> {
    let mean = b.mean(x, &[2, 3])?;
    b.sub(x, mean)
}

/// `(x - mean) / std` of each channel, for float results.
pub(super) fn mean_std_scale(
    b: &mut Backward,
    op: &MeanStdScale<Tensor>,
    operator: &Operator,
    o: Output,
) -> Result<()> {
    if !b.dtype(o.y)?.is_float() {
        return Err(b.refuse(operator, "its result is stored integers"));
    }
    let mut shape = vec![1; b.rank(o.y)?];
    shape[1] = op.std.len();
    let factors = op.std.iter().map(|s| (1.0 / s) as f32).collect();
    let factors = b.coefficient(Array::from_vec(shape, factors)?)?;
    let dy = b.as_dtype(o.dy, Dtype::Float32)?;
    let dx = b.mul(dy, factors)?;
    b.give(op.input, dx)
}
