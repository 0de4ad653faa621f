//! Warnings about a spec, and the places of those about its graph.
use super::{
    node::{Fields, Node},
    read::{OP_KEYS, Reader, out_names},
};
use crate::base::{Place, Result, Warning, WarningKind, escaped_path};

impl<'a> Reader<'a> {
    /// Warns of arrays that nothing uses, and attaches places to the warnings about the graph.
    ///
    /// # Errors
    /// Returns an error if the document is not valid, which has been reported before.
    pub(super) fn warn(&mut self, fields: &Fields<'a>) -> Result<()> {
        if let Some(node) = fields.get("weights") {
            let unused = self.weights.unused(&self.graph);
            for (array, path) in unused {
                let kind = WarningKind::UnusedArray { array, file: escaped_path(&path) };
                self.graph.warn(Warning::new(kind).at(Some(node.place())));
            }
        }
        let names = self.graph.warnings();
        let names = names.iter().filter(|w| w.place().is_none()).filter_map(|w| w.kind().tensor());
        let names: Vec<String> = names.map(str::to_owned).collect();
        for name in names {
            if let Some(place) = place_of(fields, &name)? {
                self.graph.locate(&name, place);
            }
        }
        Ok(())
    }
}

/// Returns the place where a tensor is declared, or the operator that computes it. Those of functions and repetitions have
/// none.
fn place_of(fields: &Fields, name: &str) -> Result<Option<Place>> {
    let declared = fields.get("tensors").map_or(Ok(Vec::new()), Node::entries)?;
    if let Some((_, node)) = declared.iter().find(|(key, _)| key == name) {
        return Ok(Some(node.place()));
    }
    let operators = fields.get("ops").map_or(Ok(Vec::new()), Node::list)?;
    for node in operators.iter().filter(|node| node.text().contains(name)) {
        let names = node.fields(&OP_KEYS).and_then(|fields| out_names(&fields));
        if names.is_ok_and(|names| names.is_some_and(|names| names.iter().any(|out| out == name))) {
            return Ok(Some(node.place()));
        }
    }
    Ok(None)
}
