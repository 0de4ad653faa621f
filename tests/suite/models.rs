//! The networks of examples/models, with small random weights.
#[allow(dead_code, reason = "its main function is for users")]
#[path = "../../examples/model_weights.rs"]
mod model_weights;

/// The example that builds networks in Rust.
#[allow(dead_code, reason = "its main function is for users")]
#[path = "../../examples/networks/main.rs"]
mod built;

use std::{fs, path::Path};
use tpulang::{
    Array, Graph,
    array::write_npz,
    exec::{CpuBackend, RunOptions, Session, random_feeds},
    mlir, spec,
};

/// Reads a model with small weights and these parameters.
fn small(model: &str, params: &[(&str, i64)], folder: &Path) -> Graph {
    let weights = model_weights::weights(model, true).unwrap();
    let path = folder.join(format!("{model}.npz"));
    write_npz(&path, weights).unwrap();
    let options = spec::Options::new().param("weights", path.to_str().unwrap());
    let options = params.iter().fold(options, |options, (name, value)| options.param(*name, *value));
    options.read(format!("examples/models/{model}.json")).unwrap_or_else(|e| panic!("{e}"))
}

const HEADS: [(&str, i64); 3] = [("layers", 2), ("heads", 4), ("head", 8)];

#[test]
fn they_are_short_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let llama = [&HEADS[..], &[("kv_heads", 2), ("length", 3), ("past", 5)]].concat();
    for (model, params, most_lines, operators) in [
        ("resnet50", &[("size", 32)][..], 150, 174),
        ("bert", &[&HEADS[..], &[("length", 6)]].concat(), 60, 54),
        ("llama", &llama, 80, 76),
    ] {
        let lines = fs::read_to_string(format!("examples/models/{model}.json")).unwrap().lines().count();
        assert!(lines < most_lines, "{model}: {lines} lines");
        let g = small(model, params, folder.path());
        assert_eq!(g.operators().len(), operators, "{model}");
        let unused = model_weights::weights(model, true).unwrap().len()
            - g.tensors().filter(|(_, t)| t.is_coefficient()).count();
        assert_eq!(unused, 0, "{model}");
        let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
        let feeds = random_feeds(&g, 0).unwrap();
        let results = session.run(&feeds).unwrap();
        for (name, result) in &results {
            assert!(result.to_f32().unwrap().iter().all(|v| v.is_finite()), "{model}: {name}");
        }
        // The network is the same as one that is written out.
        let again = spec::from_text(&spec::to_text(&g, None).unwrap(), "again", None).unwrap();
        let session = Session::new(&again, CpuBackend::new(), &RunOptions::default()).unwrap();
        assert_eq!(session.run(&feeds).unwrap(), results, "{model}");
        assert!(mlir::emit(&again).unwrap().text.contains(model));
    }
}

/// The networks of examples/networks are those of the specs, and use all weights.
#[test]
fn networks_built_in_rust_are_those_of_the_specs() {
    let folder = tempfile::tempdir().unwrap();
    let weights = |model: &str| folder.path().join(format!("{model}.npz")).to_str().unwrap().to_owned();
    let spec = small("resnet50", &[("size", 32)], folder.path());
    check_equal(&built::resnet50::resnet50(&weights("resnet50"), 1, 32).unwrap(), &spec);
    let spec = small("bert", &[&HEADS[..], &[("length", 6)]].concat(), folder.path());
    let config = built::bert::Config { batch: 1, length: 6, layers: 2, heads: 4 };
    check_equal(&built::bert::bert(&weights("bert"), config).unwrap(), &spec);
}

fn check_equal(built: &Graph, spec: &Graph) {
    assert_eq!(built.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    let run = |g| Session::new(g, CpuBackend::new(), &RunOptions::default())?.run(&random_feeds(spec, 0)?);
    let (built, spec) = (run(built).unwrap(), run(spec).unwrap());
    assert!(built.values().eq(spec.values()));
}

/// The quantized network uses its weights, and most of the range of its results.
#[test]
fn a_quantized_network_is_built_in_rust() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quantized.npz");
    write_npz(&path, model_weights::weights("quantized", false).unwrap()).unwrap();
    let g = built::quantized::quantized(path.to_str().unwrap()).unwrap();
    assert_eq!(g.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    assert!(mlir::emit(&g).unwrap().text.contains("!quant.uniform<i8:f32"));
    let session = Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap();
    let logits = session.run(&random_feeds(&g, 0).unwrap()).unwrap()[0].to_f32().unwrap();
    let distinct: std::collections::BTreeSet<_> = logits.iter().map(|v| v.to_bits()).collect();
    assert!(distinct.len() >= 5, "{logits:?}");
}

/// Reading two tokens, or one after the other with the caches of the first, is the same.
#[test]
fn caches_continue_a_text() {
    let folder = tempfile::tempdir().unwrap();
    let (kv_heads, head) = (2, 8);
    let run = |past: usize, length: usize, ids: &[i32], caches: &[Array]| {
        let params = [("kv_heads", kv_heads as i64), ("past", past as i64), ("length", length as i64)];
        let g = small("llama", &[&HEADS[..], &params].concat(), folder.path());
        let angle = |at: usize, i: usize| (at as f32) * 10000f32.powf(-(((i % (head / 2)) * 2) as f32) / head as f32);
        let table = |f: fn(f32) -> f32| {
            let values = (past..past + length).flat_map(|at| (0..head).map(move |i| f(angle(at, i))));
            Array::from_vec([length, head], values.collect::<Vec<f32>>()).unwrap()
        };
        // A token sees those before it. The first place of the past is empty.
        let sees = |at: usize, other: usize| if other == 0 || other > past + at { -10000.0 } else { 0.0 };
        let mask: Vec<f32> = (0..length).flat_map(|at| (0..past + length).map(move |other| sees(at, other))).collect();
        let mut feeds = indexmap::IndexMap::from([
            ("ids".to_owned(), Array::from_vec([1, length], ids.to_vec()).unwrap()),
            ("sin".to_owned(), table(f32::sin)),
            ("cos".to_owned(), table(f32::cos)),
            ("mask".to_owned(), Array::from_vec([1, 1, length, past + length], mask).unwrap()),
        ]);
        for (i, cache) in caches.iter().enumerate() {
            let kind = if i % 2 == 0 { "past_keys" } else { "past_values" };
            feeds.insert(format!("{kind}.{}", i / 2), cache.clone());
        }
        Session::new(&g, CpuBackend::new(), &RunOptions::default()).unwrap().run(&feeds).unwrap()
    };
    let empty = vec![Array::from_vec([1, kv_heads, 1, head], vec![0f32; kv_heads * head]).unwrap(); 4];
    let both = run(1, 2, &[7, 42], &empty);
    let first = run(1, 1, &[7], &empty);
    // The cache of each head: the empty place, then the first token.
    let appended = |name: &str| {
        let new = first[name].to_f32().unwrap();
        let rows = new.chunks(head).flat_map(|row| [&[0f32; 8][..], row].concat());
        Array::from_vec([1, kv_heads, 2, head], rows.collect::<Vec<f32>>()).unwrap()
    };
    let caches = ["keys.0", "values.0", "keys.1", "values.1"].map(appended);
    let second = run(2, 1, &[42], &caches);
    let (both, second) = (both["logits"].to_f32().unwrap(), second["logits"].to_f32().unwrap());
    let largest = both[100..].iter().zip(&second).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    assert!(largest < 1e-4, "{largest}");
}
