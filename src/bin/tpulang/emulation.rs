//! Running a network as a chip does.
use super::{diagnostics::Diagnostics, run::FILES, tables};
use std::path::PathBuf;
use tpulang::{
    Error, Graph, Result,
    base::WarningKind,
    calibrate::{Mode, QuantizeTable, QuantizedNetwork},
};
use tpulang_base::pluralized;

/// Options of `run`.
#[derive(clap::Args)]
pub struct Options {
    /// Compute in 8-bit integers like a chip, with the thresholds of this table of `calibrate` or run_calibration. Results are
    /// dequantized. They match the chip most closely if MODEL is NAME.mlir from the stages folder of deploy
    #[arg(
        long,
        value_name = "TABLE",
        conflicts_with_all = [
            "explain", "profile", "device", "strict", "on_cpu", "no_fusion", "precision", "tf32", "weight_budget",
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
        let table = tables::calibration(path, graph, messages)?;
        let modes = match &self.quantize_table {
            Some(path) => {
                let text = tables::quantize(path, graph)?;
                QuantizeTable::parse(&text).map_err(|e| Error::format(path, e))?
            }
            None => QuantizeTable::default(),
        };
        let network = QuantizedNetwork::new(graph, &table, &modes)?;
        messages.warn(graph, &graph.weight_warnings())?;
        let missing = tables::missing_thresholds(path, &network);
        messages.warn(graph, &missing.into_iter().chain(differences(&network)).collect())?;
        Ok(Some(network))
    }
}

/// Returns warnings about layers that the chip computes otherwise, or in floats that do not represent their numbers.
fn differences(network: &QuantizedNetwork) -> impl Iterator<Item = WarningKind> {
    let first = |layers: &[&str]| layers.first().map(|layer| ((*layer).to_owned(), layers.len()));
    let unemulated = first(&network.unemulated()).map(|(layer, count)| WarningKind::NotEmulated { layer, count });
    let fused = first(&network.fused_attentions()).map(|(layer, count)| WarningKind::FusedAttention { layer, count });
    let beyond = first(&network.beyond_half()).map(|(layer, count)| WarningKind::BeyondFloat16 { layer, count });
    [unemulated, fused, beyond].into_iter().flatten()
}

/// Returns how many layers are computed in which dtypes.
pub fn summary(network: &QuantizedNetwork) -> String {
    let count = |mode: Mode| network.layers().filter(|(_, m)| *m == mode).count();
    let floats = [Mode::F16, Mode::F32].map(|mode| (count(mode), mode.name()));
    let floats = floats.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!(", {n} in {name}"));
    let floats: String = floats.collect();
    format!("bm1684x, emulated: {} in INT8{floats}", pluralized(count(Mode::Int8), "layer"))
}
