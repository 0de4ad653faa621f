use super::{Cause, Dtype, Result, argument};

/// The dimensions of a tensor.
pub type Shape = Vec<usize>;

/// Formats a shape: `1x3x32x32`, or `scalar` without dimensions. Long shapes are truncated.
pub fn shape_text(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "scalar".into();
    }
    let mut text = shape.iter().take(16).map(|d| d.to_string()).collect::<Vec<_>>().join("x");
    if shape.len() > 16 {
        text += "x...";
    }
    text
}

/// Formats a number of things: `1 operator`, `2 operators`; `1 entry`, `2 entries`; `1 array`, `2 arrays`.
pub fn pluralized(n: usize, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if n == 1 => format!("1 {one}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{n} {stem}ies"),
        _ => format!("{n} {one}s"),
    }
}

/// Maximum number of dimensions. (TpuLang supports 8.)
const MAX_RANK: usize = 32;

/// Checks the number of dimensions.
///
/// # Errors
/// Returns an error if there are more than 32.
pub fn check_rank(rank: usize) -> Result<()> {
    if rank > MAX_RANK {
        return Err(Cause::Shape(format!("a shape of {rank} dimensions; at most {MAX_RANK} are supported")).into());
    }
    Ok(())
}

/// Returns the number of elements.
///
/// # Errors
/// Returns an error if a dimension is 0, if there are more than 32 dimensions, or if the size in bytes exceeds 2^50.
pub fn elements(shape: &[usize], dtype: Dtype) -> Result<usize> {
    check_rank(shape.len())?;
    if shape.contains(&0) {
        return Err(Cause::Shape(format!(
            "the shape {} has a dimension of 0; all must be positive",
            shape_text(shape)
        ))
        .into());
    }
    let bytes = shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d)).filter(|&n| n <= 1 << 50);
    bytes.map(|n| n / dtype.size()).ok_or_else(|| {
        Cause::TooLarge {
            what: format!("a tensor of shape {} and dtype {dtype}", shape_text(shape)),
            needed: "more than 2^50 bytes".into(),
            limit: "that cannot be addressed".into(),
        }
        .into()
    })
}

/// Checks that a name fits on one line of MLIR and can be the name of an array in an npz.
pub fn check_name(name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "it is empty"
    } else if name.len() > 1000 {
        "it is longer than 1000 bytes"
    } else if name.chars().any(|c| c.is_control()) {
        "it holds a control character"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(40).collect();
    Err(argument("the name of a tensor", format!("{shown:?}"), problem))
}
