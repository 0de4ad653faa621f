//! Golden MLIR: one graph per family.
use super::snapshot;
use tpulang::{
    Array, Dtype, Graph, Result, Tensor,
    functions::args::{ColorRounding, ExtractorMode, Qwen2Weights},
    mlir,
    ops::{
        Add, AddConst, Expand, Gather, InterpCoordMode, InterpMode, ReduceMode, RopeMode, Scale, Slice, TopK, Where,
        Yuv2rgbFormulaImageFormat, Yuv2rgbFormulaMode,
    },
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
fn conv_other() {
    golden("conv_other", |g, x, i| {
        let v = g.reshape(x, [1, 2, 2, 6, 6]).call()?;
        let a = g.conv3d(v, filled(Dtype::Float32, &[4, 1, 2, 3, 3])).group(2).pad([1, 0, 0, 1, 0, 0]).call()?;
        let a = g.deconv3d(a, filled(Dtype::Float32, &[2, 4, 1, 2, 2])).stride([1, 2, 2]).output_padding([0, 1, 0]);
        let a = a.bias(vec![0f32; 2]).call()?;
        let b = g.deconv(x, filled(Dtype::Float32, &[3, 4, 3, 3])).group(2).stride([2, 2]).pad([1, 1, 0, 0]).call()?;
        let c = g.deconv_v2(i, filled(Dtype::Int8, &[3, 4, 1, 1])).pad([1, 0, 0, 1]).weight_zp(2).call()?;
        let w = g.reshape(i, [1, 2, 2, 6, 6]).call()?;
        let d = g.conv3d_int(w, filled(Dtype::Int8, &[4, 2, 1, 1, 1])).input_zp(3).weight_zp(0).call()?;
        let e = g.conv3d_quant(w, filled(Dtype::Int8, &[4, 2, 1, 1, 1])).weight_scale(0.5).input_scale(0.1);
        let e = e.output_scale(0.25).call()?;
        Ok(vec![a, b, c, d, e])
    });
}

#[test]
fn matmul() {
    golden("matmul", |g, x, i| {
        let a =
            g.matmul(x, filled(Dtype::Float32, &[6, 5])).bias(vec![0f32; 5]).do_relu(true).relu_limit(6.0).call()?;
        let b = g.matmul_int(i, filled(Dtype::Int8, &[7, 6])).right_transpose(true).input_zp(0).right_zp(0).call()?;
        let c = g.matmulrq_int_op(i, filled(Dtype::Int8, &[6, 2])).multiplier(vec![3, 4]).shift(-2).offset(0).call()?;
        let d = g.matmul_quant(c, filled(Dtype::Uint8, &[2, 8])).input_scale(0.5).right_scale(0.25).output_scale(1.0);
        let d = d.output_zp(3).out_dtype(Dtype::Uint8).call()?;
        Ok(vec![a, b, d])
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
        let e = g.not_op(a).call()?;
        let e = g.and_op(e, b).call()?;
        let e = g.or_op(e, b).call()?;
        let e = g.xor_op(e, a).call()?;
        let e = g.ands(e, 1).call()?;
        let e = g.ors(e, 0).call()?;
        let e = g.xors(e, 1.0).call()?;
        let f = g.or_op(i, i).scale([0.5, 0.5, 2.0]).zero_point([0, 0, 1]).call()?;
        Ok(vec![e, c, d, f])
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
        let p = g.prelu(e, vec![0.5f32]).call()?;
        let q = g.swish(p, 1.5).round_mode(RoundMode::HalfDown).call()?;
        let r = g.softmax_int(i, 1, [0.1, 0.0078125]).zero_point([0, -3]).call()?;
        Ok(vec![q, f, r])
    });
}

#[test]
fn math() {
    golden("math", |g, x, i| {
        let mut a = x;
        a = g.floor(a).call()?;
        a = g.ceil(a).call()?;
        a = g.round(a).call()?;
        a = g.cos(a).call()?;
        a = g.arccos(a).call()?;
        a = g.sin(a).call()?;
        a = g.arctanh(a).call()?;
        a = g.tan(a).call()?;
        a = g.cosh(a).call()?;
        a = g.sinh(a).call()?;
        a = g.exp(a).call()?;
        a = g.ln(a).call()?;
        a = g.square(a).call()?;
        a = g.sqrt(a).call()?;
        a = g.rsqrt(a).call()?;
        a = g.erf(a).call()?;
        a = g.sign(a).call()?;
        a = g.elu(a).call()?;
        a = g.silu(a).call()?;
        a = g.mish(a).call()?;
        a = g.hswish(a).call()?;
        a = g.hsigmoid(a).call()?;
        a = g.log_sigmoid(a).call()?;
        let b = g.clamp(a, -1.0, 0.5).call()?;
        let b = g.pow(b, 0.5).call()?;
        let b = g.pow(2.0, b).call()?;
        let b = g.pow(b, 2.0).call()?;
        let h = g.pow(b, x).call()?;
        let k = g.exp(i).scale([0.1, 0.5]).zero_point([0, 4]).call()?;
        Ok(vec![h, k])
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
        let d = g.cumsum(d).call()?;
        let a = g.group_norm(x).gamma(ones()).num_groups(2).epsilon(1e-3).call()?;
        let a = g.rms_norm(a).gamma(filled(Dtype::Float32, &[6])).call()?;
        let [a, mask] = g.maxpool2d_with_mask(a).kernel(2).stride(4).ceil_mode(true).out_name("masked").call()?;
        let v = g.reshape(x, [1, 2, 2, 6, 6]).call()?;
        let v = g.maxpool3d(v).kernel([1, 2, 2]).stride([1, 2, 2]).pad([0, 1, 1, 0, 0, 0]).call()?;
        let v = g.avgpool3d(v).kernel(2).first_round_mode(RoundMode::HalfUp).call()?;
        Ok(vec![d, e, a, mask, v])
    });
}

#[test]
fn shift() {
    golden("shift", |g, _, i| {
        let a = g.add_shift(i, filled(Dtype::Uint8, &[4, 1, 6]), -1, Dtype::Int16).call()?;
        let b = g.sub_shift(7, a, 2, Dtype::Int32).is_saturate(false).call()?;
        let c = g.mul_shift(b, 3, -4, Dtype::Uint8).round_mode(RoundMode::HalfToEven).call()?;
        Ok(vec![c])
    });
}

#[test]
fn packed_products() {
    golden("packed_products", |g, _, _| {
        let x = g.input("a", Dtype::Float32, [2, 8])?;
        let w = g.coefficient("w", filled(Dtype::Int32, &[2, 8]))?;
        let s = g.coefficient("s", filled(Dtype::Float32, &[2, 8]))?;
        let z = g.coefficient("z", filled(Dtype::Int32, &[2, 2]))?;
        let a = g.a16matmul(x, w, s, z).bits(8).group_size(4).bias(vec![0f32; 8]).out_dtype(Dtype::Float32).call()?;
        // The second form of a coefficient has its own name.
        let b = g.a16matmul(a, w, s, z).bits(8).group_size(4).right_transpose(false).call()?;
        let c =
            g.fp8matmul(a, filled(Dtype::Float32, &[3, 8]), filled(Dtype::Float32, &[1, 2])).block_size(4).call()?;
        Ok(vec![b, c])
    });
}

#[test]
fn mean_std() {
    golden("mean_std", |g, _, i| {
        let std = vec![58.5, 57.0, 57.25, 1.0];
        let a = g.mean_std_scale(i, std.clone(), vec![123.5, 116.25, 103.5, 0.0]).scale(vec![1.0, 0.03125]);
        let a = a.zero_points(vec![0, 0]).odtype(Dtype::Int8).round_mode(RoundMode::HalfUp).call()?;
        Ok(vec![g.mean_std_scale(a, std, vec![0.0; 4]).call()?])
    });
}

#[test]
fn custom() {
    golden("custom", |g, x, i| {
        let params = [("alpha", 1.5.into()), ("axes", vec![1i64, 2].into()), ("fast", true.into())];
        g.custom([x, i], "mine", vec![Dtype::Float32, Dtype::Int8]).params(params).out_names(["p", "q"]).call()
    });
}

#[test]
fn quantize() {
    golden("quantize", |g, x, _| {
        let a = g.requant_fp_to_int(x, 0.5, 3, 0, Dtype::Int8).round_mode(RoundMode::HalfUp).call()?;
        let b = g.dequant_int(a, vec![3; 4], vec![-1; 4], 2, 0, 0).out_dtype(Dtype::Int16).call()?;
        let c = g.requant_fp(b, 0.25, 1.5, Dtype::Uint8).round_mode(RoundMode::HalfDown).call()?;
        let d = g.dequant_int_to_fp(c, vec![0.5, 0.25, 2.0, 1.0], 1.0).out_dtype(Dtype::Float16).call()?;
        Ok(vec![d])
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
        let k = g.copy(k).call()?;
        let k = g.lut(k, filled(Dtype::Uint8, &[256])).call()?;
        Ok(vec![k])
    });
}

#[test]
fn ranges_and_repetition() {
    golden("ranges_and_repetition", |g, x, i| {
        let a = g.extract(x).start([0, 1, 0, 0]).stride([1, 1, 2, 3]).call()?;
        let a = g.roll(a, [1, -1]).dims([1, 2]).call()?;
        let a = g.roll(a, 5).call()?;
        let a = g.tile(a, [2, 1, 1, 1]).call()?;
        let a = g.repeat(a, vec![2f32, 1.0, 1.0, 1.0, 1.0]).call()?;
        let b = g.upsample(i).scale(3).call()?;
        let b = g.broadcast(b, [2, 4, 18, 18]).call()?;
        let c = g.shape_fetch(b).begin_axis(-2).call()?;
        Ok(vec![a, b, c])
    });
}

#[test]
fn by_index() {
    golden("by_index", |g, x, _| {
        let columns = Array::from_vec([1, 4, 6, 2], vec![5i32; 48])?;
        let a = g.gather_elements(x, columns.clone()).axis(3).call()?;
        let b = g.scatter(x, columns, a).axis(-1).call()?;
        let places = Array::from_vec([1, 2], vec![0u32, 3])?;
        let d = g.scatterND(b, places, filled(Dtype::Float32, &[1, 6, 6])).call()?;
        let e = g.select(d, x, d, 0.0, tpulang::ops::CompareMode::GreaterOrEqual).call()?;
        let f = g.nonzero(e).call()?;
        Ok(vec![f])
    });
}

#[test]
fn sort() {
    golden("sort", |g, x, _| {
        let [values, indices] = g.topk(x, -1, 2).call()?;
        let [largest, _] = g.arg(x).axis(1).keep_dims(false).call()?;
        let [ordered, _] = g.sort(values).axis(2).descending(false).call()?;
        let order = g.argsort(x).call()?;
        let [by_key, keys] = g.sort_by_key(ordered, vec![3f32, 1.0, 2.0, 0.0]).axis(1).call()?;
        Ok(vec![indices, largest, order, by_key, keys])
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

/// Operators that tpuc-opt fails on, or rewrites as something else, are emitted in another form.
#[test]
fn for_the_tool_chain() {
    golden("tool_chain", |g, x, _| {
        let mask = g.coefficient("mask", filled(Dtype::Uint8, &[1, 1, 6, 6]))?;
        let masked = g.op(Where { tbrn: Some(x), y_is_const: true, y_const_val: -1e4, ..Where::new(mask) }).call()?[0];
        let softmax = g.softmax(masked, 3).call()?;
        let maximum = |g: &mut Graph, axes: [i64; 2]| g.reduce(softmax).method(ReduceMode::ReduceMax).axes(axes).call();
        let (row, column) = (maximum(g, [1, 2])?, maximum(g, [1, 3])?);
        let expanded = g.op(Expand { shape: vec![1, 4, 6, 6], ..Expand::new(row) }).call()?[0];
        // Only the second has the axes of the expansion in its other operand.
        let outer = g.add(expanded, column).call()?;
        let inner = g.add(expanded, x).call()?;
        let reversed = Slice { axes: vec![2, 3], ..Slice::new(inner, vec![1, -1], vec![1, -1], vec![5, -i64::MAX]) };
        let reversed = g.op(reversed).call()?[0];
        let last = g.coefficient("last", vec![-1i32, 2])?;
        let taken = g.op(Gather { axis: 2, ..Gather::new(outer, last) }).call()?[0];
        let norm = g.reduce(x).method(ReduceMode::ReduceL2).axes([0]).call()?;
        let added = g.op(AddConst::new(x, 3.0)).call()?[0];
        let [scale, shift] = [("scale", 2.0), ("shift", 0.5)]
            .map(|(name, number)| g.coefficient(name, Array::filled(Dtype::Float32, [1, 4, 1, 1], number).unwrap()));
        let scaled = g.op(Scale::new(added, scale?, shift?)).call()?[0];
        let limited = g.op(Add { do_relu: true, relu_limit: 6.0, ..Add::new(vec![x, scaled]) }).call()?[0];
        let relu = g.relu(limited).call()?;
        let mut largest = |t: Tensor| g.op(TopK { K: 2, ..TopK::new(t, 2) }).call();
        let (first, second) = (largest(x)?[0], largest(relu)?[1]);
        Ok(vec![reversed, taken, norm, scaled, first, second])
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
        let a = g.yuv2rgb(yuv, 2, 4, format, mode, ColorRounding::HalfAwayFromZero).call()?;
        let boxes = g.coefficient("boxes", filled(Dtype::Float32, &[1, 6, 4]))?;
        let scores = g.reshape(x, [1, -1, 6]).call()?;
        let b = g.nms(boxes, scores).max_box_num_per_class(2).call()?;
        let (rois, levels) = (filled(Dtype::Float32, &[2, 7]), filled(Dtype::Int32, &[2]));
        let c =
            g.roiExtractor(rois, levels, [x, x], 3, 2, 1, vec![4.0, 8.0], 2).mode(ExtractorMode::DynNormal).call()?;
        Ok(vec![a, b, c])
    });
}

/// The tensors of a decoder layer of 8 hidden elements, named after a prefix.
fn layer(g: &mut Graph, prefix: &str) -> Result<Qwen2Weights> {
    for name in ["q", "k", "v", "o", "gate", "up", "down"] {
        let mut add =
            |what, dtype, shape: &[usize]| g.coefficient(&format!("{prefix}{name}_proj_{what}"), filled(dtype, shape));
        add("weights", Dtype::Int32, &[1, 8])?;
        add("scales", Dtype::Float32, &[2, 8])?;
        add("zps", Dtype::Int32, &[2, 1])?;
        add("bias", Dtype::Float32, &[8])?;
    }
    for name in ["input_layernorm_weight", "post_attention_layernorm_weight"] {
        g.coefficient(&format!("{prefix}{name}"), filled(Dtype::Float32, &[8]))?;
    }
    Ok(Qwen2Weights::named(prefix))
}

#[test]
fn qwen() {
    golden("qwen", |g, x, _| {
        let hidden = g.slice(x, [0, 0, 0, 0], [1, 1, 2, 4]).call()?;
        let hidden = g.reshape(hidden, [1, 1, 8]).call()?;
        let ids = g.coefficient("ids", filled(Dtype::Int32, &[2, 1, 1]))?;
        let tables = || [filled(Dtype::Float32, &[3, 1, 1]), filled(Dtype::Float32, &[3, 1, 1])];
        let (first, second) = (layer(g, "first_")?, layer(g, "second_")?);
        let mask = filled(Dtype::Float32, &[1, 1, 1, 1]);
        let a = g.qwen2_block(hidden, ids, mask, tables(), tables(), first).hidden_size(8).num_attention_heads(2);
        let a = a.num_key_value_heads(2).mrope_section(vec![1, 1]).group_size(4).out_dtype(Dtype::Float32);
        let [a, k, v] = a.o_proj_bias("first_o_proj_bias").call()?;
        let mask = filled(Dtype::Float32, &[1, 2]);
        let b = g.qwen2_block_cache(a, ids, mask, k, v, tables(), tables(), second).hidden_size(8);
        let b = b.num_attention_heads(2).num_key_value_heads(2).mrope_section(vec![1, 1]).group_size(4);
        let b = b.o_proj_bias("second_o_proj_bias");
        Ok(b.out_dtype(Dtype::Float32).out_names(["y", "k", "v"]).call()?.to_vec())
    });
}
