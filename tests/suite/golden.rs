//! Golden MLIR: a graph a family.
use super::snapshot;
use tpulang::{
    Array, Dtype, Graph, Result, Tensor,
    functions::args::{ColourRounding, ExtractorMode},
    mlir,
    ops::{InterpCoordMode, InterpMode, ReduceMode, RopeMode, Yuv2rgbFormulaImageFormat, Yuv2rgbFormulaMode},
    quant::RoundMode,
};

fn golden(name: &str, build: impl FnOnce(&mut Graph, Tensor, Tensor) -> Result<Vec<Tensor>>) {
    let mut g = Graph::new(name).unwrap();
    let x = g.input("x", Dtype::Float32, [1, 4, 6, 6]).unwrap();
    let i = g.input("i", Dtype::Int8, [1, 4, 6, 6]).unwrap();
    let outputs = build(&mut g, x, i).unwrap_or_else(|e| panic!("{e}"));
    g.set_outputs(&outputs).unwrap();
    snapshot(&format!("{name}_origin.mlir"), &mlir::emit(&g).unwrap().text);
}

fn filled(dtype: Dtype, shape: &[usize]) -> Array {
    Array::filled(dtype, shape, 1.0).unwrap()
}

/// TpuLang's interface document converts a single `conv_v2` to `Conv_origin.mlir`; its bias is 1 x oc x 1 x 1.
#[test]
fn conv() {
    let mut g = Graph::new("Conv").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 3, 173, 141]).unwrap();
    let w = g.coefficient("weight", filled(Dtype::Float32, &[64, 3, 7, 7])).unwrap();
    let b = g.coefficient("bias", filled(Dtype::Float32, &[1, 64, 1, 1])).unwrap();
    let y = g.conv_v2(x, w).bias(b).stride([2, 2]).pad([0, 1, 0, 1]).out_name("conv").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    snapshot("Conv_origin.mlir", &mlir::emit(&g).unwrap().text);
}

#[test]
fn conv_integers() {
    golden("conv_integers", |g, _, i| {
        let w = filled(Dtype::Int8, &[8, 2, 3, 3]);
        let a = g.conv_int(i, w.clone()).group(2).input_zp(3).weight_zp(-1).bias(filled(Dtype::Int32, &[8])).call()?;
        let b = g.requant_int(a, vec![1 << 30; 8], vec![-31; 8], 2, 2).out_dtype(Dtype::Uint8).call()?;
        let c = g
            .conv_quant(b, filled(Dtype::Int8, &[4, 8, 1, 1]))
            .input_scale(0.5)
            .weight_scale(vec![0.1, 0.2, 0.3, 0.4])
            .output_scale(2.0);
        Ok(vec![c.call()?])
    });
}

#[test]
fn matmul() {
    golden("matmul", |g, x, i| {
        let a =
            g.matmul(x, filled(Dtype::Float32, &[6, 5])).bias(vec![0f32; 5]).do_relu(true).relu_limit(6.0).call()?;
        let b = g.matmul_int(i, filled(Dtype::Int8, &[7, 6])).right_transpose(true).input_zp(0).right_zp(0).call()?;
        Ok(vec![a, b])
    });
}

#[test]
fn arithmetic() {
    golden("arithmetic", |g, x, i| {
        let a = g.add(x, 1.5).call()?;
        let b = g.sub(2, a).call()?;
        let c = g.mul(b, vec![1f32; 6]).call()?;
        let d = g.div(1.0, c).call()?;
        let e = g.max(d, 0.0).call()?;
        let f = g.min(e, x).call()?;
        let h = g.add(i, i).scale([0.5, 0.5, 1.0]).zero_point([0, 0, 4]).call()?;
        Ok(vec![f, h])
    });
}

#[test]
fn compare_and_select() {
    golden("compare_and_select", |g, x, i| {
        let a = g.gt(x, vec![0f32]).call()?;
        let b = g.nes(x, 1).call()?;
        let c = g.cond_select(a, x, -1.0).call()?;
        let d = g.les(i, 2.0).scale([0.5, 1.0]).call()?;
        Ok(vec![b, c, d])
    });
}

#[test]
fn activation() {
    golden("activation", |g, x, i| {
        let a = g.abs(x).call()?;
        let a = g.relu(a).call()?;
        let b = g.leaky_relu(a).negative_slope(0.1).round_mode(RoundMode::HalfUp).call()?;
        let c = g.sigmoid(b).call()?;
        let d = g.tanh(c).call()?;
        let e = g.softmax(d, -1).call()?;
        let f = g.gelu(i).scale([0.1, 0.05]).call()?;
        Ok(vec![e, f])
    });
}

#[test]
fn norm_pool_reduce() {
    golden("norm_pool_reduce", |g, x, i| {
        let ones = || filled(Dtype::Float32, &[4]);
        let a = g.batch_norm(x, ones(), ones()).gamma(ones()).call()?;
        let b = g.layer_norm(a).beta(filled(Dtype::Float32, &[6])).axis(-1).call()?;
        let c = g.maxpool2d(b).kernel([2, 2]).stride([2, 2]).pad([0, 0, 1, 1]).call()?;
        let d = g.reduce(c).method(ReduceMode::ReduceMean).axes([2, 3]).keep_dims(false).call()?;
        let e = g.avgpool2d(i).kernel([3, 3]).ceil_mode(true).count_include_pad(true).scale([0.5, 0.5]).call()?;
        Ok(vec![d, e])
    });
}

#[test]
fn layout() {
    golden("layout", |g, x, _| {
        let a = g.reshape(x, [0, -1, 3]).call()?;
        let b = g.permute(a, vec![0, 2, 1]).call()?;
        let c = g.squeeze(b, vec![0]).call()?;
        let d = g.unsqueeze(c).axes(vec![0]).call()?;
        let parts = g.split(d).axis(1).num(2).size(vec![1, 2]).out_names(["p", "q"]).call()?;
        let e = g.concat([parts[1], parts[0]]).axis(1).call()?;
        let f = g.slice(e, [1, 0], [i64::MAX, -1]).steps([2, 1]).axes([2, 1]).call()?;
        let f = g.pad(f).value(0.5).padding([0, 1, 0, 0, 0, 2]).call()?;
        let h = g.index_select(f, vec![1i32, 0]).axis(1).call()?;
        let k = g.cast(h).out_dtype(Dtype::Int8).round_mode(RoundMode::HalfToEven).call()?;
        Ok(vec![k])
    });
}

#[test]
fn sort() {
    golden("sort", |g, x, _| {
        let [values, indices] = g.topk(x, -1, 2).call()?;
        Ok(vec![values, indices])
    });
}

#[test]
fn resize() {
    golden("resize", |g, x, i| {
        let a =
            g.interpolate(x, 2.0, 1.5).method(InterpMode::Linear).coord_mode(InterpCoordMode::AlignCorners).call()?;
        let b = g.interpolate_v2(a).sizes(vec![5i32, 20]).call()?;
        let c = g.interpolate(i, 3.0, 0.5).coord_mode(InterpCoordMode::Asymmetric).call()?;
        Ok(vec![b, c])
    });
}

#[test]
fn attention() {
    golden("attention", |g, x, i| {
        let (sine, cosine) = (filled(Dtype::Float32, &[6, 6]), filled(Dtype::Float32, &[6, 6]));
        let a = g.rope(x, sine, cosine).rope_mode(RopeMode::ContiguousHalves).call()?;
        let (sine, cosine) = (filled(Dtype::Int8, &[4, 6]), filled(Dtype::Int8, &[4, 6]));
        let b = g.rope(i, sine, cosine).is_permute_optimize(true).mul1_shift(-6).mul2_shift(-6).add_shift(0).call()?;
        let c = g.merger_matmul(a, filled(Dtype::Float32, &[16, 5])).split_hws(vec![[1, 1]]).call()?;
        let ids = g.coefficient("ids", filled(Dtype::Int32, &[3, 2]))?;
        let table = || filled(Dtype::Float32, &[4, 2]);
        let [d, e, f] = g.rot_pos_emb(ids, table(), table(), table()).call()?;
        Ok(vec![b, c, d, e, f])
    });
}

#[test]
fn deformable() {
    golden("deformable", |g, x, _| {
        let value = g.reshape(x, [1, 36, 2, 2]).call()?;
        let at = g.coefficient("at", filled(Dtype::Float32, &[1, 3, 2, 1, 2, 2]))?;
        let weights = filled(Dtype::Float32, &[1, 3, 2, 1, 2]);
        let a = g.deformable_attention(value, at, weights, vec![[6, 6]]).call()?;
        let of = |shape: &[usize]| filled(Dtype::Float32, shape);
        let (mask, points) = (of(&[1, 3]), of(&[1, 3, 1, 4]));
        let c = g
            .multi_scale_deformable_attention(
                a,
                mask,
                points,
                of(&[4, 4]),
                of(&[4]),
                of(&[4, 2]),
                of(&[2]),
                of(&[4, 2]),
                of(&[2]),
                of(&[2, 4]),
                of(&[4]),
                vec![[1, 3]],
                4,
            )
            .num_heads(1)
            .num_levels(1)
            .num_points(2)
            .value_proj_ratio(0.5);
        Ok(vec![c.call()?])
    });
}

#[test]
fn image_and_detect() {
    golden("image_and_detect", |g, x, _| {
        let yuv = g.input("yuv", Dtype::Uint8, [6, 4])?;
        let (format, mode) = (Yuv2rgbFormulaImageFormat::UINT8, Yuv2rgbFormulaMode::_601Full);
        let a = g.yuv2rgb(yuv, 2, 4, format, mode, ColourRounding::HalfAwayFromZero).call()?;
        let boxes = g.coefficient("boxes", filled(Dtype::Float32, &[1, 6, 4]))?;
        let scores = g.reshape(x, [1, -1, 6]).call()?;
        let b = g.nms(boxes, scores).max_box_num_per_class(2).call()?;
        let (rois, levels) = (filled(Dtype::Float32, &[2, 7]), filled(Dtype::Int32, &[2]));
        let c =
            g.roiExtractor(rois, levels, [x, x], 3, 2, 1, vec![4.0, 8.0], 2).mode(ExtractorMode::DynNormal).call()?;
        Ok(vec![a, b, c])
    });
}
