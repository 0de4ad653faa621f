//! The one list of functions.
use super::{
    FunctionDef, activation, arithmetic, cast, compare, conv, custom, gather, layout, matmul, mean_std, norm, packed,
    pool, reduce, select, shift, sort,
};
use crate::base::{Cause, Result, nearest, shown};

/// Every function, by name.
static FUNCTIONS: [FunctionDef; 62] = [
    packed::a16matmul(),
    activation::abs(),
    arithmetic::add(),
    shift::add_shift(),
    pool::avgpool2d(),
    norm::batch_norm(),
    cast::cast(),
    layout::concat(),
    select::cond_select(),
    conv::conv(),
    conv::conv_int(),
    conv::conv_quant(),
    conv::conv_v2(),
    custom::custom(),
    cast::dequant_int(),
    cast::dequant_int_to_fp(),
    arithmetic::div(),
    compare::eq(),
    compare::eqs(),
    packed::fp8matmul(),
    compare::ge(),
    activation::gelu(),
    compare::ges(),
    compare::gt(),
    compare::gts(),
    gather::index_select(),
    norm::layer_norm(),
    compare::le(),
    activation::leaky_relu(),
    compare::les(),
    compare::lt(),
    compare::lts(),
    matmul::matmul(),
    matmul::matmul_int(),
    matmul::matmul_quant(),
    matmul::matmulrq_int_op(),
    arithmetic::max(),
    pool::maxpool2d(),
    mean_std::mean_std_scale(),
    arithmetic::min(),
    arithmetic::mul(),
    shift::mul_shift(),
    compare::ne(),
    compare::nes(),
    layout::pad(),
    layout::permute(),
    reduce::reduce(),
    activation::relu(),
    cast::requant_fp(),
    cast::requant_fp_to_int(),
    cast::requant_int(),
    layout::reshape(),
    activation::sigmoid(),
    layout::slice(),
    activation::softmax(),
    layout::split(),
    layout::squeeze(),
    arithmetic::sub(),
    shift::sub_shift(),
    activation::tanh(),
    sort::topk(),
    layout::unsqueeze(),
];

/// Every function, by name.
pub fn functions() -> impl Iterator<Item = &'static FunctionDef> {
    FUNCTIONS.iter()
}

/// The function of that name.
///
/// # Errors
/// There is none; the nearest is suggested.
pub fn function_def(name: &str) -> Result<&'static FunctionDef> {
    FUNCTIONS.binary_search_by_key(&name, |f| f.name).map(|i| &FUNCTIONS[i]).map_err(|_| {
        let nearest = nearest(name, FUNCTIONS.iter().map(|f| f.name));
        Cause::UnknownName { kind: "function", name: shown(name), nearest }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.name));
    }
}
