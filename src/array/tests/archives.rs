//! Archives and weight files that are damaged, malicious, or change while they are read: each test in a process with limits.
#[path = "../../../tests/suite/limits.rs"]
mod limits;

use limits::passed_alone;
use std::{
    fs::{self, File},
    io::{Cursor, Write},
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use tpulang_array::{Array, NpzFile, WeightFile, read_npz, write_npz};
use tpulang_base::{Dtype, Error};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// An npy of version 1.
fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), data].concat()
}

fn archive(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.npz");
    fs::write(&path, bytes).unwrap();
    (dir, path)
}

/// The message, without the folder.
fn message<T>(path: &Path, result: Result<T, Error>) -> String {
    let text = result.err().expect("an error").to_string();
    text.replace(&format!("{}/", path.parent().unwrap().display()), "")
}

/// Every place where `from` stands, replaced.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut out = bytes.to_vec();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            out[at..at + to.len()].copy_from_slice(to);
        }
    }
    out
}

const METHODS: [CompressionMethod; 2] = [CompressionMethod::Stored, CompressionMethod::Deflated];

#[test]
fn damaged_elements_are_noticed() {
    if passed_alone("damaged_elements_are_noticed", 20) {
        return;
    }
    let entry = npy("<f4", "False", "(2,)", b"\x11\x22\x33\x44\x55\x66\x77\x88");
    let stored = archive(&[("a.npy", &entry)], CompressionMethod::Stored);
    let (dir, path) = file(&replaced(&stored, b"\x55\x66\x77\x88", b"\x55\x66\x77\x89"));
    let expected = "w.npz: the array \"a\": Invalid checksum; the file is damaged or was changed";
    assert_eq!(message(&path, read_npz(&path)), expected);
    assert_eq!(message(&path, NpzFile::open(&path).unwrap().read("a")), expected);
    let array = WeightFile::open(&path).unwrap().read("a").unwrap();
    assert_eq!(message(&path, array.bytes()), expected);
    assert_eq!(message(&path, array.to_f32()), expected);
    assert_ne!(array, array.clone(), "what cannot be read equals nothing");
    assert_eq!(message(&path, write_npz(dir.path().join("copy.npz"), [("a", &array)])), expected);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left over");
}

#[test]
fn elements_in_any_order_are_read() {
    if passed_alone("elements_in_any_order_are_read", 20) {
        return;
    }
    let data = [1i32, 2, 3, 4, 5, 6].map(i32::to_be_bytes).concat();
    for method in METHODS {
        let entries = [("big", npy(">i4", "False", "(2, 3)", &data)), ("fortran", npy(">i4", "True", "(2, 3)", &data))];
        let (_dir, path) = file(&archive(&entries.each_ref().map(|(n, b)| (*n, &b[..])), method));
        let arrays = NpzFile::open(&path).unwrap().arrays().unwrap();
        for (name, expected) in [("big", [1, 2, 3, 4, 5, 6]), ("fortran", [1, 3, 5, 2, 4, 6])] {
            assert_eq!(arrays[name].elements::<i32>().unwrap()[..], expected, "{name}");
            assert_eq!(arrays[name].to_f64().unwrap(), expected.map(f64::from), "{name}");
        }
    }
}

#[test]
fn a_name_twice_is_refused() {
    if passed_alone("a_name_twice_is_refused", 20) {
        return;
    }
    let entry = npy("|u1", "False", "(1,)", b"x");
    let twice = archive(&[("a.npy", &entry), ("b.npy", &entry)], CompressionMethod::Stored);
    let (_dir, path) = file(&replaced(&twice, b"b.npy", b"a.npy"));
    let expected = "w.npz: it has several entries of one name; every array needs its own";
    assert_eq!(message(&path, NpzFile::open(&path)), expected);
    let (_dir, path) = file(&archive(&[("a.npy", &entry), ("a", &entry)], CompressionMethod::Stored));
    assert_eq!(message(&path, NpzFile::open(&path)), "w.npz: the entry \"a\" occurs twice");
}

#[test]
fn entries_for_folders_are_left_out() {
    let entry = npy("|u1", "False", "(1,)", b"x");
    let (_dir, path) = file(&archive(&[("d/", b""), ("d/a.npy", &entry)], CompressionMethod::Stored));
    let arrays = NpzFile::open(&path).unwrap().arrays().unwrap();
    assert_eq!(arrays.keys().collect::<Vec<_>>(), ["d/a"]);
}

#[test]
fn a_file_of_torch_save_is_recognized() {
    let (_dir, path) =
        file(&archive(&[("archive/data.pkl", b"x"), ("archive/data/0", b"x")], CompressionMethod::Stored));
    let message = message(&path, NpzFile::open(&path));
    assert!(message.starts_with("w.npz: this is a PyTorch file (torch.save), not an npz archive"), "{message}");
}

/// 64 MiB in an archive of 64 KiB, and what it may say of its size.
#[test]
fn an_entry_has_as_many_bytes_as_its_shape_needs() {
    if passed_alone("an_entry_has_as_many_bytes_as_its_shape_needs", 20) {
        return;
    }
    let (data, four) = (vec![0; 64 << 20], npy("|u1", "False", "(4,)", b"1234"));
    let bomb = npy("|u1", "False", "(4,)", &data);
    let size = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let deflated = |bytes: &[u8]| archive(&[("a.npy", bytes)], CompressionMethod::Deflated);
    for (bytes, expected) in [
        (deflated(&bomb), "it holds 67108864 bytes; its shape and dtype need 4"),
        (
            replaced(&deflated(&bomb), &size(&bomb), &size(&four)),
            "File is larger than its declared uncompressed size; the file is damaged or was changed",
        ),
        (
            replaced(
                &deflated(&npy("|u1", "False", "(67108864,)", b"1234")),
                &size(&npy("|u1", "False", "(67108864,)", b"1234")),
                &size(&npy("|u1", "False", "(67108864,)", &data)),
            ),
            "its end is missing",
        ),
    ] {
        let (_dir, path) = file(&bytes);
        let told = message(&path, read_npz(&path));
        assert!(told.starts_with("w.npz: the array \"a\": ") && told.contains(expected), "{told}");
    }
    let (_dir, path) = file(&deflated(&npy("|u1", "False", "(67108864,)", &data)));
    assert_eq!(read_npz(&path).unwrap()["a"].bytes().unwrap(), data);
}

/// An archive's end can claim a billion entries in a file of any size: holes take no room on disk.
#[test]
fn the_end_of_an_archive_is_not_believed() {
    if passed_alone("the_end_of_an_archive_is_not_believed", 20) {
        return;
    }
    let entry = npy("|u1", "False", "(1,)", b"x");
    let good = archive(&[("a.npy", &entry)], CompressionMethod::Stored);
    let end64 = |entries: u64, size: u64, offset: u64, at: u64| {
        let mut end = b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0".to_vec();
        [entries, entries, size, offset].iter().for_each(|n| end.extend(n.to_le_bytes()));
        end.extend(b"PK\x06\x07\0\0\0\0");
        end.extend(at.to_le_bytes());
        end.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x05\0hello");
        end
    };
    let told = |len: u64, end: &[u8]| {
        let (_dir, path) = file(&good);
        let mut sparse = File::options().append(true).open(&path).unwrap();
        sparse.set_len(len).unwrap();
        sparse.write_all(end).unwrap();
        message(&path, NpzFile::open(&path))
    };
    let large = 1 << 38;
    let start = "w.npz: not an npz (zip) archive: ";
    for (end, problem) in [
        (end64(1 << 30, large / 2, large / 2, large), "it claims 1073741824 entries; at most 1048576 are read"),
        (end64(1 << 20, large / 2, large / 2, large), "invalid Zip archive: Invalid Central Directory header"),
        (end64(1, 50, 0, large), "its list of 50 bytes at 0 does not lie before its end at 274877906944"),
        (
            end64(1, u64::MAX, 2, large),
            "its list of 18446744073709551615 bytes at 2 does not lie before its end at 274877906944",
        ),
        (vec![0; 100], "its end is missing"),
    ] {
        assert_eq!(told(large, &end), format!("{start}{problem}"));
    }
    // A comment is no mistake.
    let commented = [&good[..good.len() - 2], b"\x05\0hello"].concat();
    let (_dir, path) = file(&commented);
    assert_eq!(read_npz(path).unwrap()["a"].bytes().unwrap(), b"x");
}

/// 4 GiB that a small file says it has: nothing is made ready for them before it is known that they are wanted.
#[test]
fn a_claim_is_not_believed() {
    if passed_alone("a_claim_is_not_believed", 20) {
        return;
    }
    let entry = npy("|u1", "False", "(4294900000,)", &[0; 8000]);
    let (size, header) = (entry.len() as u32, entry.len() as u32 - 8000);
    let small = archive(&[("a.npy", &entry)], CompressionMethod::Stored);
    let (_dir, path) = file(&replaced(&small, &size.to_le_bytes(), &(header + 4_294_900_000).to_le_bytes()));
    let mut weights = WeightFile::open(&path).unwrap();
    let told = message(&path, weights.read_as("a", Dtype::Uint8, &vec![4]));
    assert_eq!(told, "w.npz: the array \"a\" has shape 4294900000; the tensor is declared 4");
    let told = message(&path, weights.read("a").unwrap().pieces(|_| Ok(())));
    assert!(told.ends_with("; the file is damaged or was changed"), "{told}");
}

#[test]
fn a_file_that_becomes_shorter_is_an_error() {
    if passed_alone("a_file_that_becomes_shorter_is_an_error", 20) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let array = Array::filled(Dtype::Float32, [1 << 20], 1.0).unwrap();
    let npz = dir.path().join("w.npz");
    write_npz(&npz, [("a", &array)]).unwrap();
    let header = br#"{"a":{"dtype":"F32","shape":[1048576],"data_offsets":[0,4194304]}}"#;
    let safetensors = dir.path().join("w.safetensors");
    fs::write(&safetensors, [&(header.len() as u64).to_le_bytes()[..], header, array.bytes().unwrap()].concat())
        .unwrap();
    for path in [npz, safetensors] {
        let found = WeightFile::open(&path).unwrap().read("a").unwrap();
        assert_eq!(WeightFile::open(&path).unwrap().read("a").unwrap(), array);
        File::options().write(true).open(&path).unwrap().set_len(3 << 20).unwrap();
        for told in
            [message(&path, found.pieces(|_| Ok(()))), message(&path, found.bytes()), message(&path, found.to_f32())]
        {
            assert!(told.ends_with("; the file is damaged or was changed"), "{told}");
        }
    }
}

/// Each name is found at once: with a search through all of them this would take minutes.
#[test]
fn there_may_be_many_arrays() {
    if passed_alone("there_may_be_many_arrays", 20) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.npz");
    let arrays: Vec<_> = (0..60_000u32).map(|i| (format!("array_{i}"), Array::from([i]))).collect();
    write_npz(&path, arrays.iter().map(|(n, a)| (n.as_str(), a))).unwrap();
    let mut weights = WeightFile::open(&path).unwrap();
    for (name, array) in &arrays {
        assert!(weights.has(name) && weights.read_as(name, Dtype::Uint32, &vec![1]).unwrap() == *array);
    }
}
