//! Matrix products by cuBLASLt.
use super::{
    device::{Address, LIBRARY_ALIGNMENT, failure},
    driver::Gpu,
    float::Float,
    libraries::{self, Library},
    library_call::{self, DISABLE_HINT, LibraryCall, WORKSPACE},
};
use crate::base::Result;
use cudarc::cublaslt::{
    result::{self, CublasError},
    sys::{self, cublasLtMatmulDescAttributes_t as Attribute, cublasLtMatmulPreferenceAttributes_t as Preference},
};
use std::{
    ffi::c_void,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

type Handle<T> = library_call::Handle<T, CublasError>;

/// The library's name in messages.
const NAME: &str = "cuBLASLt";

/// The allowed reductions of partial sums: in float32 and in a fixed order.
const REDUCTIONS: u32 = sys::cublasLtReductionScheme_t::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as u32;

/// An open library, for one GPU.
pub(super) struct Blas {
    /// Declared before the GPU, so that it is dropped first.
    handle: Handle<sys::cublasLtHandle_t>,
    gpu: Arc<Gpu>,
    tf32: bool,
}

/// A strided batch of row-major products of an m x k and a k x n matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatmulShape {
    pub m: usize,
    pub k: usize,
    pub n: usize,
    /// Whether the matrix is stored transposed.
    pub left_transposed: bool,
    pub right_transposed: bool,
    pub count: usize,
    /// The batch strides of the left and the right matrix in elements.
    pub strides: [i64; 2],
    /// The type of the operands.
    pub float: Float,
    /// The type of the result and the bias.
    pub to: Float,
    /// Whether a per-column bias is added.
    pub has_bias: bool,
}

impl fmt::Display for MatmulShape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let MatmulShape { m, k, n, count, has_bias, .. } = self;
        let products = if *count == 1 { "a product".into() } else { format!("{count} products") };
        let bias = if *has_bias { ", with bias" } else { "" };
        write!(f, "{products} of {m}x{k} and {k}x{n}{bias}")
    }
}

fn refused(e: CublasError) -> crate::base::Error {
    failure(NAME, format!("{:?}", e.0))
}

/// Returns the bytes of an attribute.
fn bytes<T>(value: &T) -> (*const c_void, usize) {
    (std::ptr::from_ref(value).cast(), size_of::<T>())
}

impl Blas {
    /// # Errors
    /// Returns an error if the library is missing or cannot be opened.
    pub fn new(gpu: Arc<Gpu>, tf32: bool) -> Result<Blas> {
        libraries::require(Library::CublasLt)?;
        gpu.enter()?;
        let handle = result::create_handle().map_err(refused)?;
        // SAFETY: it was created above, and is not shared.
        Ok(Blas { handle: unsafe { Handle::new(handle, result::destroy_handle) }, gpu, tf32 })
    }

    /// Selects the algorithm for a product.
    ///
    /// # Errors
    /// Returns an error if the library has no algorithm.
    pub fn plan(self: &Arc<Self>, p: MatmulShape) -> Result<BlasCall> {
        self.gpu.enter()?;
        let operation = self.operation(&p)?;
        // The library is column-major: it multiplies the transposed matrices in the other order.
        let layout =
            |float: Float, [rows, columns]: [usize; 2], step: i64| matrix(float, [columns, rows], (p.count, step));
        let transposed = |is: bool, [rows, columns]: [usize; 2]| if is { [columns, rows] } else { [rows, columns] };
        let right = layout(p.float, transposed(p.right_transposed, [p.k, p.n]), p.strides[1])?;
        let left = layout(p.float, transposed(p.left_transposed, [p.m, p.k]), p.strides[0])?;
        let out = layout(p.to, [p.m, p.n], (p.m * p.n) as i64)?;
        let preference = preference()?;
        // SAFETY: all of them were created above and are alive.
        let found = unsafe {
            let (a, b, c) = (right.raw(), left.raw(), out.raw());
            result::get_matmul_algo_heuristic(self.handle.raw(), operation.raw(), a, b, c, c, preference.raw())
        };
        let found = found.map_err(refused)?;
        let (algorithm, workspace) = (found.algo, found.workspaceSize as u64);
        let operation = Mutex::new(operation);
        Ok(BlasCall { blas: self.clone(), product: p, operation, right, left, out, algorithm, workspace })
    }

    fn operation(&self, p: &MatmulShape) -> Result<Handle<sys::cublasLtMatmulDesc_t>> {
        use cudarc::cublas::sys::cublasOperation_t as Operation;
        use sys::{cublasComputeType_t as Compute, cublasLtEpilogue_t as Epilogue};
        let compute = match (p.float, self.tf32) {
            (Float::Single, true) => Compute::CUBLAS_COMPUTE_32F_FAST_TF32,
            _ => Compute::CUBLAS_COMPUTE_32F,
        };
        let made = result::create_matmul_desc(compute, sys::cudaDataType_t::CUDA_R_32F).map_err(refused)?;
        // SAFETY: it was created above, and is not shared.
        let operation = unsafe { Handle::new(made, result::destroy_matmul_desc) };
        let epilogue = if p.has_bias { Epilogue::CUBLASLT_EPILOGUE_BIAS } else { Epilogue::CUBLASLT_EPILOGUE_DEFAULT };
        let of = |transposed: bool| if transposed { Operation::CUBLAS_OP_T } else { Operation::CUBLAS_OP_N } as i32;
        set(&operation, Attribute::CUBLASLT_MATMUL_DESC_TRANSA, of(p.right_transposed))?;
        set(&operation, Attribute::CUBLASLT_MATMUL_DESC_TRANSB, of(p.left_transposed))?;
        set(&operation, Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue as u32)?;
        if p.has_bias {
            // Algorithms may depend on the alignment of the bias; this address has the guaranteed alignment.
            set(&operation, Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, LIBRARY_ALIGNMENT as usize)?;
        }
        Ok(operation)
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // The handle must be destroyed in the GPU's context.
        let _ = self.gpu.enter();
    }
}

fn set<T>(operation: &Handle<sys::cublasLtMatmulDesc_t>, attribute: Attribute, value: T) -> Result<()> {
    let (value, size) = bytes(&value);
    // SAFETY: the descriptor is alive; the value is copied.
    unsafe { result::set_matmul_desc_attribute(operation.raw(), attribute, value, size) }.map_err(refused)
}

/// Creates the layout of a batch of column-major matrices.
fn matrix(
    float: Float,
    [rows, columns]: [usize; 2],
    (count, step): (usize, i64),
) -> Result<Handle<sys::cublasLtMatrixLayout_t>> {
    use sys::cublasLtMatrixLayoutAttribute_t as Layout;
    let kind = match float {
        Float::Single => sys::cudaDataType_t::CUDA_R_32F,
        Float::Half => sys::cudaDataType_t::CUDA_R_16F,
    };
    let made = result::create_matrix_layout(kind, rows as u64, columns as u64, rows as i64).map_err(refused)?;
    // SAFETY: it was created above, and is not shared.
    let layout = unsafe { Handle::new(made, result::destroy_matrix_layout) };
    let count = i32::try_from(count).map_err(|e| failure(NAME, e))?;
    for (attribute, (value, size)) in [
        (Layout::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, bytes(&count)),
        (Layout::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, bytes(&step)),
    ] {
        // SAFETY: the layout is alive; the value is copied.
        unsafe { result::set_matrix_layout_attribute(layout.raw(), attribute, value, size) }.map_err(refused)?;
    }
    Ok(layout)
}

fn preference() -> Result<Handle<sys::cublasLtMatmulPreference_t>> {
    let made = result::create_matmul_pref().map_err(refused)?;
    // SAFETY: it was created above, and is not shared.
    let preference = unsafe { Handle::new(made, result::destroy_matmul_pref) };
    for (attribute, (value, size)) in [
        (Preference::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, bytes(&WORKSPACE)),
        (Preference::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, bytes(&REDUCTIONS)),
        (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, bytes(&LIBRARY_ALIGNMENT)),
        (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, bytes(&LIBRARY_ALIGNMENT)),
        (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, bytes(&LIBRARY_ALIGNMENT)),
        (Preference::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, bytes(&LIBRARY_ALIGNMENT)),
    ] {
        // SAFETY: the preference is alive; the value is copied.
        unsafe { result::set_matmul_pref_attribute(preference.raw(), attribute, value, size) }.map_err(refused)?;
    }
    Ok(preference)
}

/// A prepared product. Its addresses are left, right, the bias if present, the result, and the workspace if needed.
pub(super) struct BlasCall {
    blas: Arc<Blas>,
    product: MatmulShape,
    /// Contains the address of the bias.
    operation: Mutex<Handle<sys::cublasLtMatmulDesc_t>>,
    right: Handle<sys::cublasLtMatrixLayout_t>,
    left: Handle<sys::cublasLtMatrixLayout_t>,
    out: Handle<sys::cublasLtMatrixLayout_t>,
    algorithm: sys::cublasLtMatmulAlgo_t,
    workspace: u64,
}

impl LibraryCall for BlasCall {
    fn run(&self, addresses: &[Address]) -> Result<()> {
        let mut addresses = addresses.iter().map(|a| a.0 as *mut c_void);
        let mut next = || addresses.next().unwrap_or(std::ptr::null_mut());
        let (left, right) = (next(), next());
        let bias = if self.product.has_bias { next() } else { std::ptr::null_mut() };
        let out = next();
        let workspace = if self.workspace > 0 { next() } else { std::ptr::null_mut() };
        self.blas.gpu.enter()?;
        let operation = self.operation.lock().unwrap_or_else(PoisonError::into_inner);
        if self.product.has_bias {
            set(&operation, Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)?;
        }
        let (one, zero) = (1f32, 0f32);
        // SAFETY: handle, descriptors and algorithm belong together. The program allocates memory for all elements of the
        // layouts, which lives until the stream has completed the call. The scalars are read before the call returns.
        let submitted = unsafe {
            result::matmul(
                self.blas.handle.raw(),
                operation.raw(),
                bytes(&one).0,
                bytes(&zero).0,
                right,
                self.right.raw(),
                left,
                self.left.raw(),
                out,
                self.out.raw(),
                out,
                self.out.raw(),
                &self.algorithm,
                workspace,
                self.workspace as usize,
                self.blas.gpu.current_stream().cast(),
            )
        };
        submitted.map_err(|e| failure(NAME, format!("{:?} ({DISABLE_HINT})", e.0)))
    }
    fn describe(&self) -> String {
        format!("cuBLASLt: {}", self.product)
    }
    fn workspace(&self) -> u64 {
        self.workspace
    }
}
