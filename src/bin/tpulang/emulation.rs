//! Running a network as a chip does.
use super::{diagnostics::Diagnostics, run::FILES};
use std::path::{Path, PathBuf};
use tpulang::{
    Graph, Result,
    calibrate::{Mode, QuantizeTable, QuantizedNetwork, Table},
};
use tpulang_base::{argument, escaped_path, pluralized};

/// Options of `run`.
#[derive(clap::Args)]
pub struct Options {
    /// Compute in 8-bit integers like a chip, with the thresholds of this table of `calibrate` or run_calibration. Results are
    /// dequantized. They match the chip most closely if MODEL is NAME.mlir from the stages folder of deploy
    #[arg(
        long,
        value_name = "TABLE",
        conflicts_with_all = [
            "explain", "profile", "device", "threads", "strict", "on_cpu", "no_fusion", "precision", "tf32", "weight_budget",
            "max_iterations",
        ],
        help_heading = FILES
    )]
    calibration: Option<PathBuf>,
    /// With --calibration: layers with other dtypes, as model_deploy takes them
    #[arg(long, alias = "qtable", value_name = "TABLE", requires = "calibration", help_heading = FILES)]
    quantize_table: Option<PathBuf>,
    /// The chip to emulate with --calibration
    #[arg(long, requires = "calibration", default_value = "bm1684x", help_heading = "Execution")]
    chip: Chip,
}

/// The chips whose arithmetic is known.
#[derive(Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "lower")]
enum Chip {
    Bm1684x,
}

impl Options {
    /// Whether the network is to be run as a chip does.
    pub fn is_given(&self) -> bool {
        self.calibration.is_some()
    }
    /// Returns the network of `--calibration`.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read, or is one of another network.
    pub fn network(&self, graph: &Graph, messages: &Diagnostics) -> Result<Option<QuantizedNetwork>> {
        let Chip::Bm1684x = self.chip;
        let Some(path) = &self.calibration else { return Ok(None) };
        let table = Table::read(path)?;
        check_table(&table, graph, path)?;
        let modes = self.quantize_table.as_ref().map(QuantizeTable::read).transpose()?.unwrap_or_default();
        let network = QuantizedNetwork::new(graph, &table, &modes)?;
        messages.warn(graph, &graph.weight_warnings())?;
        let uncalibrated = network.uncalibrated();
        if let Some(first) = uncalibrated.first() {
            let (path, count) = (escaped_path(path), pluralized(uncalibrated.len(), "tensor"));
            messages.report_aside(&format!(
                "{path} has no thresholds for {count}, such as {first:?}; their layers are computed in floats, and the tool chain may \
                 refuse the table\n"
            ));
        }
        if let Some(first) = network.fused_attentions().first() {
            let count = pluralized(network.fused_attentions().len(), "attention");
            messages.report_aside(&format!(
                "{count} of the network, such as that of {first:?}, will be one operator of the chip, whose errors in INT8 are larger \
                 than here; calibrate --search keeps them in F16\n"
            ));
        }
        let of_layers = |layers: Vec<&str>, what: &str| {
            if let Some(first) = layers.first() {
                let count = pluralized(layers.len(), "layer");
                messages.report_aside(&format!("{count}, such as that of {first:?}, will be computed {what}\n"));
            }
        };
        of_layers(
            network.unemulated(),
            "in integers by the chip, and in F16 here, so larger errors are possible; calibrate --search keeps them in floats",
        );
        of_layers(
            network.beyond_half(),
            "in F16, whose range is too small for their numbers; calibrate --search makes them F32",
        );
        Ok(Some(network))
    }
}

/// # Errors
/// Returns an error if a calibration table has no tensor of a network.
pub fn check_table(table: &Table, graph: &Graph, path: &Path) -> Result<()> {
    if table.entries.keys().any(|name| graph.lookup(name).is_some()) {
        return Ok(());
    }
    let some = table.entries.keys().take(3).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    Err(argument("--calibration", escaped_path(path), format!("none of its tensors is in the network: {some}")))
}

/// Returns how many layers are computed in which dtypes.
pub fn summary(network: &QuantizedNetwork) -> String {
    let count = |mode: Mode| network.layers().filter(|(_, m)| *m == mode).count();
    let floats = [Mode::F16, Mode::F32].map(|mode| (count(mode), mode.name()));
    let floats = floats.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!(", {n} in {name}"));
    let floats: String = floats.collect();
    format!("bm1684x, emulated: {} in INT8{floats}", pluralized(count(Mode::Int8), "layer"))
}
