//! Comparison of calibration tables.
use super::{Entry, Table};

/// A tensor of two tables, or of one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The tensor's name.
    pub tensor: String,
    /// What the tables say of it.
    pub entries: (Option<Entry>, Option<Entry>),
}

impl Difference {
    /// The second threshold divided by the first, if both tables have one.
    pub fn ratio(&self) -> Option<f32> {
        let (first, second) = (self.entries.0?, self.entries.1?);
        Some(second.threshold / first.threshold)
    }
}

/// Returns what two tables say of each tensor, in the first table's order, then those that only the second one has.
///
/// ```
/// use tpulang::calibrate::{Table, differences};
/// let (a, b) = (Table::parse("x 1 -1 1\ny 2 0 2")?, Table::parse("y 3 0 3\nz 1 0 1")?);
/// let found = differences(&a, &b);
/// assert_eq!(found.iter().map(|d| (d.tensor.as_str(), d.ratio())).collect::<Vec<_>>(), [("x", None), ("y", Some(1.5)), ("z", None)]);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub fn differences(first: &Table, second: &Table) -> Vec<Difference> {
    let only_second = second.entries.keys().filter(|name| !first.entries.contains_key(*name));
    let difference = |tensor: &String| Difference {
        tensor: tensor.clone(),
        entries: (first.entries.get(tensor).copied(), second.entries.get(tensor).copied()),
    };
    first.entries.keys().chain(only_second).map(difference).collect()
}
