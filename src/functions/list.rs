//! The one list of functions.
use super::{
    FunctionDef, activation, arithmetic, cast, compare, conv, create, gather, layout, matmul, norm, pool, reduce,
    scatter, select, slice, sort, tile,
};
use crate::base::{Cause, Result, nearest, shown};

/// Every function, by name.
static FUNCTIONS: [FunctionDef; 65] = [
    activation::abs(),
    arithmetic::add(),
    sort::arg(),
    sort::argsort(),
    pool::avgpool2d(),
    norm::batch_norm(),
    tile::broadcast(),
    cast::cast(),
    layout::concat(),
    select::cond_select(),
    conv::conv(),
    conv::conv_int(),
    conv::conv_quant(),
    conv::conv_v2(),
    arithmetic::div(),
    compare::eq(),
    compare::eqs(),
    slice::extract(),
    gather::gather_elements(),
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
    arithmetic::max(),
    pool::maxpool2d(),
    arithmetic::min(),
    arithmetic::mul(),
    compare::ne(),
    compare::nes(),
    select::nonzero(),
    layout::pad(),
    layout::permute(),
    reduce::reduce(),
    activation::relu(),
    tile::repeat(),
    cast::requant_int(),
    layout::reshape(),
    slice::roll(),
    scatter::scatter(),
    scatter::scatterND(),
    select::select(),
    create::shape_fetch(),
    activation::sigmoid(),
    slice::slice(),
    activation::softmax(),
    sort::sort(),
    sort::sort_by_key(),
    layout::split(),
    layout::squeeze(),
    arithmetic::sub(),
    activation::tanh(),
    tile::tile(),
    sort::topk(),
    layout::unsqueeze(),
    tile::upsample(),
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
