//! The stages between a network and a chip.
use super::{
    target::Target,
    tool_chain::{Problem, ToolChain},
};
use indexmap::IndexMap;
use std::{fs, path::PathBuf};
use tpulang::{
    Array, Dtype, Error, Graph, Result,
    array::{read_arrays, write_npz},
    mlir,
};
use tpulang_base::invalid;

/// The file with what the programs print that make a stage.
fn log_of(stage: Stage) -> String {
    format!("{}.log", stage.file())
}

pub type Arrays = IndexMap<String, Array>;

/// A form of the network, made from the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The canonical module, in the Top dialect.
    Top,
    /// The module lowered to a chip and its dtypes, in the Tpu dialect.
    Tpu,
    /// The instructions of the chip, which a simulator runs.
    Chip,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Top, Stage::Tpu, Stage::Chip];

    /// What making it is called.
    pub fn action(self) -> &'static str {
        match self {
            Stage::Top => "canonicalizing",
            Stage::Tpu => "lowering",
            Stage::Chip => "generating the bmodel",
        }
    }
    /// What running it is called.
    pub fn running(self) -> &'static str {
        match self {
            Stage::Top => "running the Top module",
            Stage::Tpu => "running the Tpu module",
            Stage::Chip => "running the bmodel in the simulator",
        }
    }
    /// What its files are called.
    pub fn file(self) -> &'static str {
        match self {
            Stage::Top => "top",
            Stage::Tpu => "tpu",
            Stage::Chip => "chip",
        }
    }
}

/// The tables' names in the folder of the stages.
const CALIBRATION: &str = "calibration.table";
const QUANTIZE: &str = "quantize.table";
/// The file that the stages are fed.
const INPUTS: &str = "inputs.npz";

/// A folder in which a network goes through the stages.
pub struct Stages<'a> {
    chain: &'a ToolChain,
    target: &'a Target,
    folder: PathBuf,
    /// The network's name.
    name: String,
    graph: &'a Graph,
}

impl<'a> Stages<'a> {
    /// Writes the network and the inputs.
    pub fn new(
        chain: &'a ToolChain,
        target: &'a Target,
        folder: PathBuf,
        graph: &'a Graph,
        feeds: &Arrays,
    ) -> Result<Stages<'a>> {
        // The programs would take a file whose name begins with a hyphen for an option.
        let name = graph.name().trim_start_matches('-');
        let renamed = (name != graph.name()).then(|| graph.named(format!("net-{name}"))).transpose()?;
        let written = renamed.as_ref().unwrap_or(graph);
        mlir::write_pair(written, &folder)?;
        // The simulator takes no bools.
        let stored =
            |array: &Array| if array.dtype() == Dtype::Bool { array.to_dtype(Dtype::Uint8) } else { Ok(array.clone()) };
        let feeds =
            feeds.iter().map(|(name, array)| Ok((name.as_str(), stored(array)?))).collect::<Result<Vec<_>>>()?;
        write_npz(folder.join(INPUTS), feeds.iter().map(|(name, array)| (*name, array)))?;
        Ok(Stages { chain, target, folder, name: written.name().to_owned(), graph })
    }

    /// The file that the last stage makes.
    pub fn bmodel(&self) -> PathBuf {
        self.folder.join(self.bmodel_name())
    }

    /// The programs tell the format of a chip's file by its name.
    fn bmodel_name(&self) -> String {
        format!("{}.{}", self.name, self.target.extension())
    }

    /// Makes a stage from the files of the one before.
    pub fn make(&self, stage: Stage) -> Result<(), Problem> {
        let (name, log) = (&self.name, log_of(stage));
        let origin = format!("{name}_origin.mlir");
        let module = format!("{name}.mlir");
        match stage {
            Stage::Top => {
                let passes = ["--struct-optimize", "--shape-infer", "--canonicalize", "--extra-optimize"];
                let args = [[origin.as_str()].as_slice(), &passes, &["-o", &module]].concat();
                self.chain.optimize(&self.folder, &log, &args)?;
                Ok(self.write_tables(&module)?)
            }
            Stage::Tpu => self.deploy(&log, &["--not_gen_bmodel"]),
            Stage::Chip => self.deploy(&log, &[]),
        }
    }

    /// Like [`Stages::make`]. If it fails, the log has what tpuc-opt prints, which model_deploy discards with `--not_gen_bmodel`.
    pub fn make_logged(&self, stage: Stage) -> Result<(), Problem> {
        self.make(stage).or_else(|failed| {
            if stage == Stage::Tpu {
                self.deploy(&log_of(stage), &[])?;
            }
            Err(failed)
        })
    }

    /// Writes the tables for the canonical module, and no quantize table if there is nothing in it.
    fn write_tables(&self, module: &str) -> Result<()> {
        // If tpulang cannot read the module, since only the tool chain knows its ops, the network has most of its layers.
        let module = mlir::read(self.folder.join(module), None);
        let module = module.as_ref().unwrap_or(self.graph);
        let (calibration, quantize) = (self.target.calibration_for(module)?, self.target.quantize_table_for(module)?);
        if let Some(table) = calibration {
            table.write(self.folder.join(CALIBRATION))?;
        }
        let path = self.folder.join(QUANTIZE);
        if quantize.is_empty() { Ok(()) } else { fs::write(&path, quantize).map_err(Error::io(&path)) }
    }

    fn deploy(&self, log: &str, more: &[&str]) -> Result<(), Problem> {
        let Target { chip, quantize, calibration, options, .. } = self.target;
        let (module, bmodel) = (format!("{}.mlir", self.name), self.bmodel_name());
        let mut args = vec!["--mlir", &module, "--chip", chip, "--quantize", quantize, "--model", &bmodel];
        // model_deploy has no default for some dtypes.
        let tolerance = self.target.tolerance().to_string();
        if !options.iter().any(|option| option.starts_with("--tolerance")) {
            args.extend(["--tolerance", &tolerance]);
        }
        if calibration.is_some() {
            args.extend(["--calibration_table", CALIBRATION]);
        }
        if self.folder.join(QUANTIZE).exists() {
            args.extend(["--quantize_table", QUANTIZE]);
        }
        args.extend(options.iter().map(String::as_str));
        args.extend(more);
        self.chain.tool(&self.folder, log, "model_deploy", &args)
    }

    /// Runs a stage on the inputs; returns all its tensors, or the outputs of the chip.
    pub fn run(&self, stage: Stage) -> Result<Arrays, Problem> {
        let model = match stage {
            Stage::Top => format!("{}.mlir", self.name),
            Stage::Tpu => self.lowered()?,
            Stage::Chip => self.bmodel_name(),
        };
        let results = format!("{}.npz", stage.file());
        let mut args = vec!["--input", INPUTS, "--model", &model, "--output", &results];
        if stage != Stage::Chip {
            args.push("--dump_all_tensors");
        }
        self.chain.tool(&self.folder, &format!("{}_run.log", stage.file()), "model_runner", &args)?;
        Ok(read_arrays(self.folder.join(results))?)
    }

    /// Returns the name of the lowered module, which depends on the options of model_deploy.
    fn lowered(&self) -> Result<String> {
        let entries = fs::read_dir(&self.folder).map_err(Error::io(&self.folder))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found = names.filter(|name| name.starts_with(&self.name) && name.ends_with("_tpu.mlir"));
        found.next().ok_or_else(|| invalid(format!("model_deploy left no {}_.._tpu.mlir", self.name)))
    }
}
