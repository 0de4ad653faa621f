//! Available memory and fallible allocation.
use crate::base::{Cause, Error, Result};
use std::{fs, path::Path};

/// Size in bytes from which allocations are compared with the available memory.
const LARGE: usize = 1 << 20;

/// Address space that is reserved for small allocations.
const MARGIN: u64 = 32 << 20;

/// Allocates a vector of `n` default elements.
///
/// # Errors
/// Returns an error if the memory is not sufficient.
pub fn zeros<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    check_available(n.saturating_mul(size_of::<T>()))?;
    // The probe is freed at once. The vector itself is allocated as zeroed pages.
    Vec::<T>::new().try_reserve_exact(n).map_err(|_| allocation_failed::<T>(n))?;
    Ok(vec![T::default(); n])
}

/// Reserves memory for `n` more elements.
///
/// # Errors
/// Returns an error if the memory is not sufficient.
pub fn reserve<T>(v: &mut Vec<T>, n: usize) -> Result<()> {
    check_available(n.saturating_mul(size_of::<T>()))?;
    v.try_reserve_exact(n).map_err(|_| allocation_failed::<T>(n))
}

/// Appends an element. Like [`Vec::push`], doubles the capacity if necessary.
///
/// # Errors
/// Returns an error if the memory is not sufficient.
pub fn push<T>(v: &mut Vec<T>, element: T) -> Result<()> {
    if v.len() == v.capacity() {
        reserve(v, v.len().max(16))?;
    }
    v.push(element);
    Ok(())
}

fn check_available(bytes: usize) -> Result<()> {
    if bytes < LARGE {
        return Ok(());
    }
    let available = available_memory();
    if bytes as u64 <= available { Ok(()) } else { Err(too_large("an array".into(), bytes as u64, available)) }
}

fn allocation_failed<T>(n: usize) -> Error {
    let needed = n.saturating_mul(size_of::<T>()) as u64;
    too_large(format!("an array of {n} elements"), needed, available_memory())
}

/// Returns the error that `what` needs more bytes than are available.
pub fn too_large(what: String, needed: u64, available: u64) -> Error {
    let limit = format!("{} are available", byte_text(available));
    Cause::TooLarge { what, needed: byte_text(needed), limit }.into()
}

/// Formats a size: `1.5 GiB`.
pub fn byte_text(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

/// Returns the memory in bytes that new allocations may use. It is limited by the machine, the control groups of the process
/// and its address space, as far as these are known.
pub fn available_memory() -> u64 {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let text = |path: &str| read(Path::new(path)).unwrap_or_default();
    let machine = of_machine(&text("/proc/meminfo"));
    let group = of_groups(&text("/proc/self/cgroup"), &read);
    let space = of_address_space(&text("/proc/self/limits"), &text("/proc/self/status"));
    [machine, group, space].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Returns the bytes of a line `NAME: 123 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the estimate of the kernel, from /proc/meminfo.
fn of_machine(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable")
}

/// Returns the remaining address space if it is limited, from /proc/self/limits and /proc/self/status.
fn of_address_space(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    let soft: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kilobytes(status, "VmSize")?;
    Some(soft.saturating_sub(used).saturating_sub(MARGIN))
}

/// Returns the least memory that the control groups of the process and their parents leave, of version 1 or 2. `cgroup` is
/// the text of /proc/self/cgroup.
fn of_groups(cgroup: &str, read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    cgroup.lines().filter_map(|line| of_group(line, read)).min()
}

/// Returns the memory that the group of one line leaves: `0::/a/b` or `4:memory:/a/b`.
fn of_group(line: &str, read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let (root, limit, usage) = match controllers {
        "" if number == "0" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
        list if list.split(',').any(|c| c == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        }
        _ => return None,
    };
    // In a container the path may be the host's. Missing folders are skipped, and the root is always read.
    let number = |dir: &Path, name: &str| read(&dir.join(name))?.trim().parse::<u64>().ok();
    let left = |dir: &Path| Some(number(dir, limit)?.saturating_sub(number(dir, usage).unwrap_or(0)));
    let groups = Path::new(path.trim_start_matches('/')).ancestors().take(64);
    groups.filter_map(|group| left(&Path::new(root).join(group))).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(zeros::<f32>(1 << 55).is_err());
        assert!(reserve(&mut Vec::<f64>::new(), usize::MAX).is_err());
    }

    #[test]
    fn the_machine_says_what_it_has() {
        assert_eq!(of_machine("MemTotal:  9 kB\nMemAvailable:    1024 kB\n"), Some(1 << 20));
        for text in ["", "MemAvailable", "MemAvailable: many kB", "MemAvailable: 99999999999999999999 kB"] {
            assert_eq!(of_machine(text), None, "{text}");
        }
    }

    #[test]
    fn a_limit_of_the_address_space_counts() {
        let limits = |soft: &str| {
            format!(
                "Limit    Soft Limit  Hard Limit  Units\nMax address space         {soft}            unlimited            bytes\n"
            )
        };
        let status = "Name:\tx\nVmSize:\t  1024 kB\n";
        assert_eq!(of_address_space(&limits("unlimited"), status), None);
        assert_eq!(of_address_space(&limits("1073741824"), status), Some((1 << 30) - (1 << 20) - MARGIN));
        assert_eq!(of_address_space(&limits("1000"), status), Some(0));
        assert_eq!(of_address_space(&limits("1073741824"), ""), None);
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let read = |path: &Path| {
            let text = match path.to_str()? {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/memory.max" => "3000\n",
                "/sys/fs/cgroup/a/memory.current" => "1000\n",
                "/sys/fs/cgroup/memory/c/memory.limit_in_bytes" => "700",
                "/sys/fs/cgroup/memory/c/memory.usage_in_bytes" => "900",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "9223372036854771712",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(of_groups("0::/a/b\n", &read), Some(2000));
        assert_eq!(of_groups("5:cpu,memory:/c\n1:name=systemd:/\n0::/a/b\n", &read), Some(0));
        assert_eq!(of_groups("5:memory:/gone\n", &read), Some(9_223_372_036_854_771_712));
        for text in ["", "0::/elsewhere\n", "nonsense", "5:cpu:/c", "0:"] {
            assert_eq!(of_groups(text, &read), None, "{text}");
        }
    }
}
