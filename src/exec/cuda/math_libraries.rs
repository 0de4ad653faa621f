//! Decides whether cuBLASLt and cuDNN are used, and explains why not.
use super::{cublaslt::Blas, cudnn::Dnn, device::failure, driver::Gpu, libraries::Library};
use crate::base::{Result, argument};
use std::{
    env,
    sync::{Arc, OnceLock},
};

/// Selects the libraries, for tests: `cublaslt`, `cudnn`, both separated by a comma, or `none`. Selected libraries are
/// required.
const CHOICE: &str = "TPULANG_LIBRARIES";

/// The selected libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    /// Any libraries that are installed.
    Any,
    /// Only these libraries, which are required.
    Only(Vec<Library>),
}

impl Choice {
    fn of_environment() -> Result<Choice> {
        let Some(text) = env::var_os(CHOICE) else { return Ok(Choice::Any) };
        let text = text.to_string_lossy();
        let named = |name: &str| match name.trim() {
            "cublaslt" => Ok(Library::CublasLt),
            "cudnn" => Ok(Library::Cudnn),
            other => {
                let expected = "expected cublaslt, cudnn, both separated by a comma, or none";
                Err(argument(format!("the environment variable {CHOICE}"), other, expected))
            }
        };
        match text.trim() {
            "" => Ok(Choice::Any),
            "none" => Ok(Choice::Only(Vec::new())),
            list => Ok(Choice::Only(list.split(',').map(named).collect::<Result<_>>()?)),
        }
    }
}

/// The libraries, opened on first use.
pub(super) struct MathLibraries {
    gpu: Arc<Gpu>,
    choice: Choice,
    tf32: bool,
    blas: OnceLock<Opened<Blas>>,
    dnn: OnceLock<Opened<Dnn>>,
}

/// An open library, or the reason why it cannot be used.
type Opened<T> = std::result::Result<Arc<T>, String>;

impl MathLibraries {
    /// # Errors
    /// Returns an error if the environment variable is invalid, or a required library is missing.
    pub fn new(gpu: Arc<Gpu>, tf32: bool) -> Result<MathLibraries> {
        let choice = Choice::of_environment()?;
        let calls = MathLibraries { gpu, choice, tf32, blas: OnceLock::new(), dnn: OnceLock::new() };
        if let Choice::Only(list) = &calls.choice {
            let refused = |problem: String| failure(&format!("the environment variable {CHOICE}"), problem);
            if list.contains(&Library::CublasLt) {
                calls.opened_blas().as_ref().map_err(|e| refused(e.clone()))?;
            }
            if list.contains(&Library::Cudnn) {
                calls.opened_dnn().as_ref().map_err(|e| refused(e.clone()))?;
            }
        }
        Ok(calls)
    }
    fn uses(&self, library: Library) -> bool {
        match &self.choice {
            Choice::Any => true,
            Choice::Only(list) => list.contains(&library),
        }
    }
    fn opened_blas(&self) -> &Opened<Blas> {
        self.blas.get_or_init(|| Blas::new(self.gpu.clone(), self.tf32).map(Arc::new).map_err(|e| e.to_string()))
    }
    fn opened_dnn(&self) -> &Opened<Dnn> {
        self.dnn.get_or_init(|| Dnn::new(self.gpu.clone(), self.tf32).map(Arc::new).map_err(|e| e.to_string()))
    }
    /// Returns cuBLASLt, if it is selected and installed.
    pub fn blas(&self) -> Option<&Arc<Blas>> {
        if self.uses(Library::CublasLt) { self.opened_blas().as_ref().ok() } else { None }
    }
    /// Returns cuDNN, if it is selected and installed.
    pub fn dnn(&self) -> Option<&Arc<Dnn>> {
        if self.uses(Library::Cudnn) { self.opened_dnn().as_ref().ok() } else { None }
    }
    /// Whether a library has been opened.
    pub fn is_any_open(&self) -> bool {
        self.blas.get().is_some_and(|opened| opened.is_ok()) || self.dnn.get().is_some_and(|opened| opened.is_ok())
    }
    /// Returns why needed libraries could not be opened, one sentence each.
    pub fn missing(&self) -> Vec<String> {
        let blas = self.blas.get().and_then(|b| b.as_ref().err());
        let dnn = self.dnn.get().and_then(|d| d.as_ref().err());
        blas.into_iter().chain(dnn).cloned().collect()
    }
}
