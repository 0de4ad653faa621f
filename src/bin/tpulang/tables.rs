//! The tables of quantized networks: all commands read and check them in one way.
use super::diagnostics::Diagnostics;
use std::path::Path;
use tpulang::{
    Error, Graph, Result,
    base::WarningKind,
    calibrate::{QuantizeTable, QuantizedNetwork, Table},
    graph::TensorKind,
};
use tpulang_base::{argument, did_you_mean, escaped_path};

/// Reads the calibration table of a network. Warns if it names another one.
///
/// # Errors
/// Returns an error if it cannot be read, or has no tensor of the network.
pub fn calibration(path: &Path, graph: &Graph, messages: &Diagnostics) -> Result<Table> {
    let table = Table::read(path)?;
    if let Some(of) = table.network().filter(|of| *of != graph.name()) {
        let (of, network) = (of.to_owned(), graph.name().to_owned());
        messages.warn(graph, &WarningKind::OtherTable { table: escaped_path(path), of, network }.into())?;
    }
    if table.entries.keys().any(|name| graph.lookup(name).is_some()) {
        return Ok(table);
    }
    let some = table.entries.keys().take(3).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    Err(argument("--calibration", escaped_path(path), format!("none of its tensors is in the network: {some}")))
}

/// Returns a warning if layers of a network have no thresholds in its calibration table.
pub fn missing_thresholds(path: &Path, network: &QuantizedNetwork) -> Option<WarningKind> {
    let missing = network.uncalibrated();
    let tensor = (*missing.first()?).to_owned();
    Some(WarningKind::MissingThreshold { table: escaped_path(path), tensor, count: missing.len() })
}

/// Reads the text of the quantize table of a network. Its modes may be unknown.
///
/// # Errors
/// Returns an error if it cannot be read, or names something else than results of the network's operators.
pub fn quantize(path: &Path, graph: &Graph) -> Result<String> {
    let text = QuantizeTable::read_text(path)?;
    let layers = QuantizeTable::layers(&text).map_err(|e| Error::format(path, e))?;
    for (line, name, _) in layers {
        let info = graph.lookup(name).and_then(|t| graph.tensor(t).ok());
        let problem = match info.map(|info| &info.kind) {
            Some(TensorKind::Input) => format!("{name:?} is an input; expected the result of a layer"),
            Some(TensorKind::Coefficient(_)) => format!("{name:?} is a coefficient; expected the result of a layer"),
            Some(_) => continue,
            None => {
                let results = graph.tensors().filter(|(_, info)| info.kind == TensorKind::Value);
                let hint = did_you_mean(name, results.map(|(_, info)| info.name.as_str()));
                format!("the network has no tensor {name:?}{hint}")
            }
        };
        return Err(Error::format(path, format!("line {line}: {problem}")));
    }
    Ok(text)
}
