//! The arrays that runs are fed.
use super::{
    Backend, Session,
    plan::{TensorEntry, TensorIndex},
};
use crate::{
    array::{Array, as_declared},
    base::{Dtype, Error, MAX_ERRORS, Result, Warning, WarningKind, Warnings, argument, invalid, misfit, shape_text},
};
use indexmap::IndexMap;
use std::collections::HashMap;

/// Input arrays by name.
pub trait Feeds {
    /// Names and arrays.
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)>;
}
impl Feeds for IndexMap<String, Array> {
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.iter().map(|(n, a)| (n.as_str(), a))
    }
}
impl<S: AsRef<str>> Feeds for [(S, Array)] {
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.iter().map(|(n, a)| (n.as_ref(), a))
    }
}
impl<S: AsRef<str>, const N: usize> Feeds for [(S, Array); N] {
    fn feeds(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.as_slice().iter().map(|(n, a)| (n.as_ref(), a))
    }
}

impl<B: Backend> Session<B> {
    /// Returns a remark for each feed that a run converts: int64, uint64, float64, bool, float16 and bfloat16, where the
    /// values fit ([`Array::fitted`]).
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.abs(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// let feeds = [("x", Array::from([1f64, -2.0]))];
    /// let remarks = session.conversions(&feeds);
    /// assert_eq!(remarks.iter().next().unwrap().to_string(), "\"x\" is stored as float64, and is converted to float32");
    /// assert_eq!(session.run(&feeds)?["y"].to_f64()?, [1.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn conversions(&self, feeds: &(impl Feeds + ?Sized)) -> Warnings {
        let mut all = Warnings::default();
        for (name, array) in feeds.feeds() {
            let Some(entry) = self.names.get(name).and_then(|t| self.network.entry(t).ok()) else { continue };
            let (from, to) = (array.dtype(), entry.ty.dtype);
            if array.fitted(to).is_some() {
                all.push(Warning::new(WarningKind::Converted { tensor: name.to_owned(), from, to }));
            }
        }
        all
    }

    /// Returns the fed arrays by tensor, in the tensors' dtypes.
    pub(super) fn known_feeds(&self, feeds: &(impl Feeds + ?Sized)) -> Result<HashMap<TensorIndex, Array>> {
        let (mut errors, mut checked) = (Vec::new(), HashMap::new());
        for (name, array) in feeds.feeds() {
            let fed = self.find("input", name).and_then(|t| Ok((t, checked_feed(self.network.entry(t)?, array)?)));
            match fed {
                Ok((tensor, array)) => {
                    if checked.insert(tensor, array).is_some() {
                        errors
                            .push(invalid(format!("the array fed to {name:?} is given twice; expected one per input")));
                    }
                }
                Err(e) => errors.push(e),
            }
            if errors.len() > MAX_ERRORS {
                break;
            }
        }
        // A missing input may be a misspelled one, which is already reported.
        Error::collect(errors)?;
        Ok(checked)
    }

    /// Like [`Session::known_feeds`], for feeds that must not replace the network by mistake.
    pub(super) fn checked_feeds(&self, feeds: &(impl Feeds + ?Sized)) -> Result<HashMap<TensorIndex, Array>> {
        let known = self.known_feeds(feeds)?;
        self.check_cut(&known)?;
        Ok(known)
    }

    /// Returns what a run is fed, by name, with the dtypes of the tensors.
    ///
    /// # Errors
    /// Returns an error if an array does not fit, or an input is not fed.
    #[doc(hidden)]
    pub fn fed(&self, feeds: &(impl Feeds + ?Sized)) -> Result<Vec<(String, Array)>> {
        let known = self.checked_feeds(feeds)?;
        if let Some(missing) = self.network.inputs.iter().find(|t| !known.contains_key(*t)) {
            return Err(self.network.entry(*missing)?.not_fed());
        }
        known.into_iter().map(|(t, array)| Ok((self.network.entry(t)?.ty.name.clone(), array))).collect()
    }

    /// Checks that results of operators are fed on purpose. Beside all inputs they are more likely those of an earlier run,
    /// which would replace the network.
    fn check_cut(&self, fed: &HashMap<TensorIndex, Array>) -> Result<()> {
        let is_result = |t: &TensorIndex| self.network.made_by.get(t.0).is_some_and(Option::is_some);
        let mut inputs = self.network.inputs.iter();
        let unexpected = fed.keys().filter(|t| is_result(t) && !self.inputs.contains(t)).min();
        match unexpected {
            Some(result) if inputs.len() > 0 && inputs.all(|input| fed.contains_key(input)) => {
                let problem = "it is computed from the inputs, which are fed too; leave it out, or list in the session's \
                               option `fed` what replaces results";
                Err(misfit(format!("the array fed to {:?}:", self.network.entry(*result)?.ty.name), problem))
            }
            _ => Ok(()),
        }
    }
}

/// Checks the shape and dtype of a feed; any float may be fed as float32, and float16 as its bits. Dtypes that no tensor has
/// are converted.
pub(super) fn checked_feed(entry: &TensorEntry, array: &Array) -> Result<Array> {
    let ty = &entry.ty;
    // A number without axes is that of a tensor of one.
    let single = (array.shape().is_empty() && ty.shape == [1]).then(|| array.reshaped([1])).transpose()?;
    let array = single.as_ref().unwrap_or(array);
    if array.shape() == ty.shape {
        if array.dtype() == Dtype::Float32 && ty.dtype.is_float() {
            return ty.buffered(array);
        }
        if let Ok(fitted) = as_declared(array.clone(), ty.dtype, &ty.shape) {
            let buffered = ty.buffered(&fitted);
            let is_given = array.source_path().is_none() && fitted.stored_dtype() != fitted.dtype();
            return buffered
                .map_err(|e| if is_given { misfit(format!("the array fed to {:?}:", ty.name), e) } else { e });
        }
    }
    let found = format!("{} {}", shape_text(array.shape()), array.dtype());
    let or = if ty.dtype.is_float() && ty.dtype != Dtype::Float32 { " (or float32)" } else { "" };
    let hint = match (array.shape(), ty.shape.as_slice()) {
        (&[n, h, w, c], expected) if [n, c, h, w] == *expected => "; it seems to be NHWC: transpose it to NCHW",
        (found, expected) if found == expected && ty.dtype.is_float() && !array.dtype().is_float() => {
            "; convert it first, and normalize it as the network expects"
        }
        _ => "",
    };
    let expected = format!("the input is {}{or}{hint}", entry.type_text);
    Err(argument(format!("the array fed to {:?}", ty.name), found, expected))
}
