//! A page that shows a network in a browser: one file, without any request to a network.
use crate::{
    base::{Result, shape_text},
    family::Family,
    graph::Tensor,
    groups::{Group, Member},
    network::{Costs, Network, Node},
    statistics::Statistics,
};
use indexmap::IndexSet;
use serde::Serialize;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const VENDOR: &str = include_str!("page/vendor.js");
const SCRIPT: &str = concat!(
    include_str!("page/model.js"),
    include_str!("page/layout.js"),
    include_str!("page/view.js"),
    include_str!("page/panel.js"),
    include_str!("page/main.js"),
);

impl<'g> Network<'g> {
    /// Reads the data of the coefficients for their statistics, which the page shows.
    ///
    /// # Errors
    /// Returns an error if data cannot be read.
    pub fn read_statistics(&mut self) -> Result<()> {
        for (tensor, info) in self.graph.tensors() {
            let statistics = info.data().map(Statistics::of).transpose()?.flatten();
            self.statistics.extend(statistics.map(|statistics| (tensor, statistics)));
        }
        Ok(())
    }
    /// Returns a page that shows the network in a browser. `source` names the file that it was read from.
    ///
    /// ```
    /// # use tpulang::{Dtype, Graph, show::Network};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2, 3])?;
    /// g.relu(x).out_name("y").call()?;
    /// let mut network = Network::new(&g);
    /// network.read_statistics()?;
    /// assert!(network.html(None).starts_with("<!doctype html>"));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn html(&self, source: Option<&str>) -> String {
        let network = serde_json::to_string(&self.divided().shown(source)).unwrap_or_default();
        // A script of HTML ends at `</script`, and `<!--` changes where.
        let network = network.replace('<', "\\u003c");
        let parts = [
            ("{{title}}", self.graph.name()),
            ("{{style}}", STYLE),
            ("{{vendor}}", VENDOR),
            ("{{script}}", SCRIPT),
            ("{{network}}", &network),
        ];
        parts.iter().fold(PAGE.to_owned(), |page, (mark, text)| page.replacen(mark, text, 1))
    }

    fn shown<'a>(&'a self, source: Option<&'a str>) -> Shown<'a> {
        let mut tensors = IndexSet::new();
        let mut index = |tensor: Tensor| tensors.insert_full(tensor).0;
        let operators: Vec<_> =
            self.nodes.iter().enumerate().map(|(i, node)| self.shown_operator(i, node, &mut index)).collect();
        let arguments = self.arguments.iter().map(|(tensor, group)| (index(*tensor), group.0)).collect();
        let outputs = self.graph.outputs().iter().map(|tensor| index(*tensor)).collect();
        let peak = self.memory.peak().map(|(at, _)| at);
        let memory = ShownMemory {
            live: &self.memory.live,
            peak,
            coefficients: self.memory.coefficients,
            timed: self.total().time.is_some(),
        };
        Shown {
            name: self.graph.name(),
            source,
            groups: self.groups.iter().map(shown_group).collect(),
            operators,
            arguments,
            outputs,
            tensors: tensors.iter().filter_map(|tensor| self.shown_tensor(*tensor)).collect(),
            memory,
        }
    }
    fn shown_operator<'a>(
        &'a self,
        at: usize,
        node: &'a Node<'g>,
        index: &mut impl FnMut(Tensor) -> usize,
    ) -> ShownOperator<'a> {
        let op = &node.operator.op;
        let defaults = op.def().attributes;
        let attribute = |(name, value): (&'static str, crate::ops::Attribute)| {
            let value = value.to_string();
            let default = defaults.iter().find(|a| a.name == name).and_then(|a| a.default);
            ShownAttribute { name, default: default.is_some_and(|d| d.to_string() == value), value }
        };
        ShownOperator {
            index: at,
            op: op.name(),
            family: Family::of(op.name()),
            function: node.function,
            name: self.name(node),
            line: node.line,
            group: node.group.0,
            operands: op.operands().map(|(role, tensor)| (role, index(*tensor))).collect(),
            sources: self.sources(node).into_iter().map(&mut *index).collect(),
            results: node.operator.outputs().map(&mut *index).collect(),
            attributes: op.attributes().into_iter().map(attribute).collect(),
            costs: ShownCosts::from(&node.costs),
        }
    }
    fn shown_tensor(&self, tensor: Tensor) -> Option<ShownTensor<'_>> {
        let info = self.tensor(tensor)?;
        Some(ShownTensor {
            name: &info.name,
            r#type: format!("{} {}", shape_text(&info.shape).replace('x', "×"), info.dtype),
            coefficient: info.is_coefficient(),
            quantization: self.quantization(tensor).map(|q| q.to_string()),
            preprocess: info.preprocess.as_ref().map(|p| serde_json::to_string(p).unwrap_or_default()),
            statistics: self.statistics.get(&tensor),
        })
    }
}

fn shown_group(group: &Group) -> ShownGroup<'_> {
    let member = |member: &Member| match member {
        Member::Group(id) => ShownMember::Group(id.0),
        Member::Node(index) => ShownMember::Operator(*index),
    };
    ShownGroup {
        name: &group.name,
        path: &group.path,
        parent: group.parent.map(|parent| parent.0),
        members: group.members.iter().map(member).collect(),
        costs: ShownCosts::from(&group.costs),
    }
}

/// What the page knows of a network.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    source: Option<&'a str>,
    /// The first contains all others.
    groups: Vec<ShownGroup<'a>>,
    operators: Vec<ShownOperator<'a>>,
    /// Tensors and their groups.
    arguments: Vec<(usize, usize)>,
    outputs: Vec<usize>,
    tensors: Vec<ShownTensor<'a>>,
    memory: ShownMemory<'a>,
}

#[derive(Serialize)]
struct ShownGroup<'a> {
    name: &'a str,
    path: &'a str,
    parent: Option<usize>,
    members: Vec<ShownMember>,
    #[serde(flatten)]
    costs: ShownCosts,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ShownMember {
    Group(usize),
    Operator(usize),
}

#[derive(Serialize)]
struct ShownOperator<'a> {
    index: usize,
    op: &'static str,
    family: Family,
    function: Option<&'static str>,
    name: &'a str,
    line: Option<u32>,
    group: usize,
    /// Roles and tensors.
    operands: Vec<(&'static str, usize)>,
    /// The tensors of the edges that end here.
    sources: Vec<usize>,
    results: Vec<usize>,
    attributes: Vec<ShownAttribute>,
    #[serde(flatten)]
    costs: ShownCosts,
}

#[derive(Serialize)]
struct ShownAttribute {
    name: &'static str,
    value: String,
    /// Whether this is its default.
    default: bool,
}

#[derive(Serialize)]
struct ShownCosts {
    #[serde(rename = "operators")]
    count: usize,
    parameters: u64,
    operations: u64,
    bytes: u64,
    ms: Option<f64>,
}

impl From<&Costs> for ShownCosts {
    fn from(costs: &Costs) -> Self {
        let Costs { operators, parameters, work, time } = *costs;
        ShownCosts { count: operators, parameters, operations: work.operations, bytes: work.bytes, ms: time }
    }
}

#[derive(Serialize)]
struct ShownTensor<'a> {
    name: &'a str,
    r#type: String,
    coefficient: bool,
    quantization: Option<String>,
    preprocess: Option<String>,
    statistics: Option<&'a Statistics>,
}

#[derive(Serialize)]
struct ShownMemory<'a> {
    live: &'a [u64],
    peak: Option<usize>,
    coefficients: u64,
    /// Whether there is a profile.
    timed: bool,
}
