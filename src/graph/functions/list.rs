//! The list of all functions.
use super::{
    FunctionDef, activation, aliases::known_elsewhere, arithmetic, attention, cast, compare, conv, create, custom,
    deconv, deformable, detect, gather, image, layout, math, matmul, mean_std, norm, packed, pool, qwen, reduce,
    resize, scatter, select, shift, slice, sort, tile,
};
use crate::base::{Cause, Result, invalid, nearest, truncated};

/// Every function, by name.
static FUNCTIONS: [FunctionDef; 142] = [
    packed::a16matmul(),
    activation::abs(),
    arithmetic::add(),
    shift::add_shift(),
    compare::and_op(),
    compare::ands(),
    math::arccos(),
    math::arctanh(),
    sort::arg(),
    sort::argsort(),
    pool::avgpool2d(),
    pool::avgpool3d(),
    norm::batch_norm(),
    tile::broadcast(),
    cast::cast(),
    math::ceil(),
    math::clamp(),
    layout::concat(),
    select::cond_select(),
    conv::conv(),
    conv::conv3d(),
    conv::conv3d_int(),
    conv::conv3d_quant(),
    conv::conv3d_v2(),
    conv::conv_int(),
    conv::conv_quant(),
    conv::conv_v2(),
    layout::copy(),
    math::cos(),
    math::cosh(),
    reduce::cumsum(),
    custom::custom(),
    deconv::deconv(),
    deconv::deconv3d(),
    deconv::deconv_int(),
    deconv::deconv_v2(),
    deformable::deformable_attention(),
    cast::dequant_int(),
    cast::dequant_int_to_fp(),
    arithmetic::div(),
    math::elu(),
    compare::eq(),
    compare::eqs(),
    math::erf(),
    math::exp(),
    slice::extract(),
    math::floor(),
    packed::fp8matmul(),
    gather::gather_elements(),
    compare::ge(),
    activation::gelu(),
    compare::ges(),
    norm::group_norm(),
    compare::gt(),
    compare::gts(),
    math::hsigmoid(),
    math::hswish(),
    gather::index_select(),
    resize::interpolate(),
    resize::interpolate_v2(),
    norm::layer_norm(),
    compare::le(),
    activation::leaky_relu(),
    compare::les(),
    math::ln(),
    math::log_sigmoid(),
    compare::lt(),
    compare::lts(),
    gather::lut(),
    matmul::matmul(),
    matmul::matmul_int(),
    matmul::matmul_quant(),
    matmul::matmulrq_int_op(),
    arithmetic::max(),
    pool::maxpool2d(),
    pool::maxpool2d_with_mask(),
    pool::maxpool3d(),
    mean_std::mean_std_scale(),
    attention::merger_matmul(),
    arithmetic::min(),
    math::mish(),
    arithmetic::mul(),
    shift::mul_shift(),
    deformable::multi_scale_deformable_attention(),
    compare::ne(),
    compare::nes(),
    detect::nms(),
    select::nonzero(),
    norm::normalize(),
    compare::not_op(),
    compare::or_op(),
    compare::ors(),
    layout::pad(),
    layout::permute(),
    math::pow(),
    activation::prelu(),
    qwen::qwen2_block(),
    qwen::qwen2_block_cache(),
    reduce::reduce(),
    activation::relu(),
    tile::repeat(),
    cast::requant_fp(),
    cast::requant_fp_to_int(),
    cast::requant_int(),
    layout::reshape(),
    norm::rms_norm(),
    detect::roiExtractor(),
    slice::roll(),
    attention::rope(),
    attention::rot_pos_emb(),
    math::round(),
    math::rsqrt(),
    scatter::scatter(),
    scatter::scatterND(),
    select::select(),
    create::shape_fetch(),
    activation::sigmoid(),
    math::sign(),
    math::silu(),
    math::sin(),
    math::sinh(),
    slice::slice(),
    activation::softmax(),
    activation::softmax_int(),
    sort::sort(),
    sort::sort_by_key(),
    layout::split(),
    math::sqrt(),
    math::square(),
    layout::squeeze(),
    arithmetic::sub(),
    shift::sub_shift(),
    activation::swish(),
    math::tan(),
    activation::tanh(),
    tile::tile(),
    sort::topk(),
    layout::unsqueeze(),
    tile::upsample(),
    compare::xor_op(),
    compare::xors(),
    image::yuv2rgb(),
];

/// Returns every function, by name.
pub fn functions() -> impl Iterator<Item = &'static FunctionDef> + Clone {
    FUNCTIONS.iter()
}

/// Returns the function called `name`.
///
/// # Errors
/// Returns an error if there is no such function, with the most similar name.
pub fn function_def(name: &str) -> Result<&'static FunctionDef> {
    FUNCTIONS.binary_search_by_key(&name, |f| f.name).map(|i| &FUNCTIONS[i]).map_err(|_| {
        if name.to_lowercase().contains("dropout") {
            return invalid(format!(
                "unknown function {:?}; it changes nothing at inference: leave it out",
                truncated(name)
            ));
        }
        let known = FUNCTIONS.iter().map(|f| f.name);
        let nearest = known_elsewhere(name).into_iter().next().or_else(|| nearest(name, known));
        Cause::UnknownName { kind: "function", name: truncated(name), nearest, known: Vec::new() }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.name));
    }

    #[test]
    fn several_outputs_have_names() {
        for f in functions() {
            let several = f.output_count.filter(|n| *n > 1).unwrap_or(0);
            assert_eq!(f.outputs.len(), several, "{}", f.name);
        }
    }
}
