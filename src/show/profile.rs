//! Times of operators from `tpulang run --profile=json`.
use crate::{
    base::{Error, Result, files},
    network::Network,
};
use serde::Deserialize;
use std::{collections::HashMap, path::Path};

/// Maximum size of a profile in bytes.
const MAX_PROFILE: u64 = 256 << 20;

/// The times of a run's steps, as `tpulang run --profile=json` prints them.
#[derive(Debug, Deserialize)]
pub struct Profile {
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    /// The first output.
    name: String,
    ms: f64,
}

impl Profile {
    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a profile.
    pub fn read(path: impl AsRef<Path>) -> Result<Profile> {
        let path = path.as_ref();
        let bytes = files::read(path, MAX_PROFILE)?;
        serde_json::from_slice(&bytes).map_err(|e| {
            let problem = format!("this is not a profile as `tpulang run --profile=json` prints it: {e}");
            Error::format(path, problem)
        })
    }
}

impl Network<'_> {
    /// Sets the times of the operators. A step of several fused operators counts for the one that computes its result.
    /// Returns the number of steps that compute no tensor of the network.
    ///
    /// # Errors
    /// Returns an error if there are steps, but none of this network.
    pub fn set_profile(&mut self, profile: &Profile) -> Result<usize> {
        let mut by_name = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let names = node.operator.outputs().filter_map(|t| self.tensor(t));
            by_name.extend(names.map(|info| (info.name.as_str(), index)));
        }
        let found: Vec<_> =
            profile.steps.iter().map(|step| (by_name.get(step.name.as_str()).copied(), step.ms)).collect();
        let unknown = found.iter().filter(|(node, _)| node.is_none()).count();
        if unknown == found.len() && unknown > 0 {
            let first = &profile.steps[0].name;
            return Err(Error::new(format!(
                "the profile is of another network: none of its {unknown} steps, such as {first:?}, computes a tensor of {:?}",
                self.graph.name()
            )));
        }
        for (node, ms) in found.into_iter().filter(|(_, ms)| ms.is_finite() && *ms >= 0.0) {
            let Some(node) = node.and_then(|index| self.nodes.get_mut(index)) else { continue };
            node.costs.time = Some(node.costs.time.unwrap_or(0.0) + ms);
            let mut group = Some(node.group);
            while let Some(id) = group {
                let of = &mut self.groups[id.0];
                of.costs.time = Some(of.costs.time.unwrap_or(0.0) + ms);
                group = of.parent;
            }
        }
        Ok(unknown)
    }
}
