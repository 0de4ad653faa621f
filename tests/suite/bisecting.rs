//! Networks that are cut into parts, and wrong operators that are found.
use super::{cli::tpulang, snapshot};
use indexmap::IndexMap;
use proptest::prelude::*;
use std::{fs, path::PathBuf};
use tpulang::{
    Array, Dtype, Graph, Tensor,
    array::{read_arrays, write_npz},
    exec::{Comparison, CpuBackend, RunOptions, Session, Tolerance, bisect, random_feeds},
    graph::TensorKind,
};

const TOLERANCE: Tolerance = Tolerance { cosine: 0.9999, euclidean: 0.99 };

/// A network of random operators; each reads tensors that `choices` chooses among the preceding ones.
fn network(choices: &[(u8, u8, u8)]) -> Graph {
    let mut g = Graph::new("net").unwrap();
    let mut all = vec![g.input("x", Dtype::Float32, [1, 4, 5, 5]).unwrap()];
    let weights = |seed: u8, shape: [usize; 4]| {
        let n = shape.iter().product::<usize>();
        let number = |i: usize| ((i * 7919 + usize::from(seed) * 104_729) % 1009) as f32 / 1009.0 - 0.5;
        Array::from_vec(shape, (0..n).map(number).collect::<Vec<_>>()).unwrap()
    };
    for (i, (kind, first, second)) in choices.iter().enumerate() {
        let [a, b] = [first, second].map(|choice| all[usize::from(*choice) % all.len()]);
        let name = format!("t{i}");
        let made = match kind % 6 {
            0 | 1 => g.conv(a, weights(*second, [4, 4, 3, 3])).pad(1).out_name(&name).call(),
            2 => g.add(a, b).out_name(&name).call(),
            3 => g.sigmoid(a).out_name(&name).call(),
            4 => g.mul(a, weights(*second, [1, 4, 1, 1])).out_name(&name).call(),
            _ => g.relu(a).out_name(&name).call(),
        };
        all.push(made.unwrap());
    }
    // Everything else leads to an output.
    let unread: Vec<Tensor> = all[1..]
        .iter()
        .copied()
        .filter(|t| !g.operators().iter().any(|o| o.op.operands().any(|(_, x)| x == t)))
        .collect();
    g.set_outputs(&unread).unwrap();
    g
}

fn choices() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec(any::<(u8, u8, u8)>(), 2..20)
}

/// Returns all tensors of a run.
fn run_all(graph: &Graph, feeds: &IndexMap<String, Array>) -> IndexMap<String, Array> {
    let session = Session::new(graph, CpuBackend::new(), &RunOptions::default().unfused(true).threads(1)).unwrap();
    let mut all = IndexMap::new();
    session
        .visit(feeds, &mut |name, array| {
            all.insert(name.to_owned(), array.clone());
            Ok(())
        })
        .unwrap();
    all
}

#[test]
fn a_graph_is_divided_at_a_limited_number_of_boundaries() {
    let mut g = Graph::new("net").unwrap();
    let x = g.input("x", Dtype::Float32, [2]).unwrap();
    let y = g.relu(x).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    assert_eq!(g.split_at(&vec![vec![y]; 1000]).unwrap().len(), 1);
    let error = g.split_at(&vec![vec![y]; 1001]).unwrap_err().to_string();
    assert_eq!(
        error,
        "the number of boundaries is 1001; expected at most 1000; each part keeps a table of all tensors of the graph"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_wrong_layer_is_found(choices in choices(), layer: prop::sample::Index, missing: [prop::sample::Index; 2]) {
        let graph = network(&choices);
        let weights: Vec<Tensor> = graph.tensors().filter(|(_, info)| info.is_coefficient()).map(|(t, _)| t).collect();
        prop_assume!(!weights.is_empty());
        let planted = weights[layer.index(weights.len())];
        let operator = graph.operators().iter().find(|o| o.op.operands().any(|(_, t)| *t == planted)).unwrap();
        let wrong = graph.tensor(operator.outputs().next().unwrap()).unwrap().name.clone();
        // Another program, which has other weights there.
        let mut theirs = graph.clone();
        let TensorKind::Coefficient(Some(data)) = &graph.tensor(planted).unwrap().kind else { unreachable!() };
        let numbers: Vec<f32> = data.to_f32().unwrap().iter().enumerate().map(|(i, x)| x * 0.5 + 0.3 * (i % 2) as f32).collect();
        theirs.set_data(planted, Array::from_vec(data.shape(), numbers).unwrap()).unwrap();
        let feeds = random_feeds(&graph, 7).unwrap();
        let mut reference = run_all(&theirs, &feeds);
        // Other weights change nothing where numbers are zeros.
        let is_same = Comparison::of(&reference[&wrong], &run_all(&graph, &feeds)[&wrong]).unwrap().passes(&TOLERANCE);
        prop_assume!(!is_same);
        let session = Session::new(&graph, CpuBackend::new(), &RunOptions::default().unfused(true).threads(1)).unwrap();
        let found = bisect(&graph, &session, &feeds, &reference, &TOLERANCE).unwrap();
        prop_assert_eq!(found.alone.as_ref().map(|c| (&c.tensor, c.operators)), Some((&wrong, 1)));
        prop_assert_eq!(found.compared, graph.operators().len());
        prop_assert!(found.propagated.is_some());
        // If the reference lacks some tensors, the operator is found together with those that follow.
        for missing in missing {
            reference.shift_remove(&format!("t{}", missing.index(choices.len())));
        }
        if !reference.is_empty() {
            let found = bisect(&graph, &session, &feeds, &reference, &TOLERANCE).unwrap();
            let is_known = reference.contains_key(&wrong);
            match found.alone {
                Some(culprit) if is_known => prop_assert_eq!(culprit.tensor, wrong),
                // Tensors after it differ, if any that the reference has depends on it.
                Some(culprit) => prop_assert!(culprit.operators > 1, "{}", culprit.tensor),
                None => prop_assert!(!is_known),
            }
        }
        // Nothing is found where nothing is wrong.
        let same = bisect(&graph, &session, &feeds, &run_all(&graph, &feeds), &TOLERANCE).unwrap();
        prop_assert!(same.alone.is_none() && same.propagated.is_none());
    }

    #[test]
    fn parts_compute_what_the_network_does(choices in choices(), cuts in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..3), 1..4)) {
        let graph = network(&choices);
        let names: Vec<Tensor> = graph.operators().iter().flat_map(|o| o.outputs().collect::<Vec<_>>()).collect();
        let boundaries: Vec<Vec<Tensor>> = cuts.iter().map(|cut| cut.iter().map(|i| names[i.index(names.len())]).collect()).collect();
        let feeds = random_feeds(&graph, 7).unwrap();
        let expected = run_all(&graph, &feeds);
        let mut known = feeds.clone();
        let parts = graph.split_at(&boundaries).unwrap();
        prop_assert_eq!(parts.iter().map(|part| part.operators().len()).sum::<usize>(), graph.operators().len());
        for part in &parts {
            // A part is a spec like any other.
            let text = tpulang::spec::to_text(part, None).unwrap();
            prop_assert!(text.contains(part.name()));
            let inputs: IndexMap<String, Array> =
                part.inputs().iter().map(|t| part.tensor(*t).unwrap().name.clone()).map(|name| (name.clone(), known[&name].clone())).collect();
            known.extend(run_all(part, &inputs));
        }
        for output in graph.outputs() {
            let name = &graph.tensor(*output).unwrap().name;
            prop_assert_eq!(&known[name], &expected[name]);
        }
    }
}

const SPEC: &str = r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y"],
    "tensors": {"x": {"shape": [1, 4]}, "w": {"shape": [4, 4], "coeff": true, "data": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}},
    "ops": [
        {"op": "sigmoid", "args": {"input": "x"}, "out": "s"},
        {"op": "matmul", "args": {"input": "s", "right": "w"}, "out": "product"},
        {"op": "add", "args": {"tensor_i0": "product", "tensor_i1": "s"}, "out": "sum"},
        {"op": "relu", "args": {"input": "sum"}, "out": "y"}]}"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    /// Runs a command whose files are in the folder.
    fn run(&self, words: &str) -> String {
        let word =
            |word: &str| match word.contains('.') && !word.starts_with('-') || word == "parts" || word == "culprit" {
                true if !word.contains('=') => self.path(word).display().to_string(),
                _ => word.to_owned(),
            };
        let args: Vec<String> = words.split(' ').map(word).collect();
        let out = tpulang(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        let text = text.replace(&self.0.path().display().to_string(), "DIR");
        format!("$ tpulang {words}\n{text}[exit {}]\n", out.status.code().unwrap())
    }
    /// Runs the commands that a report has printed.
    fn repeat(&self, report: &str) -> String {
        let here = report.replace("DIR", &self.0.path().display().to_string()).replace('\'', "");
        let commands = here.lines().filter_map(|line| line.trim().strip_prefix("tpulang "));
        let commands = commands.filter(|line| line.starts_with("run ") || line.starts_with("compare "));
        let inputs = self.path("x.npz").display().to_string();
        commands
            .map(|line| {
                let line = line.replace("INPUTS", &inputs);
                let out = tpulang(&line.split(' ').collect::<Vec<_>>());
                let text = [out.stdout, out.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
                text.replace(&self.0.path().display().to_string(), "DIR")
            })
            .collect()
    }
}

#[test]
fn the_commands_print_what_is_wrong_and_how_to_repeat_it() {
    let folder = Folder(tempfile::tempdir().unwrap());
    fs::write(folder.path("net.json"), SPEC).unwrap();
    let x = Array::from_vec([1, 4], vec![0f32, 1.0, -1.0, 2.0]).unwrap();
    write_npz(folder.path("x.npz"), [("x", &x)]).unwrap();
    folder.run("run net.json -i x.npz --all -o all.npz");
    let right = read_arrays(folder.path("all.npz")).unwrap();
    let write = |file: &str, arrays: &IndexMap<String, Array>| {
        write_npz(folder.path(file), arrays.iter().map(|(n, a)| (n.as_str(), a))).unwrap();
    };
    // Names as the tool chain's, and a wrong product.
    let renamed = |name: &str| if name == "s" { "s_f32".to_owned() } else { name.to_owned() };
    let mut wrong: IndexMap<String, Array> = right.iter().map(|(name, array)| (renamed(name), array.clone())).collect();
    wrong.insert("product".into(), Array::from_vec([1, 4], vec![1f32, 0.0, 0.0, 1.0]).unwrap());
    write("wrong.npz", &wrong);
    wrong.insert("x".into(), x);
    wrong.shift_remove("s_f32");
    write("with_inputs.npz", &wrong);
    // The result alone, a tensor of another size, and a run on other numbers.
    let one = |name: &str, array: Array| IndexMap::from([(name.to_owned(), array)]);
    let mut result = right.clone();
    result.retain(|name, _| name == "y");
    let doubled = result["y"].to_f32().unwrap().iter().enumerate().map(|(i, y)| y * (1.0 + i as f32)).collect();
    write("result.npz", &one("y", Array::from_vec([1, 4], doubled).unwrap()));
    let mut short = right.clone();
    short.insert("product".into(), Array::from_vec([1, 2], vec![1f32, 0.0]).unwrap());
    write("short.npz", &short);
    let mut other = right.clone();
    other.insert("x".into(), Array::from_vec([1, 4], vec![5f32; 4]).unwrap());
    write("other.npz", &other);
    let found = folder.run("bisect net.json -i x.npz --with wrong.npz -o culprit");
    let mut all = format!("{found}\n{}", folder.repeat(&found));
    for words in [
        "bisect net.json -i x.npz --with all.npz -o culprit",
        "bisect net.json --with with_inputs.npz -o culprit",
        "bisect net.json -i x.npz --with result.npz -o culprit",
        "bisect net.json -i x.npz --with short.npz -o culprit",
        "bisect net.json -i x.npz --with other.npz -o culprit",
        "bisect net.json -i x.npz --with all.npz --rename typo=s -o culprit",
        "bisect net.json -i x.npz --with all.npz --rename s=typo -o culprit",
        "bisect net.json -i x.npz -o culprit",
        "bisect net.json --with x.npz -o culprit",
        "bisect net.json -i x.npz --with net.json -o culprit",
    ] {
        all += &format!("\n{}", folder.run(words));
    }
    let parts = folder.run("split net.json --at product -o parts");
    all += &format!("\n{parts}{}", folder.repeat(&parts));
    let result = read_arrays(folder.path("parts").join("net_2.results.npz")).unwrap();
    assert_eq!(result["y"], right["y"]);
    // The second part has one of the inputs, too.
    let two = SPEC.replace(r#""inputs": ["x"]"#, r#""inputs": ["x", "z"]"#);
    let two = two.replace(r#""tensor_i1": "s"}, "out": "sum""#, r#""tensor_i1": "z"}, "out": "sum""#);
    fs::write(folder.path("two.json"), two.replace(r#""x": {"#, r#""z": {"shape": [1, 4]}, "x": {"#)).unwrap();
    folder.run("run two.json --random 1 --fetch x,z -o x.npz");
    let parts = folder.run("split two.json --at product -o parts");
    all += &format!("\n{parts}{}", folder.repeat(&parts));
    for words in [
        "split net.json --at y -o parts",
        "split net.json --at x -o parts",
        "split net.json --at produkt -o parts",
        "split net.json --at product --at s -o parts",
    ] {
        all += &format!("\n{}", folder.run(words));
    }
    snapshot("bisect", &all);
}
