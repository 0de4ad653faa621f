//! Tables of layers with other dtypes than the rest of a network.
use crate::{
    base::{Error, Result, escaped, files, invalid, nearest},
    graph::{Graph, Operator, Tensor, TensorInfo},
    infinities::results_from_infinities,
    ops::Op,
    table::{is_table_name, not_in_table},
};
use indexmap::IndexMap;
use std::{
    collections::{HashMap, HashSet},
    fmt,
    io::Write,
    path::Path,
    str::FromStr,
};

/// Maximum size of a table in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The dtypes that a layer of an INT8 network is computed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Integers of 8 bits.
    Int8,
    /// Floats of 16 bits, IEEE 754.
    F16,
    /// Floats of 32 bits.
    F32,
}

impl Mode {
    /// Returns the name in tables: `F16`.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Int8 => "INT8",
            Mode::F16 => "F16",
            Mode::F32 => "F32",
        }
    }
}

impl FromStr for Mode {
    type Err = Error;
    fn from_str(name: &str) -> Result<Mode> {
        let all = [Mode::Int8, Mode::F16, Mode::F32];
        let found = all.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let near = nearest(&name.to_uppercase(), all.map(Mode::name).into_iter());
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            invalid(format!("the mode {name:?} cannot be run here; expected INT8, F16 or F32{hint}"))
        })
    }
}

/// What `model_deploy --quantize_table` takes: layers, by the names of their results, and their modes.
///
/// ```
/// use tpulang::calibrate::{Mode, QuantizeTable};
/// let table = QuantizeTable::parse("# the first layers\nstem F16\nhead f32\n")?;
/// assert_eq!(table.modes["head"], Mode::F32);
/// assert_eq!(table.to_string(), "# the first layers\nstem F16\nhead F32\n");
/// assert!(QuantizeTable::parse("stem FP16").is_err());
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuantizeTable {
    /// Lines before the layers, without their `#`.
    pub comments: Vec<String>,
    /// The mode of each layer, by the name of its result.
    pub modes: IndexMap<String, Mode>,
}

impl QuantizeTable {
    /// Reads a table of the tool chain or of [`QuantizeTable::write`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is no table.
    pub fn read(path: impl AsRef<Path>) -> Result<QuantizeTable> {
        let path = path.as_ref();
        QuantizeTable::parse(&QuantizeTable::read_text(path)?).map_err(|e| Error::format(path, e))
    }

    /// Reads the text of a table, which may have modes that only the tool chain knows.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not text.
    pub fn read_text(path: impl AsRef<Path>) -> Result<String> {
        let path = path.as_ref();
        let bytes = files::read(path, MAX_FILE)?;
        String::from_utf8(bytes).map_err(|_| Error::format(path, "a quantize table is text; this is not"))
    }

    /// Returns the layers that read or compute integers (token ids, masks, casts), each with the dtype that TPU-MLIR 1.30 requires for
    /// it, whatever the network's own dtype. Without these, lowering fails, or large integers are rounded to 16-bit floats.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, calibrate::{Mode, QuantizeTable}};
    /// let mut g = Graph::new("net")?;
    /// let ids = g.input("ids", Dtype::Int32, [4, 1])?;
    /// let row = g.permute(ids, [1, 0]).out_name("row").call()?;
    /// let table = g.coefficient("table", Array::filled(Dtype::Float32, [9, 2], 0.5)?)?;
    /// let y = g.index_select(table, row).axis(0).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let modes = QuantizeTable::of_integers(&g).modes;
    /// assert_eq!(modes.into_iter().collect::<Vec<_>>(), [("row".to_owned(), Mode::F32)]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn of_integers(graph: &Graph) -> QuantizeTable {
        let exact = exact_floats(graph);
        let is_exact = |operator: &Operator| operator.outputs().next().is_some_and(|t| exact.contains(&t));
        let computing =
            graph.operators().iter().filter(|o| computes_integers(o, graph) || is_exact(o) || to_integers(o, graph));
        QuantizeTable::of(computing, graph, mode_of_integers)
    }

    /// Returns the layers that select floats by integers that the network computes, such as `Where` of `mask == 0`. TPU-MLIR 1.30 has none
    /// in INT8, and needs F16 for them in a network of integers.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, calibrate::{Mode, QuantizeTable}, ops::{CompareConst, CompareMode, MaskedFill}};
    /// let mut g = Graph::new("net")?;
    /// let (x, mask) = (g.input("x", Dtype::Float32, [4])?, g.input("mask", Dtype::Int32, [4])?);
    /// let is_zero = CompareConst::new(mask, CompareMode::Equal, 0.0, false);
    /// let hidden = g.op(is_zero).out_dtypes([Dtype::Int32]).call()?[0];
    /// let y = g.op(MaskedFill::new(hidden, x, -1e4, false)).out_name("y").call()?[0];
    /// g.set_outputs(&[y])?;
    /// let modes = QuantizeTable::of_selections(&g).modes;
    /// assert_eq!(modes.into_iter().collect::<Vec<_>>(), [("y".to_owned(), Mode::F16)]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn of_selections(graph: &Graph) -> QuantizeTable {
        let computing = graph.operators().iter().filter(|operator| computes_integers(operator, graph));
        let integers: HashSet<Tensor> = computing.filter_map(|operator| operator.outputs().next()).collect();
        let selecting = graph.operators().iter().filter(|operator| match &operator.op {
            Op::Where(op) => integers.contains(&op.cond),
            Op::MaskedFill(op) => integers.contains(&op.cond),
            _ => false,
        });
        let of_floats = selecting.filter(|operator| !operator.outputs().any(|t| integers.contains(&t)));
        QuantizeTable::of(of_floats, graph, |_| Mode::F16)
    }

    /// Returns the layers that mask or move infinite constants (`masked_fill(mask, -inf)`), and those that read their results.
    /// TPU-MLIR 1.30 has no scale for infinite numbers in INT8.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, calibrate::QuantizeTable, ops::MaskedFill};
    /// let mut g = Graph::new("net")?;
    /// let (x, mask) = (g.input("x", Dtype::Float32, [4])?, g.input("mask", Dtype::Float32, [4])?);
    /// let masked = g.op(MaskedFill::new(mask, x, f64::NEG_INFINITY, false)).out_name("masked").call()?[0];
    /// let y = g.softmax(masked, 0).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let modes = QuantizeTable::of_infinities(&g)?.modes;
    /// assert_eq!(modes.into_keys().collect::<Vec<_>>(), ["masked", "y"]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a constant cannot be read from its file.
    pub fn of_infinities(graph: &Graph) -> Result<QuantizeTable> {
        let found = results_from_infinities(graph)?;
        let layers = graph.operators().iter().filter(|o| o.outputs().any(|t| found.contains(&t)));
        Ok(QuantizeTable::of(layers, graph, |_| Mode::F16))
    }

    /// Returns the table of some of a graph's operators.
    fn of<'g>(
        operators: impl Iterator<Item = &'g Operator>,
        graph: &Graph,
        mode: impl Fn(&Op<Tensor>) -> Mode,
    ) -> QuantizeTable {
        let modes = operators.filter_map(|o| Some((graph.result_names(o).next()?.to_owned(), mode(&o.op))));
        QuantizeTable { comments: Vec::new(), modes: modes.collect() }
    }

    /// Returns the layers that a text lists, each with its line, counted from 1, and its mode, which may be unknown.
    ///
    /// ```
    /// # use tpulang::calibrate::QuantizeTable;
    /// assert_eq!(QuantizeTable::layers("# one layer\nconv BF16\n")?, [(2, "conv", "BF16")]);
    /// assert!(QuantizeTable::layers("conv").is_err());
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the first line that is not a layer with its mode, or that has another mode than an earlier one.
    pub fn layers(text: &str) -> Result<Vec<(usize, &str, &str)>> {
        let lines = text.lines().map(str::trim).zip(1usize..);
        let mut modes: HashMap<&str, &str> = HashMap::new();
        let mut layers = Vec::new();
        for (line, number) in lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let (Some(name), Some(mode), None) = (words.next(), words.next(), words.next()) else {
                let found = escaped(line);
                return Err(invalid(format!("line {number}: expected a layer and its mode; found {found:?}")));
            };
            if modes.insert(name, mode).is_some_and(|before| !before.eq_ignore_ascii_case(mode)) {
                return Err(invalid(format!("line {number}: {name:?} has a different mode on an earlier line")));
            }
            layers.push((number, name, mode));
        }
        Ok(layers)
    }

    /// Appends the layers that a text of a table does not list, and returns the result. Names that a table cannot express are left out.
    ///
    /// ```
    /// # use tpulang::calibrate::QuantizeTable;
    /// let table = QuantizeTable::parse("conv F32\nids F32\n")?;
    /// assert_eq!(table.added_to("conv BF16")?, "conv BF16\nids F32\n");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the first line that is not a layer with its mode.
    pub fn added_to(&self, text: &str) -> Result<String> {
        let named: HashSet<&str> = QuantizeTable::layers(text)?.into_iter().map(|(_, name, _)| name).collect();
        let missing = self.modes.iter().filter(|(name, _)| !named.contains(name.as_str()) && is_table_name(name));
        let lines: String = missing.map(|(name, mode)| format!("{name} {}\n", mode.name())).collect();
        let end = if lines.is_empty() || text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Ok([text, end, &lines].concat())
    }

    /// Reads the text of a table.
    ///
    /// # Errors
    /// Returns an error that names the first line that is not a layer with its mode.
    pub fn parse(text: &str) -> Result<QuantizeTable> {
        let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
        let comments = comments.map(|comment| comment.trim_start().to_owned()).collect();
        let mut table = QuantizeTable { comments, ..QuantizeTable::default() };
        for (line, name, mode) in QuantizeTable::layers(text)? {
            let mode = mode.parse().map_err(|e: Error| invalid(format!("line {line}: {e}")))?;
            table.modes.insert(name.to_owned(), mode);
        }
        Ok(table)
    }

    /// Writes the table. The file appears whole or not at all.
    ///
    /// # Errors
    /// Returns an error if it cannot be written, or if it cannot express a name, such as one with a space.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        if let Some(name) = self.modes.keys().find(|name| !is_table_name(name)) {
            return Err(Error::format(path, not_in_table("quantize table", "layer", name)));
        }
        files::replace(path, |file| write!(file, "{self}").map_err(Error::io(path)))
    }
}

impl fmt::Display for QuantizeTable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.comments.iter().try_for_each(|comment| writeln!(f, "# {comment}"))?;
        self.modes.iter().try_for_each(|(name, mode)| writeln!(f, "{name} {}", mode.name()))
    }
}

/// Whether a tensor has integers that are not quantized numbers.
fn is_integer(tensor: Tensor, graph: &Graph) -> bool {
    graph.tensor(tensor).is_ok_and(TensorInfo::is_plain_integer)
}

/// Whether an operator computes integers, or compares them.
fn computes_integers(operator: &Operator, graph: &Graph) -> bool {
    let is_integer = |t: Tensor| is_integer(t, graph);
    let is_computed = |t: &Tensor| is_integer(*t) && graph.tensor(*t).is_ok_and(|info| !info.is_coefficient());
    let compares = matches!(operator.op, Op::Compare(_) | Op::CompareConst(_));
    let mut operands = operator.op.operands().map(|(_, t)| *t);
    (compares || operator.outputs().next().is_some_and(is_integer)) && operands.any(|t| is_computed(&t))
}

/// Whether an operator converts floats to integers.
fn to_integers(operator: &Operator, graph: &Graph) -> bool {
    matches!(operator.op, Op::Cast(_)) && operator.outputs().next().is_some_and(|t| is_integer(t, graph))
}

/// Returns the floats that must not be rounded: those computed from integers and constants alone, such as coordinates from indices, and
/// those that are converted to integers.
fn exact_floats(graph: &Graph) -> HashSet<Tensor> {
    let is_computed = |t: &Tensor| graph.tensor(*t).is_ok_and(|info| !info.is_coefficient());
    let operands =
        |operator: &Operator| -> Vec<Tensor> { operator.op.operands().map(|(_, t)| *t).filter(is_computed).collect() };
    let mut exact: HashSet<Tensor> = HashSet::new();
    for operator in graph.operators().iter().filter(|operator| is_arithmetic(&operator.op)) {
        let all = operands(operator);
        if !all.is_empty() && all.iter().all(|t| is_integer(*t, graph) || exact.contains(t)) {
            exact.extend(operator.outputs().filter(|t| !is_integer(*t, graph)));
        }
    }
    let signs: HashSet<Tensor> =
        graph.operators().iter().filter(|o| matches!(o.op, Op::Sign(_))).flat_map(Operator::outputs).collect();
    let mut wanted: HashSet<Tensor> = HashSet::new();
    for operator in graph.operators().iter().rev() {
        let all = operands(operator);
        // A sum of several tensors would lead through all of a residual network.
        let is_alone = all.len() == 1 || all.iter().any(|t| signs.contains(t));
        let is_wanted = operator.outputs().any(|t| wanted.contains(&t)) && is_arithmetic(&operator.op) && is_alone;
        if is_wanted {
            exact.extend(operator.outputs());
        }
        if is_wanted || to_integers(operator, graph) {
            wanted.extend(all.into_iter().filter(|t| !is_integer(*t, graph)));
        }
    }
    exact
}

/// Whether an op is one of those that indices are computed with.
fn is_arithmetic(op: &Op<Tensor>) -> bool {
    matches!(
        op,
        Op::Abs(_)
            | Op::Add(_)
            | Op::AddConst(_)
            | Op::Cast(_)
            | Op::Ceil(_)
            | Op::Clip(_)
            | Op::Concat(_)
            | Op::Div(_)
            | Op::DivConst(_)
            | Op::Expand(_)
            | Op::Floor(_)
            | Op::Max(_)
            | Op::MaxConst(_)
            | Op::Min(_)
            | Op::MinConst(_)
            | Op::Mul(_)
            | Op::MulConst(_)
            | Op::Permute(_)
            | Op::Reshape(_)
            | Op::Round(_)
            | Op::Sign(_)
            | Op::Squeeze(_)
            | Op::Sub(_)
            | Op::SubConst(_)
            | Op::Tile(_)
            | Op::Unsqueeze(_)
    )
}

/// Returns the dtype that the tool chain needs for a layer of integers: it has no Slice of them in F32.
fn mode_of_integers(op: &Op<Tensor>) -> Mode {
    if matches!(op, Op::Slice(_)) { Mode::F16 } else { Mode::F32 }
}
