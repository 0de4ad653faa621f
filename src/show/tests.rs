use crate::{
    base::Dtype,
    graph::Graph,
    groups::Member,
    {Network, Profile, differences},
};
use tpulang::{array::Array, ops, spec};

/// Two layers, one within a branch, with weights and quantized values.
fn network() -> Graph {
    let text = r#"{
  "version": 1, "name": "net", "mode": "f32",
  "tensors": {
    "x": {"shape": [1, 3, 8, 8]},
    "w": {"shape": [4, 3, 3, 3], "coeff": true},
    "b": {"shape": [4], "coeff": true, "data": [0, 1, 2, 3]}
  },
  "inputs": ["x"],
  "functions": {
    "block": {
      "inputs": ["i"],
      "ops": [
        {"op": "conv", "args": {"input": "i", "weight": "w", "bias": "b", "pad": [1, 1, 1, 1]}, "out": "c"},
        {"op": "relu", "args": {"input": "c"}, "out": "r"}
      ],
      "outputs": ["r"]
    }
  },
  "ops": [
    {"op": "block", "args": {"i": "x"}, "out": "stem/first"},
    {"op": "maxpool2d", "args": {"input": "stem/first", "kernel": [2, 2], "stride": [2, 2]}, "out": "stem/pool"},
    {"op": "softmax", "args": {"input": "stem/pool", "axis": 1}, "out": "y"}
  ],
  "outputs": ["y", "stem/pool"]
}"#;
    spec::from_text(text, "net.json", None).unwrap()
}

/// An `If`, whose branches read a value from around it.
fn branches() -> Graph {
    let mut g = Graph::new("branches").unwrap();
    let x = g.input("x", Dtype::Float32, [2, 3]).unwrap();
    let which = g.input("which", Dtype::Float32, [1]).unwrap();
    let none: [(String, Dtype, [i64; 0]); 0] = [];
    let h = g.relu(x).out_name("h").call().unwrap();
    let then = g.block(none.clone(), |g, _| Ok(vec![g.tanh(h).out_name("a").call()?])).unwrap();
    let other = g.block(none, |g, _| Ok(vec![g.exp(h).out_name("b").call()?])).unwrap();
    let call = g.op(ops::If::new(which)).owns(then).owns(other).out_name("chosen");
    let y = call.out_dtypes([Dtype::Float32]).out_shapes([[2, 3]]).call().unwrap();
    g.set_outputs(&y).unwrap();
    g
}

#[test]
fn tables() {
    let (g, b) = (network(), branches());
    let shown = [Network::new(&g).table(None), Network::new(&g).table(Some(0)), Network::new(&b).table(None)];
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn drawings() {
    let (g, b) = (network(), branches());
    let dots = [Network::new(&g).dot(None), Network::new(&g).dot(Some(0)), Network::new(&b).dot(None)];
    insta::assert_snapshot!("dot", dots.join("\n"));
    let svg = [Network::new(&g).svg(None), Network::new(&g).svg(Some(0)), Network::new(&b).svg(None)];
    insta::assert_snapshot!("svg", svg.join("\n"));
}

#[test]
fn what_differs() {
    let (old, mut new) = (network(), network());
    let b = new.find("b").unwrap();
    new.set_data(b, Array::from([0f32, 1.0, 2.0, 4.0])).unwrap();
    let y = new.find("y").unwrap();
    new.set_attribute(y, "axis", Some(ops::Attribute::Int(2))).unwrap();
    let z = new.relu(y).out_name("z").call().unwrap();
    new.set_outputs(&[z]).unwrap();
    let found = differences(&old, &new).unwrap();
    let back = differences(&new, &old).unwrap();
    assert!(!found.is_empty() && differences(&old, &network()).unwrap().is_empty());
    insta::assert_snapshot!(format!("{found}\n{back}\n{}", differences(&old, &old).unwrap()));
}

/// The JSON that a page holds.
fn shown(graph: &Graph) -> serde_json::Value {
    let mut network = Network::new(graph);
    network.read_statistics().unwrap();
    let page = network.html(Some("net.json"));
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"network\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn pages() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&shown(&network())).unwrap());
    let page = |g: &Graph| Network::new(g).html(None);
    assert!(page(&network()) == page(&network()), "the same network gives another page");
    for word in ["{{", "http://", "https://", "@import", "url("] {
        // Of the libraries, comments and the names of XML's namespaces are left.
        let own =
            page(&network()).replace(include_str!("page/vendor.js"), "").replace("http://www.w3.org/2000/svg", "");
        assert!(!own.contains(word), "the page has {word}");
    }
}

/// Names with what ends strings, elements, comments and scripts.
#[test]
fn hostile_names() {
    let names = [
        "</script><script>alert(1)</script>",
        "<!-- <script>",
        "\"]; evil [label=\"",
        "\\\"\\n\\N",
        "a && b ' \u{202e} \u{fffe}",
        "{{network}}{{script}}",
        "]]>",
        "//",
        "a//b/",
    ];
    let mut g = Graph::new("hostile").unwrap();
    let mut x = g.input("<img src=x onerror=alert(1)>", Dtype::Float32, [1]).unwrap();
    for (i, name) in names.iter().enumerate() {
        x = g.relu(x).out_name(*name).call().unwrap();
        x = g.tanh(x).out_name(format!("{name}{i}/{name}")).call().unwrap();
    }
    g.set_outputs(&[x]).unwrap();
    let network = Network::new(&g);
    let [html, svg, dot] = [network.html(Some("<model>\"")), network.svg(None), network.dot(None)];
    let told: Vec<_> = shown(&g)["operators"].as_array().unwrap().iter().map(|o| o["name"].clone()).collect();
    assert!(names.iter().all(|name| told.contains(&(*name).into())));
    for text in [&html, &svg] {
        assert!(!text.contains("<script>alert") && !text.contains("<img") && !text.contains("<!-- <"));
    }
    assert!(!svg.contains('\u{fffe}') && !svg.contains('\u{202e}') && !svg.contains("&& "));
    // Outside of strings, DOT has only what is ours.
    let mut outside = String::new();
    let mut rest = dot.as_str();
    while let Some((before, string)) = rest.split_once('"') {
        outside += before;
        let mut end = 0;
        let bytes = string.as_bytes();
        while bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        rest = &string[end + 1..];
    }
    assert!(!outside.contains("evil") && !outside.contains('\\') && !outside.contains("script"), "{outside}");
    assert!(!network.table(None).is_empty() && differences(&g, &g).unwrap().is_empty());
}

/// A loop whose body passes its arguments on.
#[test]
fn blocks_without_operators_are_shown() {
    let text = r#"{"version": 1, "name": "net", "inputs": ["x"], "outputs": ["y"],
        "tensors": {"x": {"shape": [2]}, "n": {"shape": [1], "coeff": true, "data": [2]}},
        "ops": [{"op": "top.Loop", "args": {"M": "n", "v_initial": ["x"]},
            "body": {"inputs": {"i": {"shape": [1]}, "go": {"shape": [1]}, "v": {"shape": [2]}}, "ops": [], "outputs": ["go", "v"]},
            "out": ["y"], "out_dtype": ["float32"], "out_shape": [[2]]}]}"#;
    let g = spec::from_text(text, "net.json", None).unwrap();
    let network = Network::new(&g);
    let dot = network.dot(None);
    let ends = dot.lines().filter_map(|line| line.split_once(" -> "));
    let ends: Vec<&str> = ends.flat_map(|(from, to)| [from.trim(), to.split(' ').next().unwrap()]).collect();
    assert!(ends.len() > 4 && ends.iter().all(|end| dot.contains(&format!(" {end} [label="))), "{dot}");
    assert!(network.table(None).contains("y body/"), "{}", network.table(None));
    let page = shown(&g);
    let groups = page["groups"].as_array().unwrap();
    for (_, group) in page["arguments"].as_array().unwrap().iter().map(|pair| (&pair[0], pair[1].as_u64().unwrap())) {
        let Some(parent) = groups[group as usize]["parent"].as_u64() else { continue };
        let members = groups[parent as usize]["members"].as_array().unwrap();
        assert!(members.contains(&serde_json::json!({"group": group})), "{page}");
    }
}

#[test]
fn drawings_have_a_limited_number_of_inputs_and_outputs() {
    let mut g = Graph::new("wide").unwrap();
    let inputs: Vec<_> = (0..110).map(|i| g.input(&format!("x{i}"), Dtype::Float32, [1]).unwrap()).collect();
    let results: Vec<_> = (0..110).map(|i| g.relu(inputs[i]).out_name(format!("y{i}")).call().unwrap()).collect();
    g.set_outputs(&results).unwrap();
    let network = Network::new(&g);
    let (svg, dot) = (network.svg(None), network.dot(None));
    assert!(svg.contains(">10 more inputs<") && svg.contains(">10 more outputs<") && !svg.contains("x100"));
    assert!(!dot.contains("more inputs") && dot.contains("x100"));
}

#[test]
fn long_networks_are_divided() {
    let mut g = Graph::new("long").unwrap();
    let x = g.input("x", Dtype::Float32, [1]).unwrap();
    let mut y = x;
    // A residual of every tenth value, so that cuts between them are the best.
    for i in 0..3000 {
        let before = y;
        for _ in 0..9 {
            y = g.relu(y).call().unwrap();
        }
        y = g.add(y, before).out_name(format!("sum{i}")).call().unwrap();
    }
    g.set_outputs(&[y]).unwrap();
    let network = Network::new(&g).divided();
    assert!(network.groups.iter().all(|group| group.members.len() <= 250));
    let mut nodes = 0;
    for (id, group) in network.groups.iter().enumerate() {
        for member in &group.members {
            match member {
                Member::Node(index) => {
                    assert_eq!(network.nodes[*index].group.0, id);
                    nodes += 1;
                }
                Member::Group(inner) => {
                    let inner = &network.groups[inner.0];
                    assert_eq!((inner.parent.unwrap().0, inner.depth), (id, group.depth + 1));
                }
            }
        }
    }
    assert_eq!((nodes, network.total().operators), (30_000, 30_000));
    let last = |member: &Member| match member {
        Member::Group(id) => network.groups[id.0].name.rsplit(' ').next().unwrap().to_owned(),
        Member::Node(_) => String::new(),
    };
    assert!(network.groups[0].members.iter().all(|part| last(part).starts_with("sum")));
}

#[test]
fn memory_is_that_of_live_values() {
    let g = branches();
    // 4 bytes of the condition, and 24 of each value: x and h; h and a; h, a and b; these and the result.
    assert_eq!(Network::new(&g).memory.live, [52, 52, 76, 100]);
}

#[test]
fn profiles_are_matched_by_name() {
    let g = network();
    let mut network = Network::new(&g);
    let profile = |text: &str| -> Profile { serde_json::from_str(text).unwrap() };
    let steps = r#"{"ms": 3, "steps": [{"name": "stem/pool", "op": "MaxPool", "ms": 2.5}, {"name": "z", "ms": 1}]}"#;
    assert_eq!(network.set_profile(&profile(steps)).unwrap(), 1);
    assert_eq!(network.total().time, Some(2.5));
    assert!(network.table(None).lines().next().unwrap().ends_with("ms"));
    let other = network.set_profile(&profile(r#"{"steps": [{"name": "z", "ms": 1}]}"#)).unwrap_err();
    assert_eq!(
        other.to_string(),
        "the profile is of another network: none of its 1 steps, such as \"z\", computes a tensor of \"net\""
    );
}

/// Random networks, whose scopes depend on each other and nest, and no network at all.
#[test]
fn any_network_is_drawn() {
    let empty = Graph::new("empty").unwrap();
    let network = Network::new(&empty);
    assert!(network.svg(None).ends_with("</svg>\n") && network.dot(None).ends_with("}\n"));
    assert!(network.table(None).contains("0 operators") && network.html(None).contains("\"peak\":null"));
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for round in 0..25 {
        let mut g = Graph::new("random").unwrap();
        let mut made = vec![g.input("x", Dtype::Float32, [1]).unwrap()];
        for i in 0..1 + below(40) {
            let scope = ["", "a/", "b/", "a/c/", "a/c/d/", "b/c/", "a/b/"][below(7)];
            let (x, y) = (made[below(made.len())], made[below(made.len())]);
            made.push(g.add(x, y).out_name(format!("{scope}v{i}")).call().unwrap());
        }
        let outputs = &made[made.len() - 1..];
        g.set_outputs(outputs).unwrap();
        let network = Network::new(&g);
        for depth in [None, Some(0), Some(round % 4)] {
            let svg = network.svg(depth);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "round {round}");
        }
        assert_eq!(network.svg(None), network.svg(None));
    }
}
