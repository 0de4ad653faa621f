//! Ensembles of decision trees, as products: all decisions are taken at once, and a leaf is reached where as many of them lead to it
//! as there are on its path.
use super::machine_learning::{class_labels, classified, numbers, samples, transformed};
use crate::{
    Tensor,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, table},
    ops::{CompareMode, Max, Mul, ReduceMode, Sigmoid},
    value::Value,
};
use std::collections::{HashMap, HashSet};

/// A comparison with a threshold, and where it leads to.
struct Decision {
    feature: usize,
    mode: CompareMode,
    threshold: f64,
    /// Whether NaN counts as true.
    nan_is_true: bool,
    on_true: Child,
    on_false: Child,
}

#[derive(Clone, Copy)]
enum Child {
    Decision(usize),
    Leaf(usize),
}

/// A tree, whose root is its first decision, or its first leaf if it has no decision.
#[derive(Default)]
struct Tree {
    decisions: Vec<Decision>,
    /// The targets of each leaf, with their weights.
    leaves: Vec<Vec<(usize, f64)>>,
}

/// Decisions, and whether they must be true.
type Path = Vec<(usize, bool)>;

impl Tree {
    /// Returns for each leaf the path to it; `None` for one that nothing leads to.
    fn paths(&self) -> Result<Vec<Option<Path>>> {
        let mut paths = vec![None; self.leaves.len()];
        let root = if self.decisions.is_empty() { Child::Leaf(0) } else { Child::Decision(0) };
        let mut open = vec![(root, Vec::new())];
        let mut visited = 0;
        while let Some((child, path)) = open.pop() {
            visited += 1;
            if visited > self.decisions.len() + self.leaves.len() || path.len() > MAX_DEPTH {
                return Err(invalid(format!("its nodes do not form trees of at most {MAX_DEPTH} levels")));
            }
            match child {
                Child::Leaf(at) if paths.get(at).is_none_or(Option::is_some) => {
                    return Err(invalid("its nodes do not form trees: a leaf has two parents"));
                }
                Child::Leaf(at) => paths[at] = Some(path),
                Child::Decision(at) => {
                    let decision = &self.decisions[at];
                    for (child, holds) in [(decision.on_true, true), (decision.on_false, false)] {
                        open.push((child, [path.as_slice(), &[(at, holds)]].concat()));
                    }
                }
            }
        }
        Ok(paths)
    }
}

/// Maximum depth of a tree.
const MAX_DEPTH: usize = 1024;

/// The comparisons of nodes, in the order of TreeEnsemble's numbers.
const MODES: [(&str, CompareMode); 6] = [
    ("BRANCH_LEQ", CompareMode::LessOrEqual),
    ("BRANCH_LT", CompareMode::Less),
    ("BRANCH_GTE", CompareMode::GreaterOrEqual),
    ("BRANCH_GT", CompareMode::Greater),
    ("BRANCH_EQ", CompareMode::Equal),
    ("BRANCH_NEQ", CompareMode::NotEqual),
];

/// Returns the comparison with a name.
fn mode(name: &str) -> Result<CompareMode> {
    let found = MODES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode);
    found.ok_or_else(|| argument("a mode of nodes", format!("{name:?}"), "expected a comparison with one number"))
}

/// Returns a number of an attribute that counts from 0.
fn number(what: &str, value: i64) -> Result<usize> {
    usize::try_from(value).map_err(|_| invalid(format!("the number of a {what} is negative")))
}

/// Checks that the lists of nodes have `count` entries.
fn check_lengths(count: usize, lengths: &[usize]) -> Result<()> {
    match lengths.iter().all(|length| *length == count) {
        true => Ok(()),
        false => Err(invalid("its lists of nodes differ in length")),
    }
}

/// Returns the weights that leaves contribute to each target, for each sample: [trees, samples, targets].
fn evaluated(b: &mut Importer, x: &Value, trees: &[Tree], targets: usize) -> Result<Tensor> {
    let (x, features) = samples(b, x)?;
    let rows = b.shape(x)?[0];
    let count = trees.len();
    let widest = |size: &dyn Fn(&Tree) -> usize| trees.iter().map(size).max().unwrap_or(0).max(1);
    let (inner, outer) = (widest(&|t| t.decisions.len()), widest(&|t| t.leaves.len()));
    table(&[count, inner, outer])?;
    table(&[count, outer, targets])?;
    let mut leads = vec![0.0; count * inner * outer];
    // A leaf that only pads is never reached.
    let mut needed = vec![-1.0; count * outer];
    let mut weights = vec![0.0; count * outer * targets];
    for (i, tree) in trees.iter().enumerate() {
        let paths = tree.paths()?;
        for (leaf, path) in paths.iter().enumerate().filter_map(|(leaf, path)| Some((leaf, path.as_ref()?))) {
            for &(decision, holds) in path {
                leads[(i * inner + decision) * outer + leaf] = if holds { 1.0 } else { -1.0 };
            }
            needed[i * outer + leaf] = path.iter().filter(|(_, holds)| *holds).count() as f64;
            for &(target, weight) in &tree.leaves[leaf] {
                weights[(i * outer + leaf) * targets + target] += weight;
            }
        }
    }
    let decided = decided(b, x, trees, (features, inner))?;
    let decided = b.reshape(decided, &[rows, count, inner])?;
    let decided = b.permute(decided, &[1, 0, 2])?;
    let leads = numbers(b, &[count, inner, outer], leads)?;
    let needed = numbers(b, &[count, 1, outer], needed)?;
    let weights = numbers(b, &[count, outer, targets], weights)?;
    let led = b.matmul(decided, leads)?;
    let reached = b.compare(led, CompareMode::Equal, needed)?;
    b.matmul(reached, weights)
}

/// Returns 1 where a decision is true, otherwise 0: [samples, trees * decisions].
fn decided(b: &mut Importer, x: Tensor, trees: &[Tree], (features, inner): (usize, usize)) -> Result<Tensor> {
    let padded = || trees.iter().flat_map(move |tree| (0..inner).map(move |i| tree.decisions.get(i)));
    let width = trees.len() * inner;
    let at: Vec<i64> = padded().map(|d| d.map_or(0, |d| d.feature as i64)).collect();
    if at.iter().any(|at| *at as usize >= features) {
        return Err(invalid(format!("a node compares a feature that is not among the {features} of its operand")));
    }
    let chosen = super::gather::selected(b, x, 1, &at)?;
    let thresholds = numbers(b, &[1, width], padded().map(|d| d.map_or(0.0, |d| d.threshold)))?;
    let mut modes: Vec<CompareMode> = Vec::new();
    padded().flatten().for_each(|d| {
        if !modes.contains(&d.mode) {
            modes.push(d.mode)
        }
    });
    let mut decided: Option<Tensor> = None;
    for mode in &modes {
        let mut holds = b.compare(chosen, *mode, thresholds)?;
        if modes.len() > 1 {
            let has_mode = padded().map(|d| f64::from(u8::from(d.is_some_and(|d| d.mode == *mode))));
            let has_mode = numbers(b, &[1, width], has_mode)?;
            holds = b.op(Mul::new(vec![holds, has_mode]))?;
        }
        decided = Some(match decided {
            Some(others) => b.op(Max::new(vec![others, holds]))?,
            None => holds,
        });
    }
    let decided = match decided {
        Some(decided) => decided,
        None => b.compare(chosen, CompareMode::Less, thresholds)?,
    };
    if !padded().flatten().any(|d| d.nan_is_true) {
        return Ok(decided);
    }
    let is_nan = b.compare(chosen, CompareMode::NotEqual, chosen)?;
    let counts = numbers(b, &[1, width], padded().map(|d| f64::from(u8::from(d.is_some_and(|d| d.nan_is_true)))))?;
    let holds = b.op(Mul::new(vec![is_nan, counts]))?;
    b.op(Max::new(vec![decided, holds]))
}

/// Returns what trees contribute, together: [samples, targets].
fn aggregated(b: &mut Importer, x: &Value, trees: &[Tree], targets: usize, function: &str) -> Result<Tensor> {
    let each = evaluated(b, x, trees, targets)?;
    let mode = match function {
        "SUM" => ReduceMode::ReduceSum,
        "AVERAGE" => ReduceMode::ReduceMean,
        "MIN" => ReduceMode::ReduceMin,
        "MAX" => ReduceMode::ReduceMax,
        other => return Err(argument("aggregate_function", other, "expected SUM, AVERAGE, MIN or MAX")),
    };
    let rows = b.shape(each)?[1];
    let all = b.reduce(each, &[0], mode)?;
    b.reshape(all, &[rows, targets])
}

/// Reads the trees of TreeEnsembleRegressor and TreeEnsembleClassifier, whose nodes are numbered for each tree.
fn listed_trees(b: &mut Importer, n: &Node, of_leaves: &str) -> Result<Vec<Tree>> {
    let ints = |name: &str| n.ints(name).ok_or_else(|| invalid(format!("it has no {name}")));
    let (tree_of, node_of) = (ints("nodes_treeids")?, ints("nodes_nodeids")?);
    let (feature, yes, no) = (ints("nodes_featureids")?, ints("nodes_truenodeids")?, ints("nodes_falsenodeids")?);
    let modes = n.texts("nodes_modes").ok_or_else(|| invalid("it has no nodes_modes"))?;
    let thresholds = floats(b, n, "nodes_values")?;
    let missing = n.ints("nodes_missing_value_tracks_true").unwrap_or_default();
    let count = tree_of.len();
    check_lengths(count, &[node_of.len(), feature.len(), yes.len(), no.len(), modes.len(), thresholds.len()])?;
    // The tree of each number, and the place of each node in it.
    let (mut trees, mut numbers) = (Vec::<Tree>::new(), HashMap::new());
    let mut places: HashMap<(i64, i64), (usize, Child)> = HashMap::new();
    for i in 0..count {
        let tree = *numbers.entry(tree_of[i]).or_insert_with(|| {
            trees.push(Tree::default());
            trees.len() - 1
        });
        let child = if modes[i] == "LEAF" {
            trees[tree].leaves.push(Vec::new());
            Child::Leaf(trees[tree].leaves.len() - 1)
        } else {
            let decision = Decision {
                feature: number("feature", feature[i])?,
                mode: mode(modes[i])?,
                threshold: thresholds[i],
                nan_is_true: missing.get(i).is_some_and(|v| *v != 0),
                on_true: Child::Leaf(0),
                on_false: Child::Leaf(0),
            };
            trees[tree].decisions.push(decision);
            Child::Decision(trees[tree].decisions.len() - 1)
        };
        if places.insert((tree_of[i], node_of[i]), (tree, child)).is_some() {
            return Err(invalid(format!("node {} of tree {} is listed twice", node_of[i], tree_of[i])));
        }
    }
    let place = |tree: i64, node: i64| {
        places.get(&(tree, node)).copied().ok_or_else(|| invalid(format!("tree {tree} has no node {node}")))
    };
    for i in 0..count {
        if let (tree, Child::Decision(at)) = place(tree_of[i], node_of[i])? {
            let children = (place(tree_of[i], yes[i])?.1, place(tree_of[i], no[i])?.1);
            let decision = &mut trees[tree].decisions[at];
            (decision.on_true, decision.on_false) = children;
        }
    }
    let (tree_of, node_of) = (ints(&format!("{of_leaves}_treeids"))?, ints(&format!("{of_leaves}_nodeids"))?);
    let target_of = ints(&format!("{of_leaves}_ids"))?;
    let weights = floats(b, n, &format!("{of_leaves}_weights"))?;
    for (((tree, node), target), weight) in tree_of.into_iter().zip(node_of).zip(target_of).zip(weights) {
        let target = number("target", target)?;
        match place(tree, node)? {
            (tree, Child::Leaf(at)) => trees[tree].leaves[at].push((target, weight)),
            _ => return Err(invalid(format!("node {node} of tree {tree} has a weight, and is not a leaf"))),
        }
    }
    Ok(trees)
}

/// Returns numbers that are a list, or a tensor in later versions.
fn floats(b: &mut Importer, n: &Node, name: &str) -> Result<Vec<f64>> {
    if let Some(tensor) = n.attribute(&format!("{name}_as_tensor")).and_then(|a| a.t.as_ref()) {
        return b.array(tensor)?.to_f64();
    }
    Ok(n.attribute(name).map(|a| a.floats.iter().map(|v| f64::from(*v)).collect()).unwrap_or_default())
}

/// Checks that leaves count for targets that exist.
fn check_targets(trees: &[Tree], targets: usize) -> Result<()> {
    let mut all = trees.iter().flat_map(|tree| &tree.leaves).flatten();
    match all.find(|(target, _)| *target >= targets) {
        Some((target, _)) => Err(argument("the number of a target", *target, format!("there are {targets}"))),
        None if trees.is_empty() || targets == 0 => Err(invalid("it has no trees, or no targets")),
        None => Ok(()),
    }
}

fn with_base_values(b: &mut Importer, n: &Node, scores: Tensor, targets: usize) -> Result<Tensor> {
    let values = floats(b, n, "base_values")?;
    if values.is_empty() {
        return Ok(scores);
    }
    let values = numbers(b, &[1, targets], values)?;
    b.add(scores, values)
}

pub fn regressor<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let targets = n.size("n_targets")?;
    let trees = listed_trees(b, n, "target")?;
    check_targets(&trees, targets)?;
    let function = n.text("aggregate_function").unwrap_or("SUM").to_owned();
    let made = aggregated(b, n.input(0)?, &trees, targets, &function)?;
    let made = with_base_values(b, n, made, targets)?;
    let made = transformed(b, n, made)?;
    Ok(vec![b.value(made, Dtype::Float32)?])
}

/// With two classes and scores for one of them, the other's follow: the rest to 1 of a probability, or the negative.
pub fn classifier<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let labels = class_labels(n, "classlabels_int64s")?;
    let mut trees = listed_trees(b, n, "class")?;
    check_targets(&trees, labels.len())?;
    let weights = || trees.iter().flat_map(|tree| &tree.leaves).flatten();
    let are_positive = weights().all(|(_, weight)| *weight >= 0.0);
    let only = weights().next().map(|(target, _)| *target).filter(|one| weights().all(|(target, _)| target == one));
    let x = n.input(0)?;
    if let (Some(_), 2) = (only, labels.len()) {
        trees.iter_mut().flat_map(|tree| &mut tree.leaves).flatten().for_each(|(target, _)| *target = 0);
        let score = aggregated(b, x, &trees, 1, "SUM")?;
        let base = floats(b, n, "base_values")?;
        let score = match base.last() {
            Some(base) => b.add_const(score, *base)?,
            None => score,
        };
        return of_two(b, n, score, are_positive, &labels);
    }
    let scores = aggregated(b, x, &trees, labels.len(), "SUM")?;
    let scores = with_base_values(b, n, scores, labels.len())?;
    classified(b, n, scores, &labels)
}

fn of_two(b: &mut Importer, n: &Node, score: Tensor, is_probability: bool, labels: &[f64]) -> Result<Vec<Value>> {
    let is_second = b.compare_const(score, CompareMode::Greater, if is_probability { 0.5 } else { 0.0 })?;
    let step = b.mul_const(is_second, labels[1] - labels[0])?;
    let label = b.add_const(step, labels[0])?;
    let rows = b.shape(label)?[0];
    let label = b.reshape(label, &[rows])?;
    let label = super::cast::truncated_to(b, label, Dtype::Int64)?;
    let first = if is_probability { b.const_sub(1.0, score)? } else { b.neg(score)? };
    let mut scores = b.concat(vec![first, score], 1)?;
    match n.text("post_transform").unwrap_or("NONE") {
        "NONE" => {}
        "LOGISTIC" if !is_probability => scores = b.op(Sigmoid::new(scores))?,
        "LOGISTIC" => {}
        other => return Err(argument("post_transform", other, "expected NONE or LOGISTIC with a score for one class")),
    }
    Ok(vec![b.value(label, Dtype::Int64)?, b.value(scores, Dtype::Float32)?])
}

/// TreeEnsemble, whose leaves are a list of their own.
pub fn ensemble<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let targets = n.int("n_targets").and_then(|v| usize::try_from(v).ok()).unwrap_or(1);
    let tensor = |b: &mut Importer<'m>, name: &str| match n.attribute(name).and_then(|a| a.t.as_ref()) {
        Some(tensor) => b.array(tensor)?.to_f64(),
        None => Err(invalid(format!("it has no {name}"))),
    };
    let (thresholds, modes, weights) =
        (tensor(b, "nodes_splits")?, tensor(b, "nodes_modes")?, tensor(b, "leaf_weights")?);
    let lists = [
        "tree_roots",
        "nodes_featureids",
        "nodes_truenodeids",
        "nodes_trueleafs",
        "nodes_falsenodeids",
        "nodes_falseleafs",
        "leaf_targetids",
    ];
    let lists = lists.map(|name| n.ints(name).unwrap_or_default());
    let [roots, feature, yes, yes_is_leaf, no, no_is_leaf, target] = &lists;
    let missing = n.ints("nodes_missing_value_tracks_true").unwrap_or_default();
    let count = feature.len();
    check_lengths(count, &[thresholds.len(), modes.len(), yes.len(), yes_is_leaf.len(), no.len(), no_is_leaf.len()])?;
    let mut trees = Vec::new();
    // The nodes of all trees.
    let mut seen: HashSet<usize> = HashSet::new();
    for root in roots {
        let mut tree = Tree::default();
        // Nodes in the order in which they are found.
        let mut order = vec![number("node", *root)?];
        if !seen.insert(order[0]) {
            return Err(invalid(format!("node {root} has two parents, or is a root twice")));
        }
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            at += 1;
            if node >= count {
                return Err(argument("the number of a node", node, format!("there are {count}")));
            }
            let mut child = |to: i64, is_leaf: i64| -> Result<Child> {
                let to = number("node", to)?;
                if is_leaf != 0 {
                    let (target, weight) = match (target.get(to), weights.get(to)) {
                        (Some(target), Some(weight)) => (usize::try_from(*target).unwrap_or(usize::MAX), *weight),
                        _ => return Err(argument("the number of a leaf", to, format!("there are {}", weights.len()))),
                    };
                    tree.leaves.push(vec![(target, weight)]);
                    return Ok(Child::Leaf(tree.leaves.len() - 1));
                }
                if !seen.insert(to) {
                    return Err(invalid(format!("node {to} has two parents, or is a root twice")));
                }
                order.push(to);
                Ok(Child::Decision(order.len() - 1))
            };
            let (on_true, on_false) = (child(yes[node], yes_is_leaf[node])?, child(no[node], no_is_leaf[node])?);
            let mode = MODES.get(modes[node] as usize).map(|(_, mode)| *mode);
            let mode = mode.ok_or_else(|| invalid("sets of numbers (BRANCH_MEMBER) are not supported"))?;
            tree.decisions.push(Decision {
                feature: number("feature", feature[node])?,
                mode,
                threshold: thresholds[node],
                nan_is_true: missing.get(node).is_some_and(|v| *v != 0),
                on_true,
                on_false,
            });
        }
        trees.push(tree);
    }
    check_targets(&trees, targets)?;
    let x = n.input(0)?;
    let function = n.int_or("aggregate_function", 1);
    let names = ["AVERAGE", "SUM", "MIN", "MAX"];
    let name = usize::try_from(function).ok().and_then(|i| names.get(i));
    let name = name.ok_or_else(|| argument("aggregate_function", function, "expected 0 to 3"))?;
    let made = aggregated(b, x, &trees, targets, name)?;
    if n.int_or("post_transform", 0) != 0 {
        return Err(invalid("a post_transform other than 0 is not supported"));
    }
    Ok(vec![b.value(made, x.dtype())?])
}
