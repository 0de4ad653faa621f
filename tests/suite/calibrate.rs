//! The command `calibrate`: its tables, statistics and messages.
use super::{cli::tpulang, snapshot};
use std::{fs, path::PathBuf};
use tpulang::{
    Array, Dtype, Graph,
    array::{ArrayFormat, write_npz},
    calibrate::{Chooser, Precision, Statistics, Table},
    exec::{CpuBackend, RunOptions, Session},
    spec,
};

const SPEC: &str = r#"{"version": 1, "name": "net", "inputs": ["x", "scale"], "outputs": ["y"],
    "tensors": {"x": {"shape": [2, 3]}, "scale": {"shape": [1, 3]}},
    "ops": [
        {"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": "scale"}, "out": "product"},
        {"op": "relu", "args": {"input": "product"}, "out": "h"},
        {"op": "sqrt", "args": {"input": "h"}, "out": "y"}]}"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::write(folder.path("net.json"), SPEC).unwrap();
        fs::create_dir_all(folder.path("data/more")).unwrap();
        for i in 0..7 {
            let name = if i % 2 == 0 { format!("data/{i}.npz") } else { format!("data/more/{i}.npz") };
            let first = (i * 37 % 11) as f32 - 5.0;
            let x = Array::from_vec([2, 3], (0..6).map(|j| first + 0.25 * j as f32).collect::<Vec<_>>()).unwrap();
            folder.npz(&name, &[("x", x), ("scale", Array::from_vec([1, 3], vec![1f32, 0.5, 2.0]).unwrap())]);
        }
        folder
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn npz(&self, name: &str, arrays: &[(&str, Array)]) {
        write_npz(self.path(name), arrays.iter().map(|(n, a)| (*n, a))).unwrap();
    }
    /// Runs `calibrate` with these words, of which those with a `.` that are no numbers, or that are `data`, are in the folder.
    fn calibrate(&self, words: &str) -> String {
        let is_file = |word: &str| word.contains('.') && !word.starts_with('-') && word.parse::<f64>().is_err();
        let in_folder = |word: &str| word == "data" || is_file(word);
        let args: Vec<String> = words
            .split(' ')
            .map(|word| if in_folder(word) { self.path(word).display().to_string() } else { word.to_owned() })
            .collect();
        let out = tpulang(&[&["calibrate"], &args.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
        let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        let text = text.replace(&self.0.path().display().to_string(), "DIR");
        format!("$ tpulang calibrate {words}\n{text}[exit {}]\n", out.status.code().unwrap())
    }
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn tables_are_written_and_compared() {
    let folder = Folder::new();
    let mut all = folder.calibrate("net.json --data data --method max -o max.table");
    all += &folder.read("max.table");
    all += &folder.calibrate("net.json --data data --int4 --asymmetric x,h --method mse -o all.table");
    all += &folder.read("all.table");
    all += &folder.calibrate("net.json --data data --samples 3 --statistics some.json -o some.table");
    all += &folder.read("some.table");
    let text = folder.read("max.table").replace("h 10", "h 5").replace("y ", "other ");
    fs::write(folder.path("other.table"), text).unwrap();
    all += &folder.calibrate("--compare max.table other.table");
    all += &folder.calibrate("--compare max.table max.table");
    snapshot("calibrate", &all);
    // Of seven, the first, third and fifth.
    let some = Statistics::read(folder.path("some.json")).unwrap();
    assert_eq!(some.samples().collect::<Vec<_>>(), ["0.npz", "4.npz", "more/1.npz"]);
    // A table that was read is written as it was.
    let read = Table::read(folder.path("all.table")).unwrap();
    read.write(folder.path("again.table")).unwrap();
    let lines = |name: &str| {
        folder.read(name).lines().filter(|l| !l.contains("op_name")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines("again.table"), lines("all.table"));
}

#[test]
fn samples_may_be_behind_links() {
    let folder = Folder::new();
    fs::create_dir(folder.path("linked")).unwrap();
    for (link, to) in [("linked/z", "data"), ("linked/a", "data"), ("data/more/back", "data")] {
        std::os::unix::fs::symlink(folder.path(to), folder.path(link)).unwrap();
    }
    let links = folder.path("linked").display().to_string();
    let out = tpulang(&[
        "calibrate",
        &folder.path("net.json").display().to_string(),
        "--data",
        &links,
        "--method",
        "max",
        "--statistics",
        &folder.path("linked.json").display().to_string(),
    ]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    // A folder is read once, by the first of its names.
    let read = Statistics::read(folder.path("linked.json")).unwrap();
    assert_eq!(
        read.samples().collect::<Vec<_>>(),
        ["a/0.npz", "a/2.npz", "a/4.npz", "a/6.npz", "a/more/1.npz", "a/more/3.npz", "a/more/5.npz"]
    );
}

#[test]
fn tensors_that_are_quantized_already_are_counted() {
    let folder = Folder::new();
    let spec = r#"{"version": 1, "name": "net", "mode": "quantized", "inputs": ["x", "scale"], "outputs": ["y"],
        "tensors": {"x": {"shape": [2, 3]}, "scale": {"shape": [1, 3]}},
        "ops": [
            {"op": "mul", "args": {"tensor_i0": "x", "tensor_i1": "scale"}, "out": "product"},
            {"op": "requant_fp_to_int", "args": {"tensor_i": "product", "scale": 0.5, "offset": 0, "requant_mode": 0,
                                                 "out_dtype": "int8"}, "out": "y"}]}"#;
    fs::write(folder.path("quantized.json"), spec).unwrap();
    let told = folder.calibrate("quantized.json --data data --method max -o some.table");
    insta::assert_snapshot!(told, @"
    $ tpulang calibrate quantized.json --data data --method max -o some.table
    DIR/some.table: 3 tensors by max, 7 samples
    already quantized, without a threshold in the table: 1 tensor
    [exit 0]
    ");
}

#[test]
fn parts_merge_to_the_table_of_all_samples() {
    let folder = Folder::new();
    folder.calibrate("net.json --data data --statistics all.json -o all.table");
    for i in 1..=3 {
        let part = folder.calibrate(&format!("net.json --data data --shard {i}/3 --statistics part{i}.json"));
        assert!(part.contains("samples of 5 tensors") && part.ends_with("[exit 0]\n"), "{part}");
    }
    let merged = folder.calibrate(
        "net.json --data data --statistics merged.json -o merged.table --merge part2.json part3.json part1.json",
    );
    assert!(merged.ends_with("[exit 0]\n"), "{merged}");
    assert_eq!(folder.read("all.json"), folder.read("merged.json"));
    assert_eq!(folder.read("all.table"), folder.read("merged.table"));
    // Statistics of the library are those of the command.
    let graph: Graph = spec::read(folder.path("net.json"), spec::Weights::Load).unwrap();
    let session = Session::new(&graph, CpuBackend::new(), &RunOptions::default().unfused(true)).unwrap();
    let mut statistics = Statistics::new(&graph).unwrap();
    for name in ["0.npz", "more/1.npz", "2.npz", "more/3.npz", "4.npz", "more/5.npz", "6.npz"] {
        let feeds = tpulang::array::read_arrays(folder.path("data").join(name)).unwrap();
        statistics.run(&session, &[name], &feeds).unwrap();
    }
    statistics.write(folder.path("library.json")).unwrap();
    assert_eq!(folder.read("library.json"), folder.read("all.json"));
}

/// The tool chain gets them unrolled, so its table needs the tensors of each iteration.
#[test]
fn loops_are_unrolled() {
    let folder = Folder::new();
    let mut g = Graph::new("loops").unwrap();
    let x = g.input("x", Dtype::Float32, [1, 3]).unwrap();
    let y = g.for_loop(3, &[x], |g, _, v| Ok(vec![g.sigmoid(v[0]).call()?])).unwrap();
    g.set_outputs(&y).unwrap();
    spec::save(&g, folder.path("loops.json")).unwrap();
    folder.npz("x.npz", &[("x", Array::from_vec([1, 3], vec![1f32, -2.0, 3.0]).unwrap())]);
    let report = folder.calibrate("loops.json --data x.npz --method max -o loops.table");
    assert_eq!(Table::read(folder.path("loops.table")).unwrap().entries.len(), 4, "{report}");
}

/// The arrays of a data set that are no inputs, such as labels, do no harm.
#[test]
fn samples_may_have_arrays_of_no_input() {
    let folder = Folder::new();
    let array = |shape: &[usize]| Array::filled(Dtype::Float32, shape, 0.5).unwrap();
    folder.npz("labelled.npz", &[("x", array(&[2, 3])), ("scale", array(&[1, 3])), ("label", array(&[1]))]);
    let report = folder.calibrate("net.json --data labelled.npz -o labelled.table");
    assert!(report.contains("1 sample"), "{report}");
    folder.npz("partial.npz", &[("x", array(&[2, 3])), ("label", array(&[1]))]);
    let report = folder.calibrate("net.json --data partial.npz -o partial.table");
    assert!(report.contains("label"), "{report}");
}

/// Images that failed to load, and gaps of a sensor.
#[test]
fn few_samples_of_zeros_or_nan_are_named() {
    let folder = Folder::new();
    let array = |shape: &[usize], value: f64| Array::filled(Dtype::Float32, shape, value).unwrap();
    let sample = |name: &str, x: f64, scale: f64| {
        folder.npz(&format!("data/{name}.npz"), &[("x", array(&[2, 3], x)), ("scale", array(&[1, 3], scale))]);
    };
    for name in ["0", "2"] {
        sample(name, -0.0, 0.0);
    }
    sample("4", 0.0, f64::NAN);
    let report = folder.calibrate("net.json --data data --method max -o few.table");
    let zeros = "warning[unusual-sample]: 2 samples such as \"0.npz\" have only zeros\n";
    let nan = "warning[unusual-sample]: the sample \"4.npz\" has NaN for \"scale\"\n";
    assert!(report.contains(zeros) && report.contains(nan) && !report.contains("not-finite"), "{report}");
    // As masks have.
    for name in ["0", "2", "4", "6"] {
        sample(name, 1.0, f64::INFINITY);
    }
    let report = folder.calibrate("net.json --data data --method max -o most.table");
    assert!(!report.contains("unusual-sample") && report.matches("not-finite-input").count() == 1, "{report}");
}

#[test]
fn samples_fill_batches() {
    let folder = Folder::new();
    let numbers = |i: usize| Array::from_vec([1, 3], vec![i as f32, 2.0 * i as f32, -1.0]).unwrap();
    let mut list = String::new();
    for i in 1..=3 {
        ArrayFormat::Npy.write(folder.path(&format!("x{i}.npy")), [("", &numbers(i))]).unwrap();
        list += &format!("x{i}.npy, s.npy\n");
    }
    ArrayFormat::Npy.write(folder.path("s.npy"), [("", &numbers(1))]).unwrap();
    fs::write(folder.path("list.txt"), format!("# three\n\n{list}")).unwrap();
    let report = folder.calibrate("net.json --data list.txt --method max --statistics three.json -o three.table");
    assert!(report.contains("the last sample is repeated 1 time to fill a batch"), "{report}");
    let statistics = Statistics::read(folder.path("three.json")).unwrap();
    assert_eq!(statistics.samples().collect::<Vec<_>>(), ["x1.npy,s.npy", "x2.npy,s.npy", "x3.npy,s.npy"]);
    let x = &statistics.tensors()["x"].histogram;
    assert_eq!((x.count(), x.min(), x.max()), (4 * 3, -1.0, 6.0));
}

#[test]
fn images_fill_batches() {
    let folder = Folder::new();
    let spec = r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y"],
        "tensors": {"x": {"shape": [2, 3, 4, 4], "preprocess": {"pixel_format": "rgb", "resize_dims": [4, 4]}}},
        "ops": [{"op": "relu", "args": {"input": "x"}, "out": "y"}]}"#;
    fs::write(folder.path("images.json"), spec).unwrap();
    fs::create_dir(folder.path("some.images")).unwrap();
    for name in ["a.png", "b.png"] {
        fs::copy("tests/images/rgb.png", folder.path("some.images").join(name)).unwrap();
    }
    let report = folder.calibrate("images.json --data some.images --statistics all.json");
    assert!(report.ends_with("2 samples of 2 tensors\n[exit 0]\n"), "{report}");
    let statistics = Statistics::read(folder.path("all.json")).unwrap();
    assert_eq!(statistics.tensors()["x"].histogram.count(), 2 * 3 * 4 * 4);
}

#[test]
fn wrong_arguments_and_files_are_explained() {
    let folder = Folder::new();
    folder.calibrate("net.json --data data --shard 1/2 --statistics part.json");
    fs::write(folder.path("bad.table"), "x 1 -1 1\ny 0 0 1\n").unwrap();
    fs::write(folder.path("tiny.table"), "x 1e-8 -1e-8 1e-8\n").unwrap();
    fs::write(folder.path("twice.table"), "x 1 -1 1\nx 1 0 1\n").unwrap();
    fs::write(
        folder.path("damaged.json"),
        folder.read("part.json").replacen("\"zeros\":", "\"zeros\":9999999999999999999", 1),
    )
    .unwrap();
    fs::write(folder.path("other.json"), folder.read("part.json").replace("\"h\"", "\"g\"").replace(".npz", ".npy"))
        .unwrap();
    fs::write(folder.path("list.txt"), "a.npz\nb.gif\n").unwrap();
    fs::write(folder.path("gone.txt"), "\nnope.npz\n").unwrap();
    fs::write(folder.path("twice.txt"), "data/0.npz\ndata/0.npz\n").unwrap();
    fs::create_dir(folder.path("empty.d")).unwrap();
    let one = Array::from_vec([1, 2], vec![1f32, 2.0]).unwrap();
    folder.npz("shape.npz", &[("x", one.clone()), ("scale", one)]);
    let nan = Array::from_vec([2, 3], vec![f32::NAN; 6]).unwrap();
    folder.npz("nan.npz", &[("x", nan), ("scale", Array::from_vec([1, 3], vec![1f32; 3]).unwrap())]);
    // Two samples are run at once, since the input x has a batch of 2.
    let row = |x: f32| Array::from_vec([1, 3], vec![x; 3]).unwrap();
    folder.npz("unlike0.npz", &[("x", row(1.0)), ("scale", row(100.0))]);
    folder.npz("unlike1.npz", &[("x", row(2.0)), ("scale", row(1.0))]);
    fs::write(folder.path("unlike.txt"), "unlike0.npz\nunlike1.npz\n").unwrap();
    let calls = [
        "net.json -o t.table",
        "net.json --data data",
        "net.json --data empty.d -o t.table",
        "net.json --data none.txt -o t.table",
        "net.json --data gone.txt -o t.table",
        "net.json --data data --samples 0 -o t.table",
        "net.json --data list.txt -o t.table",
        "net.json --data twice.txt -o t.table",
        "net.json --data data -o -",
        "net.json --data data --merge other.json -o t.table",
        "net.json --data shape.npz -o t.table",
        "net.json --data nan.npz -o t.table",
        "net.json --data data -o net.json",
        "net.json --data data --method entropy -o t.table",
        "net.json --data data --asymmetric hh -o t.table",
        "net.json --data data --shard 3/2 --statistics t.json",
        "net.json --data data --shard 9/9 --statistics t.json",
        "net.json --data data --shard 1/9 --statistics t.json",
        "-o t.table --merge part.json",
        "--method max -o t.table --merge part.json part.json",
        "--method max -o t.table --merge part.json other.json",
        "--method max -o part.json --merge part.json",
        "--method max -o t.table --statistics t.table --merge part.json",
        "--method max -o t.table --merge damaged.json",
        "--method max -o t.table --merge net.json",
        "--compare bad.table twice.table",
        "--compare twice.table bad.table",
        "--compare tiny.table bad.table",
        "--compare net.json bad.table",
        "--compare bad.table bad.table -o t.table",
        "--method max --data data --merge part.json -o t.table",
        "net.json --data data --shard 1/2 --merge part.json --statistics t.json",
        "net.json --data unlike.txt --method max -o t.table",
    ];
    snapshot("calibrate_errors", &calls.map(|words| folder.calibrate(words)).join("\n"));
    assert!(!folder.path("t.table").exists() && !folder.path("t.json").exists());
}

#[test]
fn a_search_that_does_not_reach_its_goal_fails() {
    let folder = Folder::new();
    for file in ["patterns.json", "weights.npz", "inputs.npz"] {
        fs::copy(format!("examples/patterns/{file}"), folder.path(file)).unwrap();
    }
    let report = folder.calibrate("patterns.json --data inputs.npz --search some.qtable --expect 1 -o some.table");
    assert!(report.contains("the cosine 1 was not reached") && report.ends_with("[exit 1]\n"), "{report}");
    let report = folder.calibrate("net.json --data data --search net.qtable --expect 0.5 -o net.table");
    assert!(report.ends_with("[exit 0]\n"), "{report}");
}

#[test]
fn statistics_of_a_part_of_the_network_are_refused() {
    let folder = Folder::new();
    folder.calibrate("net.json --data data --statistics all.json");
    let mut all: serde_json::Value = serde_json::from_str(&folder.read("all.json")).unwrap();
    all["tensors"].as_object_mut().unwrap().shift_remove("h").unwrap();
    fs::write(folder.path("part.json"), all.to_string()).unwrap();
    let report = folder.calibrate("net.json --data data --method max --merge part.json -o part.table");
    assert!(report.contains(r#"only one has the tensor "h""#) && report.ends_with("[exit 2]\n"), "{report}");
}

/// A network that has been trained further has other numbers.
#[test]
fn statistics_of_other_weights_are_refused() {
    let folder = Folder::new();
    for (name, weight, sample) in [("before", 1f32, "0"), ("again", 1.0, "2"), ("after", 1.5, "4")] {
        let mut g = Graph::new("net").unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
        let w = g.coefficient("w", Array::from_vec([1, 3], vec![1.0, weight, 2.0]).unwrap()).unwrap();
        let y = g.mul(x, w).out_name("y").call().unwrap();
        g.set_outputs(&[y]).unwrap();
        spec::save(&g, folder.path(&format!("{name}.json"))).unwrap();
        folder.npz(&format!("{sample}.npz"), &[("x", Array::filled(Dtype::Float32, [2, 3], 1.0).unwrap())]);
        folder.calibrate(&format!("{name}.json --data {sample}.npz --statistics {name}.stats"));
    }
    let merged = |other: &str| {
        folder
            .calibrate(&format!("--method max --merge before.stats {other}.stats --statistics all.stats -o some.table"))
    };
    let report = merged("after");
    let expected = "the statistics are of networks with different weights; calibrate the one that is deployed";
    assert!(report.contains(expected) && report.ends_with("[exit 2]\n"), "{report}");
    let report = merged("again");
    assert!(report.ends_with("[exit 0]\n"), "{report}");
}

/// Operators that no output needs do not run, and those that read an input beside an inner tensor do.
#[test]
fn thresholds_are_compared_in_what_the_network_needs() {
    let spec = r#"{"version": 1, "name": "net", "inputs": ["x", "i"], "outputs": ["y", "row", "square"],
        "tensors": {"x": {"shape": [4]}, "i": {"shape": [1], "dtype": "int32"}},
        "ops": [
            {"op": "exp", "args": {"input": "x"}, "out": "h"},
            {"op": "mul", "args": {"tensor_i0": "h", "tensor_i1": "h"}, "out": "square"},
            {"op": "relu", "args": {"input": "h"}, "out": "unread"},
            {"op": "add", "args": {"tensor_i0": "unread", "tensor_i1": "h"}, "out": "unread_too"},
            {"op": "add", "args": {"tensor_i0": "x", "tensor_i1": "h"}, "out": "y"},
            {"op": "top.Gather", "args": {"input": "h", "indices": "i", "axis": 0}, "out": "row"}]}"#;
    let graph = spec::from_text(spec, "net.json", None).unwrap();
    let session = Session::new(&graph, CpuBackend::new(), &RunOptions::default().unfused(true)).unwrap();
    let mut statistics = Statistics::new(&graph).unwrap();
    let feeds = [("x", Array::from([0f32, -1.0, 1.0, 2.0])), ("i", Array::from([3i32]))];
    statistics.run(&session, &["one"], &feeds).unwrap();
    let mut chooser = Chooser::new(&graph, &statistics, Precision::Int8).unwrap();
    chooser.add(&session, &feeds).unwrap();
    let table = chooser.table().unwrap();
    assert_eq!(table.entries.keys().collect::<Vec<_>>(), ["x", "i", "h", "square", "y", "row"]);
    assert_eq!(table.entries["i"].threshold, 3.0);
    for names in [&["one"][..], &["two", "two"]] {
        assert!(statistics.run(&session, names, &feeds).is_err(), "a sample is counted twice");
    }
}

/// A network of which one layer has a range that is much too large.
const UNEVEN: &str = r#"{"version": 1, "name": "uneven", "inputs": ["x"], "outputs": ["y"],
    "tensors": {"x": {"shape": [1, 4, 6, 6]}, "w": {"shape": [4, 4, 3, 3], "coeff": true, "data": WEIGHTS}},
    "ops": [
        {"op": "conv", "args": {"input": "x", "weight": "w", "pad": 1}, "out": "a"},
        {"op": "relu", "args": {"input": "a"}, "out": "b"},
        {"op": "mul", "args": {"tensor_i0": "b", "tensor_i1": 0.5}, "out": "half"},
        {"op": "add", "args": {"tensor_i0": "half", "tensor_i1": "x"}, "out": "c"},
        {"op": "sigmoid", "args": {"input": "c"}, "out": "d"},
        {"op": "softmax", "args": {"input": "d", "axis": 1}, "out": "y"}]}"#;

#[test]
fn networks_run_like_a_chip() {
    let folder = Folder::new();
    let weights: Vec<String> = (0..144).map(|i| format!("{}", f64::from(i * 7919 % 101) / 50.0 - 1.0)).collect();
    fs::write(folder.path("uneven.json"), UNEVEN.replace("WEIGHTS", &format!("[{}]", weights.join(", ")))).unwrap();
    let x: Vec<f32> = (0..144).map(|i| (i as f32 * 0.37).sin()).collect();
    folder.npz("x.npz", &[("x", Array::from_vec([1, 4, 6, 6], x).unwrap())]);
    let mut all =
        folder.calibrate("uneven.json --data x.npz --method max -o out/u.table --search out/u.qtable --expect 0.99");
    all += &folder.read("out/u.qtable");
    // The range of one layer is a thousand times too large.
    let table = folder.read("out/u.table");
    let wide: Vec<String> = table
        .lines()
        .map(|line| if line.starts_with("c ") { "c 5000 -5000 5000".to_owned() } else { line.to_owned() })
        .collect();
    fs::write(folder.path("wide.table"), wide.join("\n")).unwrap();
    let run = |words: &str| {
        let args: Vec<String> = words
            .split(' ')
            .map(|word| if word.contains('.') { folder.path(word).display().to_string() } else { word.to_owned() })
            .collect();
        let out = tpulang(&[&["run"], &args.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
        let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        let text = text.replace(&folder.0.path().display().to_string(), "DIR");
        format!("$ tpulang run {words}\n{text}[exit {}]\n", out.status.code().unwrap())
    };
    all += &run("uneven.json -i x.npz --calibration out/u.table -o int8.npz");
    all += &run("uneven.json -i x.npz --calibration out/u.table --all -j 1 -o all.npz");
    all += &run("uneven.json -i x.npz --calibration wide.table --fetch c -o c.npy");
    fs::write(folder.path("q.table"), "# by hand\nc F32\n").unwrap();
    all += &run("uneven.json -i x.npz --calibration wide.table --quantize-table q.table --fetch c -o f.npy");
    fs::write(folder.path("q.table"), "cc F16\n").unwrap();
    all += &run("uneven.json -i x.npz --calibration wide.table --quantize-table q.table -o f.npy");
    fs::write(folder.path("q.table"), "c FP16\n").unwrap();
    all += &run("uneven.json -i x.npz --calibration wide.table --quantize-table q.table -o f.npy");
    all += &run("uneven.json -i x.npz --calibration wide.table --fetch a -o f.npy");
    all += &run("uneven.json --calibration wide.table -o f.npy");
    fs::write(folder.path("other.table"), table.replace("network: uneven", "network: flat")).unwrap();
    all += &run("uneven.json -i x.npz --calibration other.table -o other.npz");
    snapshot("emulation", &all);
    let array = |name: &str| tpulang::array::read_arrays(folder.path(name)).unwrap().into_iter().next().unwrap().1;
    // Steps of 5000 / 127 are larger than all numbers.
    assert!(array("c.npy").to_f32().unwrap().iter().all(|x| *x == 0.0));
    assert!(array("f.npy").to_f32().unwrap().iter().any(|x| *x != 0.0));
}
