//! Images as inputs of `run`: the pixels equal OpenCV's, and hostile files are errors.
use super::limits::limited;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tpulang::array::read_npz;

const FOLDER: &str = "tests/images";

/// Runs a network that returns its image, in a process with limits.
fn run(dir: &Path, image: &Path, [height, width]: [usize; 2]) -> Output {
    let spec = format!(
        r#"{{"version": 1, "name": "net", "tensors": {{"x": {{"shape": [1, 3, {height}, {width}], "preprocess": {{"pixel_format": "rgb"}}}}}},
"inputs": ["x"], "ops": [{{"op": "relu", "args": {{"input": "x"}}, "out": "y"}}], "outputs": ["y"]}}"#
    );
    fs::write(dir.join("net.json"), spec).unwrap();
    let image = format!("x={}", image.display());
    let arguments = ["run", "net.json", "-i", &image, "-o", "out.npz", "-j", "1"];
    let mut command: Command = limited(20, Path::new(env!("CARGO_BIN_EXE_tpulang")), &arguments);
    command.current_dir(dir).output().unwrap()
}

/// Runs the network on a damaged file, which must be rejected. Returns the message.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join(name);
    fs::write(&image, bytes).unwrap();
    let out = run(dir.path(), &image, [8, 8]);
    let message = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{name}, {} bytes: {} {message}", bytes.len(), out.status);
    message
}

fn files() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(FOLDER).unwrap().map(|e| e.unwrap());
    let name = |e: &fs::DirEntry| e.file_name().into_string().unwrap();
    entries.filter(|e| !name(e).ends_with(".npz")).map(|e| (name(&e), fs::read(e.path()).unwrap())).collect()
}

/// `expected.npz` has the pixels of OpenCV 4.8's `imread`. JPEG decoders may round differently.
#[test]
fn pixels_are_those_of_opencv() {
    let expected = read_npz(format!("{FOLDER}/expected.npz")).unwrap();
    assert_eq!(expected.len(), files().len());
    for (name, image) in &expected {
        let &[height, width, 3] = image.shape() else { panic!("{name} is {:?}", image.shape()) };
        let dir = tempfile::tempdir().unwrap();
        let out = run(dir.path(), &fs::canonicalize(format!("{FOLDER}/{name}")).unwrap(), [height, width]);
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        let found = read_npz(dir.path().join("out.npz")).unwrap()["y"].to_f64().unwrap();
        let expected = image.to_f64().unwrap();
        let error = |i: usize| (found[i % 3 * height * width + i / 3] - expected[i]).abs();
        let largest = (0..expected.len()).map(error).fold(0.0, f64::max);
        assert!(largest <= if name.ends_with("jpg") { 6.0 } else { 0.0 }, "{name}: differs by {largest}");
    }
}

#[test]
fn images_name_their_input() {
    let dir = tempfile::tempdir().unwrap();
    let image = fs::canonicalize(format!("{FOLDER}/rgb.png")).unwrap();
    run(dir.path(), &image, [8, 8]);
    let net = dir.path().join("net.json").display().to_string();
    let out = super::cli::tpulang(&["run", &net, "-i", &format!("xx={}", image.display()), "-o", "/none/out.npz"]);
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(text.contains("rgb.png: the model has no tensor \"xx\"; did you mean \"x\"?"), "{text}");
}

/// Returns the checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    })
}

/// Returns the file with another size in its header.
fn resized(name: &str, bytes: &[u8], size: u32) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if name.ends_with("png") {
        out[16..20].copy_from_slice(&size.to_be_bytes());
        out[20..24].copy_from_slice(&size.to_be_bytes());
        let crc = crc(&out[12..29]);
        out[29..33].copy_from_slice(&crc.to_be_bytes());
    } else if name.ends_with("bmp") {
        out[18..22].copy_from_slice(&size.to_le_bytes());
        out[22..26].copy_from_slice(&size.to_le_bytes());
    } else {
        let frame = (0..bytes.len()).find(|&i| matches!(bytes[i..], [0xff, 0xc0 | 0xc2, ..])).unwrap();
        let size = u16::try_from(size).unwrap_or(u16::MAX).to_be_bytes();
        out[frame + 5..frame + 7].copy_from_slice(&size);
        out[frame + 7..frame + 9].copy_from_slice(&size);
    }
    out
}

#[test]
fn claimed_sizes_are_not_allocated() {
    for (name, bytes) in files() {
        for size in [16_000, 65_535, 131_072, 1 << 20] {
            let message = refusal(&name, &resized(&name, &bytes, size));
            assert!(message.contains("pixels; at most 100000000 are supported"), "{name}, {size}: {message}");
        }
        // Within the limit, but without data.
        let message = refusal(&name, &resized(&name, &bytes, 9000));
        assert!(message.contains("the image cannot be decoded: "), "{name}: {message}");
    }
    // 84 bytes that claim to be 51 GB.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x04\0\0\0\x04\0\0\x08\x02\0\0\0".to_vec();
    let header = crc(&png[12..29]);
    png.extend(header.to_be_bytes());
    png.extend(b"\0\0\0\x27IDAT");
    png.extend([0; 43]);
    assert!(refusal("bomb.png", &png).contains("262144 x 262144 pixels"));
}

#[test]
fn truncated_images_are_refused() {
    for (name, bytes) in files() {
        for length in [bytes.len() - 13, bytes.len() * 3 / 4, bytes.len() / 2, 30, 4, 0] {
            let message = refusal(&name, &bytes[..length]);
            assert!(message.contains("the image cannot be decoded: "), "{name}, {length} bytes: {message}");
        }
    }
}

#[test]
fn damaged_images_end() {
    let mut random = super::SplitMix(1);
    for (name, bytes) in files() {
        let mut damaged = bytes.clone();
        for _ in 0..4 {
            let at = random.next() as usize % damaged.len();
            damaged[at] = random.next() as u8;
            let dir = tempfile::tempdir().unwrap();
            let image = dir.path().join(&name);
            fs::write(&image, &damaged).unwrap();
            let out = run(dir.path(), &image, [8, 8]);
            assert!(matches!(out.status.code(), Some(0 | 2)), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        }
    }
}
