//! A network in a file or a notebook.
use crate::{
    Network,
    base::{Error, Result, argument, files},
    graph::Graph,
};
use std::{io::Write, path::Path};

/// Writes a network to a file in the form of its extension: a page for a browser (`.html`), or a drawing (`.svg`, `.dot`).
/// The file is replaced once it is complete.
///
/// ```
/// # use tpulang::{Dtype, Graph, show};
/// # let folder = tempfile::tempdir().unwrap();
/// let mut g = Graph::new("net")?;
/// let x = g.input("x", Dtype::Float32, [2, 3])?;
/// g.relu(x).call()?;
/// show::write(&g, folder.path().join("net.html"))?;
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the file has another extension or cannot be written, or if data of a coefficient cannot be read.
pub fn write(graph: &Graph, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let mut network = Network::new(graph);
    let text = match path.extension().and_then(|e| e.to_str()) {
        Some("html") => {
            network.read_statistics()?;
            network.html(None)
        }
        Some("svg") => network.svg(None),
        Some("dot") => network.dot(None),
        _ => return Err(argument("the file", path.display(), "expected a name that ends in .html, .svg or .dot")),
    };
    files::replace(path, |file| file.write_all(text.as_bytes()).map_err(Error::io(path)))
}

/// Most parameters of which a frame has statistics, since notebooks show one after every cell that ends in a graph.
const MAX_READ: usize = 20_000_000;

/// Returns the page of a network in a frame of HTML, for notebooks.
///
/// # Errors
/// Returns an error if data of a coefficient cannot be read.
pub fn frame(graph: &Graph) -> Result<String> {
    let mut network = Network::new(graph);
    if graph.parameters() <= MAX_READ {
        network.read_statistics()?;
    }
    let page = network.html(None).replace('&', "&amp;").replace('"', "&quot;");
    let style = "width: 100%; height: 620px; border: 1px solid #8886; border-radius: 8px";
    Ok(format!("<iframe srcdoc=\"{page}\" style=\"{style}\" title=\"{}\"></iframe>", graph.name()))
}
