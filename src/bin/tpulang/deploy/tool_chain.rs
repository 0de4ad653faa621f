//! TPU-MLIR's tool chain: finding it, and running its programs.
use super::group;
use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    os::unix::{ffi::OsStringExt, process::ExitStatusExt},
    path::{self, Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};
use tpulang::{Error, Result};
use tpulang_base::{escaped_path, invalid};

/// Names the virtual environment that has the tool chain.
const VARIABLE: &str = "TPULANG_TOOLCHAIN";

const HOW_TO_INSTALL: &str = "\
install it with Python 3.10:
  python3.10 -m venv toolchain
  toolchain/bin/pip install tpu_mlir==1.30.2 psutil flatbuffers cmake
  export TPULANG_TOOLCHAIN=$PWD/toolchain
or, in a clone of tpulang: make toolchain";

/// Importing the package sets the variables that its programs need.
const ENVIRONMENT: &str = "\
import sys, os
try:
    import tpu_mlir
except ModuleNotFoundError as e:
    sys.exit(3 if e.name == 'tpu_mlir' else str(e))
os.write(1, b'\\0' + b''.join(k + b'=' + v + b'\\0' for k, v in os.environb.items()))";

/// The exit status of a Python that lacks the package.
const NOT_INSTALLED: i32 = 3;

/// Only this much of the end of a log is read.
const MAX_LOG: u64 = 1 << 20;

/// An installed tool chain.
pub struct ToolChain {
    python: PathBuf,
    environment: Vec<(OsString, OsString)>,
    package: PathBuf,
}

/// A program of the tool chain that failed.
pub struct Failure {
    /// The program: `model_deploy`.
    pub program: &'static str,
    /// How it ended: `exit status 1`.
    pub ended: String,
    /// The end of what it printed.
    pub log: String,
    /// The file that has everything that it printed.
    pub log_file: PathBuf,
}

/// Why a program did not do its work.
pub enum Problem {
    /// It failed.
    Failed(Failure),
    /// It could not be started.
    Other(Error),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem::Other(error)
    }
}

impl ToolChain {
    /// Finds the tool chain: that of `TPULANG_TOOLCHAIN`, or of the active virtual environment, of the folder `toolchain`, or
    /// of the `python3` in the path.
    ///
    /// # Errors
    /// Returns an error that says how to install it if there is none.
    pub fn find() -> Result<ToolChain> {
        if let Some(place) = env::var_os(VARIABLE).filter(|place| !place.is_empty()) {
            let place = PathBuf::from(place);
            let python = if place.is_dir() { place.join("bin/python") } else { place.clone() };
            return ToolChain::of(&python)?.ok_or_else(|| {
                let place = escaped_path(&place);
                invalid(format!("{VARIABLE} is {place}, which has no Python with tpu_mlir; {HOW_TO_INSTALL}"))
            });
        }
        let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
        let folders = active.into_iter().chain([PathBuf::from("toolchain")]).map(|folder| folder.join("bin/python"));
        for python in folders.chain([PathBuf::from("python3")]) {
            if let Some(found) = ToolChain::of(&python)? {
                return Ok(found);
            }
        }
        Err(invalid(format!("TPU-MLIR's tool chain is not found; {HOW_TO_INSTALL}")))
    }

    /// Returns the tool chain of a Python, if it has one. Packages of `PYTHONPATH` could replace those that it needs, so the variable is
    /// ignored unless the tool chain, or something that it imports, is found there only.
    fn of(python: &Path) -> Result<Option<ToolChain>> {
        let found = ToolChain::imported(Command::new(python).env_remove("PYTHONPATH"), python);
        if matches!(found, Ok(Some(_))) || env::var_os("PYTHONPATH").is_none() {
            return found;
        }
        match ToolChain::imported(&mut Command::new(python), python) {
            Ok(Some(chain)) => Ok(Some(chain)),
            _ => found,
        }
    }

    /// Returns the tool chain that a Python imports, if it has one.
    fn imported(command: &mut Command, python: &Path) -> Result<Option<ToolChain>> {
        let output = match command.args(["-c", ENVIRONMENT]).stdin(Stdio::null()).output() {
            Ok(output) => output,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => return Ok(None),
            Err(e) => return Err(Error::io(python)(e)),
        };
        match output.status.code() {
            Some(0) => {}
            Some(NOT_INSTALLED) => return Ok(None),
            _ => {
                let reason = last_lines(&String::from_utf8_lossy(&output.stderr));
                let python = escaped_path(python);
                return Err(invalid(format!(
                    "{python}: importing tpu_mlir failed ({})\n{reason}",
                    ended(output.status)
                )));
            }
        }
        // What the package prints while it is imported ends at the first NUL.
        let variable = |bytes: &[u8]| {
            let at = bytes.iter().position(|b| *b == b'=')?;
            Some((OsString::from_vec(bytes[..at].to_vec()), OsString::from_vec(bytes[at + 1..].to_vec())))
        };
        let environment: Vec<_> = output.stdout.split(|b| *b == 0).skip(1).filter_map(variable).collect();
        let Some((_, package)) = environment.iter().find(|(name, _)| name == "TPUC_ROOT") else {
            return Err(invalid(format!("{}: its tpu_mlir sets no TPUC_ROOT", escaped_path(python))));
        };
        // A name without a folder is looked up in the path.
        let is_name = python.parent() == Some(Path::new(""));
        let python = if is_name { python.to_owned() } else { path::absolute(python).map_err(Error::io(python))? };
        let package = PathBuf::from(package);
        Ok(Some(ToolChain { python, environment, package }.with_own_programs()))
    }

    /// Puts the programs of the virtual environment first in the path: some of the tool chain's scripts run the `python3` of the path, and
    /// it compiles some of its kernels with CMake when they are first needed. It caches them, failures included, so the environment gets a
    /// cache of its own.
    fn with_own_programs(mut self) -> ToolChain {
        let Some(programs) = self.python.parent().filter(|parent| parent.is_absolute()).map(Path::to_owned) else {
            return self;
        };
        if let Some((_, path)) = self.environment.iter_mut().find(|(name, _)| name == "PATH") {
            let others = std::mem::take(path);
            path.push(&programs);
            path.push(":");
            path.push(others);
        }
        let mut cache = programs.with_file_name("ppl_cache");
        if fs::create_dir_all(&cache).is_ok() && !self.environment.iter().any(|(name, _)| name == "PPL_CACHE_PATH") {
            cache.push("");
            self.environment.push(("PPL_CACHE_PATH".into(), cache.into()));
        }
        self
    }

    /// Whether it has a glibc of its own, which crashes with the loader of another system.
    pub fn bundles_glibc(&self) -> bool {
        self.package.join("lib/third_party/libc.so.6").exists()
    }

    /// Runs `tpuc-opt` in a folder.
    pub fn optimize(&self, folder: &Path, log: &str, args: &[&str]) -> Result<(), Problem> {
        self.run(folder, log, "tpuc-opt", Command::new(self.package.join("bin/tpuc-opt")).args(args))
    }

    /// Runs one of the Python programs in a folder.
    pub fn tool(&self, folder: &Path, log: &str, name: &'static str, args: &[&str]) -> Result<(), Problem> {
        let script = self.package.join("python/tools").join(format!("{name}.py"));
        self.run(folder, log, name, Command::new(&self.python).arg(script).args(args))
    }

    fn run(&self, folder: &Path, log: &str, program: &'static str, command: &mut Command) -> Result<(), Problem> {
        let log_file = folder.join(log);
        let output = File::create(&log_file).map_err(Error::io(&log_file))?;
        let errors = output.try_clone().map_err(Error::io(&log_file))?;
        let command = command.current_dir(folder).env_clear().envs(self.environment.iter().cloned());
        let status = group::run(command.stdin(Stdio::null()).stdout(output).stderr(errors));
        let status = status.map_err(|e| Error::io(command.get_program())(e))?;
        if status.success() {
            return Ok(());
        }
        let log = end_of(&log_file).map_err(Error::io(&log_file))?;
        Err(Problem::Failed(Failure { program, ended: ended(status), log, log_file }))
    }
}

/// Returns how a process ended, in words.
fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".to_owned(),
    }
}

/// Returns the end of a file.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MAX_LOG)))?;
    let mut bytes = Vec::new();
    file.take(MAX_LOG).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Lines of a log that are shown.
const SHOWN: usize = 8;
/// Longer lines are cut.
const WIDTH: usize = 160;

/// Returns the last lines of a log that say something, each behind a bar. Stack traces are left out.
pub fn last_lines(log: &str) -> String {
    let mut lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| says_something(line)).collect();
    lines.drain(..lines.len().saturating_sub(SHOWN));
    let shown = |line: &str| match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("  | {}…\n", &line[..end]),
        None => format!("  | {line}\n"),
    };
    lines.into_iter().map(shown).collect()
}

fn says_something(line: &str) -> bool {
    let noise = [
        "Traceback (most recent call last)",
        "  File \"",
        "    ",
        "PLEASE submit a bug report",
        "Stack dump:",
        "0.\tProgram arguments:",
        "Aborted",
        "AssertionError",
        "[Running]: ",
        "[Success]",
        "{",
        "}",
        "]",
        "  \"",
        "Content:",
        "RuntimeError: [!Error]: tpuc-opt",
    ];
    let is_frame =
        line.trim_start().strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_noise = noise.iter().any(|start| line.starts_with(start));
    let is_noise = is_noise || line.contains(" - INFO : ");
    // Frames without symbols, and progress bars.
    let is_frame = is_frame || line.contains("(+0x") || line.contains("tpuc-opt+0x") || line.contains('\u{8}');
    line.chars().any(char::is_alphanumeric) && !is_frame && !is_noise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_traces_are_left_out() {
        let log = "2026/11/29 13:27:56 - INFO : TPU-MLIR v1.30.2\n[Running]: tpuc-opt net.mlir\n\
                   can't get scale and zeropoint\nUNREACHABLE executed at Module.cpp:1943!\n\
                   PLEASE submit a bug report to llvm\nStack dump:\n0.\tProgram arguments: tpuc-opt\n #0 0x000055db (tpuc-opt+0x95)\n\
                   #10 0x00007f0a raise\nAborted\nTraceback (most recent call last):\n  File \"model_deploy.py\", line 814\n    lower()\n\
                   AssertionError\n\n";
        let expected = "  | can't get scale and zeropoint\n  | UNREACHABLE executed at Module.cpp:1943!\n";
        assert_eq!(last_lines(log), expected);
    }

    #[test]
    fn long_lines_are_cut_where_a_character_ends() {
        let (fits, long) = ("é".repeat(WIDTH), "é".repeat(WIDTH + 1));
        assert_eq!(last_lines(&fits), format!("  | {fits}\n"));
        assert_eq!(last_lines(&long), format!("  | {fits}…\n"));
    }
}
