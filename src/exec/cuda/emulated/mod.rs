//! A device that is none: kernels compiled as C++ for this machine's CPU, their blocks, threads, warps and barriers emulated.
//! So the whole backend runs where there is no GPU, slowly, and what a kernel writes beside its memory is found.
use super::{
    cache,
    device::{Address, Device, Loaded, Value, failure},
    geometry::Geometry,
    source::Source,
};
use crate::{
    array::{available_memory, too_large},
    base::{Error, Result},
};
use libloading::Library;
use std::{
    alloc::{Layout, alloc, dealloc},
    collections::HashMap,
    ffi::{CString, c_char, c_int, c_void},
    fs,
    path::{Path, PathBuf},
    process::Command,
    slice,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};
use tempfile::TempDir;

const HEADER: &str = include_str!("emulated.h");

/// For messages.
const NAME: &str = "the emulated device";

/// Bytes around each allocation that nobody may write.
const GUARD: usize = 256;
const GUARDED: u8 = 0xff;

/// What every compiled kernel exports: the kinds of its arguments, pointers to them, and blocks and threads.
type Entry = unsafe extern "C" fn(*const c_char, *const *const c_void, *const u32) -> c_int;

struct Kernel {
    entry: Entry,
    name: String,
    _library: Library,
}

/// A CPU as a device.
pub(super) struct Emulated {
    compiler: String,
    /// Kernels on their way.
    folder: TempDir,
    files: AtomicUsize,
    kept: Option<PathBuf>,
    kernels: Mutex<(Vec<Kernel>, HashMap<Source, Loaded>)>,
    /// Sizes, by address.
    memory: Mutex<HashMap<u64, usize>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// With room for guards before and behind, and aligned as a GPU's.
fn layout(bytes: usize) -> Result<Layout> {
    let size = bytes.checked_next_multiple_of(GUARD).and_then(|n| n.checked_add(2 * GUARD));
    let layout = size.and_then(|n| Layout::from_size_align(n, GUARD).ok());
    layout.ok_or_else(|| too_large("an array".into(), bytes as u64, available_memory()))
}

impl Emulated {
    /// # Errors
    /// There is no C++ compiler.
    pub fn new() -> Result<Emulated> {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
        let folder = tempfile::tempdir().map_err(Error::io("a folder for compiled kernels"))?;
        let device = Emulated {
            compiler,
            folder,
            files: AtomicUsize::new(0),
            kept: cache::folder(),
            kernels: Mutex::default(),
            memory: Mutex::default(),
        };
        device.prepare_header()?;
        Ok(device)
    }

    /// The header, and its compiled form, which is kept as kernels are.
    fn prepare_header(&self) -> Result<()> {
        let (header, compiled) = (self.folder.path().join("emulated.h"), self.folder.path().join("emulated.h.gch"));
        fs::write(&header, HEADER).map_err(Error::io(&header))?;
        let (kept, name) = (self.kept.as_deref(), cache::hash([self.compiler.as_str(), "header", HEADER]));
        if let Some(bytes) = cache::read(kept, &name) {
            return fs::write(&compiled, bytes).map_err(Error::io(&compiled));
        }
        self.compile(&["-x", "c++-header", "emulated.h", "-o", "emulated.h.gch"])?;
        cache::keep(kept, &name, &fs::read(&compiled).map_err(Error::io(&compiled))?);
        Ok(())
    }

    fn compile(&self, arguments: &[&str]) -> Result<()> {
        let options = ["-std=c++17", "-O1", "-fPIC", "-ffp-contract=off", "-w"];
        let output =
            Command::new(&self.compiler).args(options).args(arguments).current_dir(self.folder.path()).output();
        let output = output.map_err(|e| {
            failure(
                NAME,
                format!(
                    "kernels are compiled by {}, which cannot be run: {e}; set CXX to a C++ compiler",
                    self.compiler
                ),
            )
        })?;
        if output.status.success() {
            return Ok(());
        }
        Err(failure(NAME, format!("{}:\n{}", self.compiler, String::from_utf8_lossy(&output.stderr))))
    }

    /// A kernel as a shared library.
    fn library(&self, source: &Source) -> Result<Vec<u8>> {
        let name = self.file_name();
        let (text, object) = (format!("{name}.cu"), format!("{name}.so"));
        let barriers = source.has_barriers();
        let whole = format!(
            "#include \"emulated.h\"\n{}\nTPULANG_ENTRY({barriers}, {})\n",
            source.text().replace("extern \"C\" __global__", "__global__"),
            source.function
        );
        let path = |file: &str| self.folder.path().join(file);
        fs::write(path(&text), whole).map_err(Error::io(path(&text)))?;
        let compiled = self.compile(&["-shared", "-x", "c++", &text, "-o", &object]);
        compiled.map_err(|e| failure(NAME, format!("{} of {}: {e}", source.function, source.file)))?;
        let bytes = fs::read(path(&object)).map_err(Error::io(path(&object)))?;
        [text, object].iter().for_each(|file| drop(fs::remove_file(path(file))));
        Ok(bytes)
    }

    /// A name for a file that no other thread has.
    fn file_name(&self) -> String {
        format!("kernel{}", self.files.fetch_add(1, Ordering::Relaxed))
    }

    fn open(&self, bytes: &[u8]) -> Result<(Entry, Library)> {
        let path = self.folder.path().join(format!("{}.so", self.file_name()));
        fs::write(&path, bytes).map_err(Error::io(&path))?;
        let problem = |e: libloading::Error| {
            let why = std::error::Error::source(&e).map(|e| format!(": {e}")).unwrap_or_default();
            failure(NAME, format!("{e}{why}"))
        };
        // SAFETY: the library is made of our own text by `library`, has no initialisers, and exports `entry` of this type;
        // what is kept on disk has a checksum, in a folder that is the user's own. It is unloaded with the device.
        let opened = unsafe {
            let library = Library::new(&path).map_err(problem)?;
            let entry = *library.get::<Entry>(c"entry").map_err(problem)?;
            (entry, library)
        };
        drop(fs::remove_file(&path));
        Ok(opened)
    }

    /// Whether something has written beside an allocation.
    fn check_guards(&self, address: u64, bytes: usize) -> Result<()> {
        let end = bytes.next_multiple_of(GUARD);
        // SAFETY: an allocation of `layout(bytes)` begins a guard before its address; it is alive, as the map has it.
        let (before, behind) = unsafe {
            let at = address as *const u8;
            (slice::from_raw_parts(at.sub(GUARD), GUARD), slice::from_raw_parts(at.add(bytes), end - bytes + GUARD))
        };
        if before.iter().chain(behind).all(|b| *b == GUARDED) {
            return Ok(());
        }
        Err(failure(NAME, format!("something has written beside {bytes} bytes of memory")))
    }

    /// The bytes from an address on, all of one allocation.
    fn check_range(&self, address: Address, bytes: usize) -> Result<()> {
        let memory = locked(&self.memory);
        let is_within =
            |(start, size): (&u64, &usize)| address.0 >= *start && address.0 - start + bytes as u64 <= *size as u64;
        if memory.iter().any(is_within) { Ok(()) } else { Err(failure(NAME, "a copy goes beside the memory")) }
    }
}

impl Device for Emulated {
    fn name(&self) -> String {
        "the CPU, which emulates a GPU".into()
    }
    fn allocate(&self, bytes: u64) -> Result<Address> {
        let available = available_memory();
        if bytes > available {
            return Err(too_large("an array".into(), bytes, available));
        }
        let bytes = bytes as usize;
        let layout = layout(bytes)?;
        // SAFETY: the size is not 0, having guards. All of it is written before it is used.
        let start = unsafe {
            let start = alloc(layout);
            if start.is_null() {
                return Err(too_large("an array".into(), bytes as u64, available));
            }
            start.write_bytes(GUARDED, layout.size());
            start
        };
        let address = start as u64 + GUARD as u64;
        locked(&self.memory).insert(address, bytes);
        Ok(Address(address))
    }
    fn free(&self, address: Address) {
        let Some(bytes) = locked(&self.memory).remove(&address.0) else { return };
        if let Ok(layout) = layout(bytes) {
            // SAFETY: it was allocated with this layout, a guard before the address, and is no longer in the map.
            unsafe { dealloc((address.0 - GUARD as u64) as *mut u8, layout) };
        }
    }
    fn available(&self) -> Result<u64> {
        Ok(available_memory())
    }
    fn write(&self, to: Address, from: &[u8]) -> Result<()> {
        self.check_range(to, from.len())?;
        // SAFETY: the range is of one allocation that is alive; `from` is none of ours.
        unsafe { (to.0 as *mut u8).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        Ok(())
    }
    fn read(&self, from: Address, to: &mut [u8]) -> Result<()> {
        self.check_range(from, to.len())?;
        // SAFETY: the range is of one allocation that is alive; `to` is none of ours.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from.0 as *const u8, to.len()) };
        Ok(())
    }
    fn load(&self, source: &Source) -> Result<Loaded> {
        if let Some(loaded) = locked(&self.kernels).1.get(source) {
            return Ok(*loaded);
        }
        let name = source.hash([self.compiler.as_str(), HEADER]);
        let kept: Option<&Path> = self.kept.as_deref();
        let bytes = match cache::read(kept, &name) {
            Some(bytes) => bytes,
            None => {
                let bytes = self.library(source)?;
                cache::keep(kept, &name, &bytes);
                bytes
            }
        };
        let mut kernels = locked(&self.kernels);
        if let Some(loaded) = kernels.1.get(source) {
            return Ok(*loaded);
        }
        let (entry, library) = self.open(&bytes)?;
        let name = format!("{} of {}", source.function, source.file);
        kernels.0.push(Kernel { entry, name, _library: library });
        let loaded = Loaded(kernels.0.len() - 1);
        kernels.1.insert(source.clone(), loaded);
        Ok(loaded)
    }
    fn launch(&self, kernel: Loaded, geometry: Geometry, arguments: &[Value]) -> Result<()> {
        let (entry, name) = {
            let kernels = locked(&self.kernels);
            let kernel = kernels.0.get(kernel.0).ok_or_else(|| failure(NAME, "there is no such kernel"))?;
            (kernel.entry, kernel.name.clone())
        };
        let (kinds, values): (String, Vec<[u8; 8]>) = arguments.iter().map(|a| a.passed()).unzip();
        let pointers: Vec<*const c_void> = values.iter().map(|v| v.as_ptr().cast()).collect();
        let sizes: Vec<u32> = geometry.blocks.into_iter().chain(geometry.threads).collect();
        let kinds_text = CString::new(kinds.clone()).unwrap_or_default();
        // SAFETY: the entry compares the kinds with its kernel's parameters before it reads them; there are as many pointers
        // as kinds, each to 8 bytes, and six sizes. What a kernel does with addresses is as with a GPU's own.
        let rc = unsafe { entry(kinds_text.as_ptr(), pointers.as_ptr(), sizes.as_ptr()) };
        match rc {
            0 => Ok(()),
            1 => Err(failure(NAME, format!("{name}: threads wait for others that do not come"))),
            _ => Err(failure(NAME, format!("{name}: its parameters are not of the kinds {kinds}"))),
        }
    }
    fn synchronise(&self) -> Result<()> {
        let memory = locked(&self.memory);
        memory.iter().try_for_each(|(address, bytes)| self.check_guards(*address, *bytes))
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        let all: Vec<u64> = locked(&self.memory).keys().copied().collect();
        all.into_iter().for_each(|address| self.free(Address(address)));
    }
}
