//! What a network is compiled for.
use crate::command::{diagnostics::Diagnostics, run::FILES, shell::shell_word, tables};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};
use tpulang::{
    Error, Graph, Mode, Result,
    calibrate::{self, QuantizeTable, QuantizedNetwork, Table},
    exec::Tolerance,
};
use tpulang_base::argument;

/// Options shared by `deploy` and `bisect`.
#[derive(clap::Args)]
pub struct TargetOptions {
    /// The chip: bm1684x, bm1688, cv186x, bm1690 and others
    #[arg(long, value_name = "CHIP", default_value = "bm1684x", value_parser = chip)]
    chip: String,
    /// The dtypes that the chip computes in: F32, F16, BF16, INT8, W4F16 and others. Default: INT8 for a network of integers, otherwise
    /// F16, or what the chip has instead: F32 on bm1684, BF16 on cv183x, cv182x, cv181x and cv180x
    #[arg(long, value_name = "MODE", value_parser = mode)]
    quantize: Option<String>,
    /// The thresholds for INT8, INT4 and F8: a table of `tpulang calibrate` or run_calibration
    #[arg(long, value_name = "TABLE", help_heading = FILES)]
    calibration: Option<PathBuf>,
    /// Operators with other dtypes: each line of this file is a tensor and a mode
    #[arg(long, alias = "qtable", value_name = "TABLE", help_heading = FILES)]
    quantize_table: Option<PathBuf>,
}

/// The chips and modes of model_deploy.
const CHIPS: [&str; 16] = [
    "bm1684x", "bm1688", "bm1684", "bm1690", "bm1690e", "bm1684x2", "cv184x", "cv186x", "cv183x", "cv182x", "cv181x",
    "cv180x", "sgtpuv8", "sg2380", "sg2262", "cpu",
];
const MODES: [&str; 23] = [
    "F32",
    "F16",
    "BF16",
    "INT8",
    "INT4",
    "W8F16",
    "W8BF16",
    "W4F16",
    "W4BF16",
    "W4INT8",
    "F8E4M3",
    "F8E5M2",
    "QDQ",
    "INT8F16DYN",
    "INT8BF16DYN",
    "INT4F16DYN",
    "INT4BF16DYN",
    "F8E4M3F16DYN",
    "F8E4M3BF16DYN",
    "F4F16DYN",
    "F4BF16DYN",
    "MXF4F16DYN",
    "MXF4BF16DYN",
];

/// The chips whose files are cvimodels, a format of their own.
const CVIMODEL_CHIPS: [&str; 4] = ["cv183x", "cv182x", "cv181x", "cv180x"];

/// The modes that compute everything in floats.
const FLOATS: [&str; 3] = ["F32", "F16", "BF16"];

/// The floats that a chip computes in.
enum Floats {
    All,
    /// Without those of 16 bits.
    Single,
    /// bfloat16 only. The tool chain computes F16 as BF16.
    Brain,
}

impl Floats {
    fn of(chip: &str) -> Floats {
        match chip {
            "bm1684" => Floats::Single,
            chip if CVIMODEL_CHIPS.contains(&chip) => Floats::Brain,
            _ => Floats::All,
        }
    }
    /// The modes, the default first.
    fn modes(&self) -> &'static [&'static str] {
        match self {
            Floats::All => &["F16", "BF16", "F32"],
            Floats::Single => &["F32"],
            Floats::Brain => &["BF16", "F16"],
        }
    }
}

fn chip(text: &str) -> Result<String, String> {
    one_of(&text.to_lowercase(), &CHIPS)
}

fn mode(text: &str) -> Result<String, String> {
    one_of(&text.to_uppercase(), &MODES)
}

fn one_of(text: &str, all: &[&str]) -> Result<String, String> {
    if all.contains(&text) { Ok(text.to_owned()) } else { Err(format!("expected one of {}", all.join(", "))) }
}

/// A chip, and how it computes a network.
#[derive(Clone)]
pub struct Target {
    /// The chip: `bm1684x`.
    pub chip: String,
    /// The dtypes that it computes in: `INT8`.
    pub quantize: String,
    /// The calibration table.
    pub calibration: Option<Table>,
    /// The text of the table of operators with other dtypes.
    pub quantize_table: Option<String>,
    /// Other options of model_deploy.
    pub options: Vec<String>,
}

/// The modes that need thresholds.
const CALIBRATED: [&str; 5] = ["INT8", "INT4", "W4INT8", "F8E4M3", "F8E5M2"];

impl TargetOptions {
    /// Returns the files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.calibration, &self.quantize_table].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Reads the tables for a network, which was read from `model`, and warns of thresholds that are missing.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read, is missing, or is one of another network.
    pub fn read(&self, graph: &Graph, model: &Path, options: Vec<String>, messages: &Diagnostics) -> Result<Target> {
        let floats = Floats::of(&self.chip);
        let default = if graph.mode == Mode::Quantized { "INT8" } else { floats.modes()[0] };
        let quantize = self.quantize.clone().unwrap_or_else(|| default.to_owned());
        if FLOATS.contains(&quantize.as_str()) && !floats.modes().contains(&quantize.as_str()) {
            let expected = format!("{} has no such floats; expected {} or INT8", self.chip, floats.modes().join(", "));
            return Err(argument("--quantize", quantize, expected));
        }
        let needs_thresholds = CALIBRATED.contains(&quantize.as_str()) && graph.mode != Mode::Quantized;
        if needs_thresholds && self.calibration.is_none() {
            let model = shell_word(model);
            let expected = format!(
                "it needs thresholds: tpulang calibrate {model} --data SAMPLES -o TABLE, and --calibration TABLE here"
            );
            return Err(argument("--quantize", quantize, expected));
        }
        let read = |path| tables::calibration(path, graph, messages);
        let calibration = self.calibration.as_deref().map(read).transpose()?;
        let quantize_table = self.quantize_table.as_deref().map(|path| read_quantize_table(path, graph)).transpose()?;
        if let (Some(path), Some(table), true) = (&self.calibration, &calibration, needs_thresholds) {
            warn_of_missing(path, table, graph, messages)?;
        }
        Ok(Target { chip: self.chip.clone(), quantize, calibration, quantize_table, options })
    }
}

/// Reads the text of a quantize table.
fn read_quantize_table(path: &Path, graph: &Graph) -> Result<String> {
    let text = tables::quantize(path, graph)?;
    let is_unknown = |mode: &str| !MODES.contains(&mode.to_uppercase().as_str());
    let unknown = QuantizeTable::layers(&text)?.into_iter().find(|(.., mode)| is_unknown(mode));
    match unknown {
        Some((line, _, mode)) => {
            let problem = format!("line {line}: the tool chain has no mode {mode:?}; expected INT8, F16, BF16 or F32");
            Err(Error::format(path, problem))
        }
        None => Ok(text),
    }
}

/// Warns of layers without thresholds. Networks that cannot be run as a chip does are left to the tool chain.
fn warn_of_missing(path: &Path, table: &Table, graph: &Graph, messages: &Diagnostics) -> Result<()> {
    let network = QuantizedNetwork::new(graph, table, &QuantizeTable::default());
    let missing = network.ok().and_then(|network| tables::missing_thresholds(path, &network));
    missing.map_or(Ok(()), |missing| messages.warn(graph, &missing.into()))
}

impl Target {
    /// Returns the text of the quantize table for a canonical module: the given one, and the layers of integers that it does not name.
    pub fn quantize_table_for(&self, module: &Graph) -> Result<String> {
        let given = self.quantize_table.as_deref().unwrap_or_default();
        if module.mode == Mode::Quantized {
            return Ok(given.to_owned());
        }
        let mut integers = QuantizeTable::of_integers(module);
        if self.has_thresholds() {
            integers.modes.extend(QuantizeTable::of_selections(module).modes);
        }
        if matches!(Floats::of(&self.chip), Floats::Single) {
            integers.modes.retain(|_, mode| *mode == calibrate::Mode::F32);
        }
        for name in self.infinite_layers(module)? {
            integers.modes.entry(name).or_insert(self.float_mode());
        }
        if self.quantize == "F32" {
            integers.modes.retain(|_, mode| *mode != calibrate::Mode::F32);
        }
        integers.added_to(given)
    }

    /// Returns the layers that are computed in floats because of infinite numbers, without those of the given quantize table.
    pub fn infinite_layers(&self, graph: &Graph) -> Result<Vec<String>> {
        if !self.has_thresholds() || graph.mode == Mode::Quantized {
            return Ok(Vec::new());
        }
        let given = self.quantize_table.as_deref().map(QuantizeTable::layers).transpose()?.unwrap_or_default();
        let given: HashSet<&str> = given.into_iter().map(|(_, name, _)| name).collect();
        let all = QuantizeTable::of_infinities(graph)?.modes.into_keys();
        Ok(all.filter(|name| !given.contains(name.as_str())).collect())
    }

    /// The floats of layers that cannot be integers.
    pub fn float_mode(&self) -> calibrate::Mode {
        match Floats::of(&self.chip) {
            Floats::Single => calibrate::Mode::F32,
            Floats::All | Floats::Brain => calibrate::Mode::F16,
        }
    }

    /// Returns the calibration table with what a canonical module has besides, if there is one.
    pub fn calibration_for(&self, module: &Graph) -> Result<Option<Table>> {
        self.calibration.as_ref().map(|table| table.completed_for(module)).transpose()
    }

    /// Whether tensors have thresholds.
    pub fn has_thresholds(&self) -> bool {
        CALIBRATED.contains(&self.quantize.as_str())
    }

    /// Returns the extension of the chip's files.
    pub fn extension(&self) -> &'static str {
        if CVIMODEL_CHIPS.contains(&self.chip.as_str()) { "cvimodel" } else { "bmodel" }
    }

    /// Returns model_deploy's tolerance of the outputs.
    pub fn tolerance(&self) -> Tolerance {
        let (cosine, euclidean) = match self.quantize.as_str() {
            "F32" => (0.99, 0.99),
            "F16" | "BF16" => (0.99, 0.9),
            "F8E4M3" | "F8E5M2" => (0.8, 0.5),
            _ => (0.9, 0.8),
        };
        Tolerance { cosine, euclidean }
    }
}
