//! Which of cuBLASLt and cuDNN are used, and why not.
use super::{cublaslt::Blas, cudnn::Dnn, device::failure, driver::Gpu, libraries::Library};
use crate::base::{Result, argument};
use std::{
    env,
    sync::{Arc, OnceLock},
};

/// What of the libraries is used, for tests: `cublaslt`, `cudnn`, both with a comma between, or `none`. What is named must be
/// there.
const CHOICE: &str = "TPULANG_LIBRARIES";

/// Which of the libraries are used.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    /// Those that are there.
    Any,
    /// These, which must be there.
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
                let expected = "expected cublaslt, cudnn, both with a comma between, or none";
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

/// The libraries, opened when something asks for them.
pub(super) struct MathLibraries {
    gpu: Arc<Gpu>,
    choice: Choice,
    tf32: bool,
    blas: OnceLock<Opened<Blas>>,
    dnn: OnceLock<Opened<Dnn>>,
}

/// A library, or why there is none.
type Opened<T> = std::result::Result<Arc<T>, String>;

impl MathLibraries {
    /// # Errors
    /// The environment asks for what is not known, or not there.
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
    /// Products of matrices, if they may be asked for.
    pub fn blas(&self) -> Option<&Arc<Blas>> {
        if self.uses(Library::CublasLt) { self.opened_blas().as_ref().ok() } else { None }
    }
    /// Convolutions, if they may be asked for.
    pub fn dnn(&self) -> Option<&Arc<Dnn>> {
        if self.uses(Library::Cudnn) { self.opened_dnn().as_ref().ok() } else { None }
    }
    /// Whether one was asked for, and is there.
    pub fn is_any_open(&self) -> bool {
        self.blas.get().is_some_and(|opened| opened.is_ok()) || self.dnn.get().is_some_and(|opened| opened.is_ok())
    }
    /// Why what was asked for was not there, in a sentence each.
    pub fn missing(&self) -> Vec<String> {
        let blas = self.blas.get().and_then(|b| b.as_ref().err());
        let dnn = self.dnn.get().and_then(|d| d.as_ref().err());
        blas.into_iter().chain(dnn).cloned().collect()
    }
}
