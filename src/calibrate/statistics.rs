//! The statistics of a network's tensors.
use super::{Entry, Histogram, Method, Precision, Table, numbers, table::NETWORK};
use crate::{
    array::Array,
    base::{Error, Result, files, invalid, pluralized, shape_text},
    exec::{Backend, Feeds, Session},
    graph::{Graph, TensorKind},
};
use indexmap::IndexMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashSet},
    io::{BufWriter, Write},
    path::Path,
};

/// The version of files.
const VERSION: u32 = 2;
/// Maximum size of a file in bytes: 8,000 tensors whose bins are all in use.
const MAX_FILE: u64 = 1 << 30;

/// What is known of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorStatistics {
    /// The tensor's shape.
    pub shape: Vec<usize>,
    /// Its numbers on all samples.
    pub histogram: Histogram,
}

/// Histograms of a network's tensors, and the samples that they come from. The [crate](crate) has an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    version: u32,
    network: String,
    /// A checksum of all coefficients.
    weights: u32,
    samples: BTreeSet<String>,
    tensors: IndexMap<String, TensorStatistics>,
}

impl Statistics {
    /// Returns statistics without samples, of the inputs and results of a network, except those inside of branches and loops and
    /// those that are quantized already. Reads the weights, for their checksum.
    ///
    /// # Errors
    /// Returns an error if weights cannot be read.
    pub fn new(graph: &Graph) -> Result<Statistics> {
        let is_real = |t| graph.tensor(t).is_ok_and(|info| info.quantization.is_none());
        let inputs = graph.inputs().iter().copied();
        let results = graph.operators().iter().flat_map(|operator| operator.outputs());
        let all = inputs.chain(results).filter(|t| is_real(*t)).filter_map(|t| graph.tensor(t).ok());
        let empty = |shape: &[usize]| TensorStatistics { shape: shape.to_vec(), histogram: Histogram::default() };
        let tensors = all
            .filter(|info| !matches!(info.kind, TensorKind::Coefficient(_)))
            .map(|info| (info.name.clone(), empty(&info.shape)))
            .collect();
        let (network, weights) = (graph.name().to_owned(), checksum(graph)?);
        Ok(Statistics { version: VERSION, network, weights, samples: BTreeSet::new(), tensors })
    }

    /// Runs a network on a batch of samples, counts the numbers of its tensors, and returns the network's outputs. The session is
    /// that of the graph, prepared with [`FusionLevel::Layouts`](crate::exec::FusionLevel::Layouts), so that there are all of
    /// them. If it fails, nothing is counted.
    ///
    /// # Errors
    /// Returns an error if a sample of one of these names has been counted before, and those of [`Session::visit`].
    pub fn run<B: Backend>(
        &mut self,
        session: &Session<B>,
        samples: &[&str],
        feeds: &(impl Feeds + ?Sized),
    ) -> Result<IndexMap<String, Array>> {
        let mut names = HashSet::new();
        if let Some(sample) = samples.iter().find(|sample| self.samples.contains(**sample) || !names.insert(**sample)) {
            return Err(invalid(format!("{sample:?} is given twice; each sample is counted once")));
        }
        let tensors = &self.tensors;
        let mut counted: IndexMap<String, Histogram> = IndexMap::new();
        let mut count = |name: &str, array: &Array| -> Result<()> {
            if tensors.contains_key(name) {
                let mut histogram = Histogram::default();
                histogram.add(&numbers(array)?);
                counted.insert(name.to_owned(), histogram);
            }
            Ok(())
        };
        for (name, array) in feeds.feeds() {
            count(name, array)?;
        }
        let results = session.visit(feeds, &mut count)?;
        self.samples.extend(samples.iter().map(|sample| (*sample).to_owned()));
        for (name, histogram) in counted {
            if let Some(tensor) = self.tensors.get_mut(&name) {
                tensor.histogram.merge(&histogram);
            }
        }
        Ok(results)
    }

    /// Adds the statistics of other samples. The result does not depend on the order.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if they are those of another network, or have a sample in common.
    pub fn merge(&mut self, other: &Statistics) -> Result<()> {
        if let Some(sample) = self.samples.intersection(&other.samples).next() {
            return Err(invalid(format!("the sample {sample:?} is counted in both")));
        }
        self.check_network(other)?;
        self.samples.extend(other.samples.iter().cloned());
        for (name, tensor) in &mut self.tensors {
            tensor.histogram.merge(&other.tensors[name].histogram);
        }
        Ok(())
    }

    /// Checks that other statistics are of the same network.
    ///
    /// # Errors
    /// Returns an error if one of them has tensors that the other lacks, or tensors of other shapes, or if the weights differ.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, calibrate::Statistics};
    /// let of_shape = |n: usize| -> tpulang::Result<Statistics> {
    ///     let mut g = Graph::new("net")?;
    ///     let x = g.input("x", Dtype::Float32, [n])?;
    ///     let y = g.relu(x).out_name("y").call()?;
    ///     g.set_outputs(&[y])?;
    ///     Statistics::new(&g)
    /// };
    /// of_shape(2)?.check_network(&of_shape(2)?)?;
    /// let error = of_shape(2)?.check_network(&of_shape(3)?).unwrap_err();
    /// assert_eq!(error.to_string(), r#"the statistics are of different networks: "x" has the shapes 2 and 3"#);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn check_network(&self, other: &Statistics) -> Result<()> {
        let only_in = |a: &Statistics, b: &Statistics| {
            a.tensors.keys().find(|name| !b.tensors.contains_key(*name)).map(|name| format!("{name:?}"))
        };
        if let Some(name) = only_in(self, other).or_else(|| only_in(other, self)) {
            return Err(invalid(format!("the statistics are of different networks: only one has the tensor {name}")));
        }
        let pairs = self.tensors.iter().map(|(name, tensor)| (name, &tensor.shape, &other.tensors[name].shape));
        for (name, a, b) in pairs {
            if a != b {
                let (a, b) = (shape_text(a), shape_text(b));
                return Err(invalid(format!(
                    "the statistics are of different networks: {name:?} has the shapes {a} and {b}"
                )));
            }
        }
        match self.weights == other.weights {
            true => Ok(()),
            false => Err(invalid(
                "the statistics are of networks with different weights; calibrate the one that is deployed",
            )),
        }
    }

    /// The tensors, in the order of computation.
    pub fn tensors(&self) -> &IndexMap<String, TensorStatistics> {
        &self.tensors
    }
    /// The names of the samples.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = &str> {
        self.samples.iter().map(String::as_str)
    }
    /// The network's name.
    pub fn network(&self) -> &str {
        &self.network
    }

    /// Chooses a threshold for each tensor that had any numbers.
    ///
    /// # Errors
    /// Returns an error if there are no samples, if all tensors are quantized already, if a name has a space, or if a tensor had
    /// numbers, but no finite one.
    pub fn table(&self, method: Method, precision: Precision) -> Result<Table> {
        self.table_by(method.name(), |_, histogram| method.entry(histogram, precision))
    }

    /// Makes the table of a method that is given the name and the histogram of each tensor that had any numbers.
    pub(crate) fn table_by(&self, method: &str, entry: impl Fn(&str, &Histogram) -> Entry + Sync) -> Result<Table> {
        if self.samples.is_empty() {
            return Err(invalid("no samples have been counted, so nothing is known of the network's tensors"));
        }
        if self.tensors.is_empty() {
            return Err(invalid("all tensors of the network are quantized already"));
        }
        let counted: Vec<_> =
            self.tensors.iter().filter(|(_, t)| t.histogram.count() + t.histogram.not_finite() > 0).collect();
        let named_entry = |(name, tensor): &(&String, &TensorStatistics)| -> Result<(String, Entry)> {
            if tensor.histogram.count() == 0 {
                return Err(invalid(format!("all numbers of {name:?} are infinite or NaN, on every sample")));
            }
            Ok(((*name).clone(), entry(name, &tensor.histogram)))
        };
        // The error is that of the first tensor, whichever thread is first.
        let entries: Vec<_> = counted.par_iter().map(named_entry).collect();
        let entries = entries.into_iter().collect::<Result<Vec<_>>>()?;
        let mut table = Table::new(entries.into_iter().collect());
        table.comments = vec![
            format!("{NETWORK}{}", self.network),
            format!("method: {method}"),
            format!("samples: {}", self.samples.len()),
        ];
        Table::check_names(table.entries.keys().map(String::as_str))?;
        Ok(table)
    }

    /// Writes the statistics to a file, which [`Statistics::read`] reads. They are JSON.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written; an earlier one is kept then.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        files::replace(path, |file| {
            let mut to = BufWriter::new(file);
            serde_json::to_writer(&mut to, self).map_err(|e| Error::io(path)(e.into()))?;
            to.write_all(b"\n").and_then(|()| to.flush()).map_err(Error::io(path))
        })
    }

    /// Reads a file of [`Statistics::write`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or has something else.
    pub fn read(path: impl AsRef<Path>) -> Result<Statistics> {
        let path = path.as_ref();
        let bytes = files::read(path, MAX_FILE)?;
        let wrong = |problem: String| {
            Error::format(path, format!("this is not a statistics file that calibrate has written: {problem}"))
        };
        let read: Statistics = serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))?;
        if read.version != VERSION {
            return Err(wrong(format!("version {}; expected {VERSION}", read.version)));
        }
        match read.tensors.iter().find(|(_, tensor)| !tensor.histogram.is_valid()) {
            Some((name, _)) => Err(wrong(format!("the histogram of {name:?} is damaged"))),
            None => Ok(read),
        }
    }

    /// Describes the samples: `10 samples of 75 tensors`.
    pub fn summary(&self) -> String {
        format!("{} of {}", pluralized(self.samples.len(), "sample"), pluralized(self.tensors.len(), "tensor"))
    }
}

/// Returns the checksum (CRC-32) of a graph's coefficients.
fn checksum(graph: &Graph) -> Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for (_, info) in graph.tensors() {
        if let TensorKind::Coefficient(Some(array)) = &info.kind {
            array.pieces(|bytes| {
                hasher.update(bytes);
                Ok(())
            })?;
        }
    }
    Ok(hasher.finalize())
}
