//! Calibration tables of the tool chain.
use crate::base::{Error, Result, escaped, files, invalid};
use indexmap::IndexMap;
use std::{fmt, io::Write, path::Path};

/// Maximum size of a table in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The smallest threshold that the 7 decimals of a table represent.
pub(crate) const MIN_THRESHOLD: f32 = 1e-7;

/// The line before the entries.
const HEADING: &str = "# op_name    threshold    min    max";
/// The line before the thresholds of 4-bit tensors.
const INT4: &str = "#int4_th";
/// The line before the names of asymmetric tensors.
const ASYMMETRIC: &str = "#asym_op";

/// The numbers that a tensor's integers represent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The absolute value that the largest integer represents.
    pub threshold: f32,
    /// The smallest number, which the smallest integer of an asymmetric tensor represents.
    pub min: f32,
    /// The largest number.
    pub max: f32,
}

/// A calibration table: what `model_deploy --calibration_table` takes.
///
/// ```
/// use tpulang::calibrate::Table;
/// let table = Table::parse("# made by hand\nx 1.5 -1.5 1.25\n\n#asym_op\nx\n")?;
/// assert_eq!(table.entries["x"].threshold, 1.5);
/// assert_eq!(table.asymmetric, ["x"]);
/// assert!(Table::parse("x 1.5 -1.5").is_err());
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Lines before the entries, without their `#`.
    pub comments: Vec<String>,
    /// The tensors, by name.
    pub entries: IndexMap<String, Entry>,
    /// Tensors that have other thresholds if they become 4-bit integers.
    pub int4: IndexMap<String, Entry>,
    /// Tensors whose integers represent the numbers from the smallest to the largest, with a zero point.
    pub asymmetric: Vec<String>,
}

impl Entry {
    /// Returns the entry of a tensor with these numbers, whose threshold is the largest absolute value.
    pub(crate) fn of(numbers: &[f32]) -> Entry {
        let min = numbers.iter().copied().fold(0.0, f32::min);
        let max = numbers.iter().copied().fold(0.0, f32::max);
        Entry { threshold: max.max(-min), min, max }.in_decimals()
    }

    /// Returns the entry as a file has it, with 7 decimals. A negative minimum that rounds to 0 becomes 0.
    fn in_decimals(self) -> Entry {
        // -0.0 becomes 0.0.
        let decimal = |x: f32| format!("{x:.7}").parse().unwrap_or(x) + 0.0;
        Entry { threshold: decimal(self.threshold), min: decimal(self.min), max: decimal(self.max) }
    }
}

/// How the comment with the network's name begins.
pub(crate) const NETWORK: &str = "network: ";

impl Table {
    /// The name of the network that the table was made for, if a comment has it, as in tables of `calibrate`.
    ///
    /// ```
    /// use tpulang::calibrate::Table;
    /// assert_eq!(Table::parse("# network: net\nx 1 -1 1")?.network(), Some("net"));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn network(&self) -> Option<&str> {
        self.comments.iter().find_map(|comment| comment.strip_prefix(NETWORK))
    }

    /// Returns a table with these entries, rounded to the 7 decimals of a file, so that reading what [`Table::write`] has written
    /// gives the same table.
    ///
    /// ```
    /// use tpulang::calibrate::{Entry, Table};
    /// let table = Table::new([("x".to_owned(), Entry { threshold: 1.0, min: -1e-9, max: 1.0 })].into_iter().collect());
    /// assert!(!table.entries["x"].min.is_sign_negative());
    /// assert_eq!(Table::parse(&table.to_string())?, table);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn new(entries: IndexMap<String, Entry>) -> Table {
        let entries = entries.into_iter().map(|(name, entry)| (name, entry.in_decimals())).collect();
        Table { entries, ..Table::default() }
    }

    /// Multiplies the threshold of a tensor.
    pub(crate) fn scale(&mut self, name: &str, factor: f64) {
        if let Some(entry) = self.entries.get_mut(name) {
            let threshold = (f64::from(entry.threshold) * factor) as f32;
            *entry = Entry { threshold, ..*entry }.in_decimals();
        }
    }

    /// Reads a table of the tool chain or of [`Table::write`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is no table.
    pub fn read(path: impl AsRef<Path>) -> Result<Table> {
        let path = path.as_ref();
        let bytes = files::read(path, MAX_FILE)?;
        let text =
            str::from_utf8(&bytes).map_err(|_| Error::format(path, "a calibration table is text; this is not"))?;
        Table::parse(text).map_err(|e| Error::format(path, e))
    }

    /// Reads the text of a table.
    ///
    /// # Errors
    /// Returns an error that names the line that is no entry.
    pub fn parse(text: &str) -> Result<Table> {
        enum Section {
            Entries,
            Int4,
            Asymmetric,
            Other,
        }
        let (mut table, mut section) = (Table::default(), Section::Entries);
        for (i, line) in text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()) {
            let wrong = |problem: String| invalid(format!("line {}: {problem}", i + 1));
            match (line, &section) {
                (INT4, _) => section = Section::Int4,
                (ASYMMETRIC, _) => section = Section::Asymmetric,
                _ if line.starts_with("#weight_scale") => section = Section::Other,
                _ if line.starts_with('#') => {
                    if table.entries.is_empty() && line != HEADING {
                        table.comments.push(line.trim_start_matches('#').trim_start().to_owned());
                    }
                }
                (_, Section::Asymmetric) => table.asymmetric.push(line.to_owned()),
                (_, Section::Other) => {}
                (_, Section::Entries | Section::Int4) => {
                    let (name, entry) = entry(line).map_err(wrong)?;
                    let of = if matches!(section, Section::Int4) { &mut table.int4 } else { &mut table.entries };
                    if of.insert(name.to_owned(), entry).is_some() {
                        return Err(wrong(format!("{name:?} is already listed on an earlier line")));
                    }
                }
            }
        }
        match table.entries.is_empty() {
            true => Err(invalid("it has no line with a tensor's name, threshold, min and max")),
            false => Ok(table),
        }
    }

    /// Writes the table to a file.
    ///
    /// # Errors
    /// Returns an error if a name has a space or the file cannot be written; an earlier one is kept then.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let names = self.entries.keys().chain(self.int4.keys()).chain(&self.asymmetric);
        Table::check_names(names.map(String::as_str))?;
        files::replace(path, |file| file.write_all(self.to_string().as_bytes()).map_err(Error::io(path)))
    }

    /// Checks that a table can have tensors of these names.
    ///
    /// # Errors
    /// Returns an error that names the first one with a space, since spaces separate a table's columns, or with the `#` of a comment.
    ///
    /// ```
    /// use tpulang::calibrate::Table;
    /// Table::check_names(["conv1/weight"])?;
    /// assert!(Table::check_names(["conv1 weight"]).is_err());
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn check_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        match names.into_iter().find(|name| !is_table_name(name)) {
            Some(name) => Err(invalid(not_in_table("calibration table", "tensor", name))),
            None => Ok(()),
        }
    }
}

/// Says that a table cannot have a name, if it is not a [table name](is_table_name).
pub(crate) fn not_in_table(table: &str, what: &str, name: &str) -> String {
    let name = escaped(name);
    format!("a {table} cannot have the {what} \"{name}\": spaces separate its columns, and # begins a comment")
}

/// Whether a table of words separated by spaces, with comments after `#`, can have this name.
pub(crate) fn is_table_name(name: &str) -> bool {
    !(name.is_empty() || name.starts_with('#') || name.contains(char::is_whitespace))
}

/// Reads a line of a table.
fn entry(line: &str) -> Result<(&str, Entry), String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [name, numbers @ ..] = fields.as_slice() else { return Err("it is empty".to_owned()) };
    let number = |text: &str| {
        text.parse::<f32>().ok().filter(|v| v.is_finite()).ok_or(format!("{:?} is not a finite number", escaped(text)))
    };
    let [threshold, min, max] = numbers else {
        let (expected, n) = ("expected a name, a threshold, the smallest and the largest number", fields.len());
        return Err(format!("{expected}; found {n} words"));
    };
    let entry = Entry { threshold: number(threshold)?, min: number(min)?, max: number(max)? };
    match entry {
        Entry { threshold, .. } if threshold <= 0.0 => {
            Err(format!("the threshold is {threshold}; expected a positive one"))
        }
        Entry { threshold, .. } if threshold < MIN_THRESHOLD => {
            Err(format!("the threshold is {threshold:e}; expected at least {MIN_THRESHOLD:e}: tables have 7 decimals"))
        }
        Entry { min, max, .. } if min > max => Err(format!("the smallest number, {min}, is above the largest, {max}")),
        _ => Ok((name, entry)),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for comment in &self.comments {
            writeln!(f, "# {}", escaped(comment))?;
        }
        writeln!(f, "{HEADING}")?;
        let lines = |entries: &IndexMap<String, Entry>, f: &mut fmt::Formatter| {
            entries.iter().try_for_each(|(name, Entry { threshold, min, max })| {
                writeln!(f, "{name} {threshold:.7} {min:.7} {max:.7}")
            })
        };
        lines(&self.entries, f)?;
        if !self.int4.is_empty() {
            writeln!(f, "\n{INT4}")?;
            lines(&self.int4, f)?;
        }
        if !self.asymmetric.is_empty() {
            writeln!(f, "\n{ASYMMETRIC}")?;
            self.asymmetric.iter().try_for_each(|name| writeln!(f, "{name}"))?;
        }
        Ok(())
    }
}
