//! MLIR text that is almost valid: modules with ops of the table, and all kinds of types, attributes and locations of MLIR.
//! The text is generated from bytes, so that a fuzzer can steer it (`fuzz/`).
use arbitrary::{Result, Unstructured};
use tpulang::ops::{AttributeDef, AttributeKind, OPS, OpDef};

type Bytes<'a, 'b> = &'a mut Unstructured<'b>;

const INTEGERS: [&str; 12] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "4294967296",
    "1125899906842624",
    "0xFFFFFFFFFFFFFFFF",
    "99999999999999999999999",
];
const FLOATS: [&str; 9] =
    ["1.0", "-0.0", "0.5", "1.0e400", "1.0e-400", "0x7FC00000", "0x7FF0000000000000", "-1.0e38", "3.5e-45"];
const STRINGS: [&str; 14] = [
    "a",
    "main",
    "x y",
    "",
    "\\00",
    "\\\"",
    "\\n",
    "\\C3\\A9",
    "\\FF",
    "\u{e9}",
    "TOP_QUANTIZED",
    "../w.npz",
    "a.b/c",
    "loc(",
];
const ELEMENTS: [&str; 12] =
    ["f32", "f32", "f32", "f16", "bf16", "f64", "si8", "ui8", "si32", "ui16", "f8E4M3FN", "i8"];
/// Numbers of results, most of which no operator has.
const RESULTS: [&str; 5] = ["0", "1", "2", "65536", "2147483647"];
/// Names of other dialects.
const FOREIGN: [&str; 9] = ["f80", "i1", "i0", "i128", "index", "none", "complex<f32>", "vector<4xf32>", "!foo.bar<1>"];

fn one(u: Bytes, of: &[&str]) -> Result<String> {
    Ok((*u.choose(of)?).to_owned())
}

fn several(u: Bytes, most: usize, f: impl Fn(Bytes) -> Result<String>) -> Result<String> {
    let count = u.int_in_range(0..=most)?;
    Ok((0..count).map(|_| f(u)).collect::<Result<Vec<_>>>()?.join(", "))
}

fn string(u: Bytes) -> Result<String> {
    Ok(format!("\"{}\"", one(u, &STRINGS)?))
}

fn quantized(u: Bytes) -> Result<String> {
    let (storage, expressed) = (one(u, &["i8", "u8", "i16", "i4", "u8<1:2>", "i32"])?, one(u, &["f32", "f16", "i8"])?);
    let (scale, zero_point) = (one(u, &FLOATS)?, one(u, &INTEGERS)?);
    Ok(match u.int_in_range(0..=2)? {
        0 => format!("!quant.uniform<{storage}:{expressed}, {scale}:{zero_point}>"),
        1 => format!("!quant.uniform<{storage}:{expressed}:1, {{{scale}:{zero_point}, {scale}}}>"),
        _ => format!("!quant.calibrated<{expressed}<{scale}:1.0>>"),
    })
}

fn element(u: Bytes, depth: u32) -> Result<String> {
    if depth > 0 && u.ratio(1, 4)? { one(u, &FOREIGN) } else { one(u, &ELEMENTS) }
}

/// Generates a tensor type, usually small enough to be computed.
fn tensor(u: Bytes, depth: u32) -> Result<String> {
    let mut dims = String::new();
    for _ in 0..u.int_in_range(0..=4)? {
        let dim = match u.int_in_range(0..=30)? {
            0 => "?".to_owned(),
            1 => "0".to_owned(),
            2 => "9223372036854775807".to_owned(),
            3 => "1048576".to_owned(),
            n => (1 + n % 4).to_string(),
        };
        dims += &format!("{dim}x");
    }
    let element = if u.ratio(1, 10)? { quantized(u)? } else { element(u, depth)? };
    Ok(format!("tensor<{dims}{element}>"))
}

fn ty(u: Bytes, depth: u32) -> Result<String> {
    Ok(match u.int_in_range(0..=if depth == 0 { 8 } else { 13 })? {
        0..=6 => tensor(u, depth)?,
        7 => element(u, depth)?,
        8 => "tensor<*xf32>".to_owned(),
        9 => format!("tensor<4xf32, {}>", attribute(u, depth - 1)?),
        10 => format!("({}) -> {}", ty(u, depth - 1)?, ty(u, depth - 1)?),
        11 => format!("tuple<{}>", ty(u, depth - 1)?),
        12 => "!a0".to_owned(),
        _ => format!("memref<4xf32, {}>", attribute(u, depth - 1)?),
    })
}

fn location(u: Bytes, depth: u32) -> Result<String> {
    Ok(match u.int_in_range(0..=if depth == 0 { 4 } else { 9 })? {
        0 | 1 => format!("\"n{}\"", u.int_in_range(0..=9)?),
        2 => "unknown".to_owned(),
        3 => format!("\"f\":{}:{}", u.int_in_range(0..=9)?, u.int_in_range(0..=9)?),
        4 => format!("#loc{}", u.int_in_range(0..=1)?),
        9 => format!("{}:{}:1", string(u)?, one(u, &INTEGERS)?),
        5 => format!("fused[{}, {}]", location(u, depth - 1)?, location(u, depth - 1)?),
        6 => format!("fused<{}>[{}]", attribute(u, depth - 1)?, location(u, depth - 1)?),
        7 => format!("callsite({} at {})", location(u, depth - 1)?, location(u, depth - 1)?),
        _ => format!("{}({})", string(u)?, location(u, depth - 1)?),
    })
}

fn attribute(u: Bytes, depth: u32) -> Result<String> {
    Ok(match u.int_in_range(0..=if depth == 0 { 5 } else { 17 })? {
        0 => format!("{} : {}", one(u, &INTEGERS)?, one(u, &["i64", "si32", "i32", "ui32", "i1"])?),
        1 => format!("{} : {}", one(u, &FLOATS)?, one(u, &["f64", "f32", "f16"])?),
        2 => string(u)?,
        3 => one(u, &["true", "false", "[]", "{}"])?,
        4 | 5 => one(u, &INTEGERS)?,
        6..=8 => format!("[{}]", several(u, 3, |u| attribute(u, depth - 1))?),
        9 => format!("{{k = {}}}", attribute(u, depth - 1)?),
        10 => ty(u, depth - 1)?,
        11 => format!("dense<{}> : {}", one(u, &["0", "[1, 2]", "\"0x00\"", "(1.,2.)", "[]"])?, tensor(u, depth)?),
        12 => format!("sparse<{}, {}> : {}", one(u, &["[[0]]", "0", "[]"])?, one(u, &FLOATS)?, tensor(u, depth)?),
        13 => format!("array<{}: {}>", one(u, &["i64", "i1", "f32", "i65"])?, one(u, &INTEGERS)?),
        14 => one(u, &["affine_map<(d0) -> (-d0)>", "@a::@b", "#b0", "#foo.x<1>", "#tpu<mode Max>"])?,
        15 => format!("loc({})", location(u, depth - 1)?),
        16 => format!("distinct[0]<{}>", attribute(u, depth - 1)?),
        _ => format!("dense_resource<r> : {}", tensor(u, depth)?),
    })
}

/// Generates an attribute, usually of the kind in the table.
fn of_kind(u: Bytes, def: &AttributeDef, depth: u32) -> Result<String> {
    if u.ratio(1, 12)? {
        return attribute(u, depth);
    }
    let small = |u: Bytes| -> Result<String> {
        if u.ratio(1, 12)? { one(u, &INTEGERS) } else { Ok(u.int_in_range(-1..=3)?.to_string()) }
    };
    Ok(match def.kind {
        AttributeKind::Int => format!("{} : i64", small(u)?),
        AttributeKind::Si32 => format!("{} : si32", u.int_in_range(-2..=3)?),
        AttributeKind::I32 => format!("{} : i32", small(u)?),
        AttributeKind::Ui32 => format!("{} : ui32", u.int_in_range(0..=3)?),
        AttributeKind::Float => format!("{} : f64", one(u, &FLOATS)?),
        AttributeKind::Bool => one(u, &["true", "false"])?,
        AttributeKind::Str => string(u)?,
        AttributeKind::OneOf(allowed) => format!("\"{}\"", u.choose(allowed)?),
        AttributeKind::Ints | AttributeKind::I32s => format!("[{}]", several(u, 5, small)?),
        AttributeKind::Floats => format!("[{}]", several(u, 3, |u| one(u, &FLOATS))?),
        AttributeKind::IntLists => format!("[[{}]]", several(u, 3, small)?),
        AttributeKind::Dicts => format!("[{{k = {}}}]", attribute(u, 0)?),
    })
}

/// Generates all required attributes and a few optional ones.
fn attributes(u: Bytes, op: &OpDef, depth: u32) -> Result<String> {
    let mut all = Vec::new();
    for def in op.attributes {
        let needed = def.default.is_none() && !def.optional;
        if (needed && !u.ratio(1, 30)?) || u.ratio(1, 6)? {
            all.push(format!("{} = {}", def.name, of_kind(u, def, depth)?));
        }
    }
    if u.ratio(1, 20)? {
        all.push(format!("q = {}", attribute(u, depth)?));
    }
    let list = all.join(", ");
    Ok(if u.ratio(1, 12)? { format!("<{{{list}}}>") } else { format!("{{{list}}}") })
}

/// A value, and the text of its type.
type Named = (String, String);

/// Selects an op, usually a computed one.
fn op(u: Bytes) -> Result<&'static OpDef> {
    let computed = u.ratio(4, 5)?;
    let ops: Vec<_> = OPS.iter().filter(|op| !computed || op.is_computed()).collect();
    u.choose(&ops).copied()
}

fn operator(u: Bytes, index: usize, values: &[Named], depth: u32) -> Result<(String, Named)> {
    let op = op(u)?;
    let count = if op.operands.len() == 1 { u.int_in_range(1..=2)? } else { op.operands.len() };
    let mut operands = Vec::new();
    for _ in 0..count {
        operands.push(if u.ratio(1, 8)? { &values[0] } else { u.choose(&values[1..])? });
    }
    let of = |i: fn(&Named) -> &str| operands.iter().map(|o| i(o)).collect::<Vec<_>>().join(", ");
    // MLIR gives several results one name and their number.
    let results = if op.results.len() > 1 { format!(":{}", op.results.len()) } else { String::new() };
    let result = if u.ratio(4, 5)? { "tensor<*xf32>".to_owned() } else { ty(u, depth)? };
    let blocks = if depth > 0 && u.ratio(1, 30)? { "({\n\"top.Yield\"() : () -> ()\n})" } else { "" };
    let text = format!(
        "%v{index}{results} = \"top.{}\"({}) {blocks} {} : ({}) -> ({}) loc({})\n",
        op.name,
        of(|o| &o.0),
        attributes(u, op, depth)?,
        of(|o| &o.1),
        vec![result.as_str(); op.results.len().max(1)].join(", "),
        if u.ratio(2, 3)? { format!("\"v{index}\"") } else { location(u, depth)? }
    );
    let name = match results.is_empty() {
        _ if u.ratio(1, 30)? => format!("%v{index}#{}", one(u, &RESULTS)?),
        true => format!("%v{index}"),
        false => format!("%v{index}#0"),
    };
    Ok((text, (name, result)))
}

/// Generates a module.
pub fn module(u: Bytes) -> Result<String> {
    let mut text = String::new();
    // A third of the modules are full of MLIR features that the Top dialect does not use.
    let depth = if u.ratio(1, 3)? { 2 } else { 0 };
    if depth > 0 && u.ratio(1, 8)? {
        text += &format!("#b0 = {}\n!a0 = {}\n", attribute(u, depth / 2)?, ty(u, 0)?);
    }
    let state = if u.ratio(3, 4)? { "\"TOP_F32\"".to_owned() } else { attribute(u, depth / 2)? };
    let weights = if u.ratio(1, 8)? { format!(", module.weight_file = {}", string(u)?) } else { String::new() };
    let input = if u.ratio(9, 10)? { "tensor<2x3x4x4xf32>".to_owned() } else { ty(u, depth / 2)? };
    let head = format!("module @n attributes {{module.state = {state}{weights}}} {{\n");
    let mut body =
        format!("%0 = \"top.None\"() : () -> none\n%1 = \"top.Input\"(%arg0) : ({input}) -> {input} loc(\"x\")\n");
    let mut values = vec![("%0".to_owned(), "none".to_owned()), ("%1".to_owned(), input.clone())];
    for index in 0..u.int_in_range(1..=3)? {
        if u.ratio(1, 4)? {
            let ty = tensor(u, depth)?;
            body += &format!("%w{index} = \"top.Weight\"() : () -> {ty} loc({})\n", location(u, depth / 2)?);
            values.push((format!("%w{index}"), ty));
        }
        let (operator, result) = operator(u, index, &values, depth)?;
        body += &operator;
        values.push(result);
    }
    let (last, of) = values.last().cloned().unwrap_or_default();
    text += &format!("{head}func.func @main(%arg0: {input}) -> {of} {{\n{body}return {last} : {of}\n}}\n}}\n");
    for i in 0..2 {
        let other = if depth > 0 { location(u, 1)? } else { format!("\"l{i}\"") };
        text += &format!("#loc{i} = loc({other})\n");
    }
    Ok(text)
}
