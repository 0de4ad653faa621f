//! Tables of which only some rows are read on every run, because not all weights are kept in memory.
use std::{fs::File, os::unix::fs::FileExt, path::Path};
use tpulang::{
    Array, Dtype, Graph,
    array::{ArrayFormat, RangeFile, WeightFile, byte_text, coefficient_type, read_npz},
    exec::{CpuBackend, RunOptions, Session},
};

const READ_BY_ROWS: &str = "rows of the table read on every run";

/// Numbers that every dtype has, except bool.
fn numbers(dtype: Dtype, shape: &[usize]) -> Array {
    let n: usize = shape.iter().product();
    Array::from_f64s(dtype, shape, (0..n).map(|i| ((i * 37) % 15) as f64)).unwrap()
}

/// Writes an array and another one before it, and returns the array of the file.
fn in_file(path: &Path, table: &Array) -> Array {
    let arrays = [("before", &numbers(Dtype::Int8, &[3])), ("t", table)];
    ArrayFormat::from_path(path).unwrap().write(path, arrays).unwrap();
    let (converted, shape) = coefficient_type(table);
    // npz files have bfloat16 as bits, in safetensors it is converted.
    let dtype = if path.extension().unwrap() == "npz" { table.dtype().declarable() } else { converted };
    WeightFile::open(path).unwrap().read_as("t", dtype, &shape).unwrap()
}

/// Chooses rows of `table` by the input `i`.
fn gather(table: Array, (dtype, shape): (Dtype, &[usize]), keep_dims: bool) -> Graph {
    let mut g = Graph::new("g").unwrap();
    let i = g.input("i", dtype, shape).unwrap();
    let table = g.coefficient("table", table).unwrap();
    let y = g.index_select(table, i).axis(0).keep_dims(keep_dims).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    g
}

fn session(g: &Graph, options: &RunOptions) -> Session<CpuBackend> {
    Session::new(g, CpuBackend::new(), &options.clone().threads(1)).unwrap()
}

/// Checks that runs give the same with rows of the tables as with the whole tables.
fn check(g: &Graph, indices: &Array, options: &RunOptions) {
    let (whole, rows) = (session(g, options), session(g, &options.clone().weight_budget(Some(0))));
    assert!(!whole.explain().contains(READ_BY_ROWS) && rows.explain().contains(READ_BY_ROWS), "{}", rows.explain());
    let run = |session: &Session<CpuBackend>| session.run(&[("i", indices.clone())]).unwrap();
    assert_eq!(run(&rows), run(&rows), "rows are read again");
    assert_eq!(run(&rows), run(&whole));
}

#[test]
fn rows_are_those_of_the_whole_table() {
    let dir = tempfile::tempdir().unwrap();
    let indices: [(&[usize], bool, &[f64]); 6] = [
        (&[1], false, &[3.0]),
        (&[1], true, &[-10.0]),
        (&[4], true, &[9.0, 0.0, 9.0, -1.0]),
        (&[2, 3], true, &[5.0, 6.0, 4.0, -3.0, 7.0, 5.0]),
        (&[2, 1, 2], true, &[1.0, 1.0, 1.0, -9.0]),
        (&[25], true, &[2.0; 25]),
    ];
    for dtype in Dtype::all() {
        for (shape, name) in [(&[10][..], "x.npz"), (&[10, 3], "x.safetensors"), (&[10, 2, 5], "y.npz")] {
            let table = numbers(dtype, shape);
            let of_indices = [Dtype::Int32, Dtype::Float32, Dtype::Int8].into_iter().cycle();
            for ((to, keep_dims, values), index) in indices.iter().zip(of_indices) {
                let g = gather(in_file(&dir.path().join(name), &table), (index, to), *keep_dims);
                let values = Array::from_f64s(index, *to, values.iter().copied()).unwrap();
                check(&g, &values, &RunOptions::default());
            }
        }
    }
}

/// Operators are fused, indices are constant, and a table is also a matrix.
#[test]
fn rows_in_larger_graphs() {
    let dir = tempfile::tempdir().unwrap();
    let coefficient = |g: &mut Graph, name: &str, array: Array| {
        let array = in_file(&dir.path().join(format!("{name}.npz")), &array);
        g.coefficient(name, array).unwrap()
    };
    let mut g = Graph::new("g").unwrap();
    let i = g.input("i", Dtype::Int32, [3]).unwrap();
    let table = coefficient(&mut g, "table", numbers(Dtype::Float16, &[10, 4]));
    let bias = coefficient(&mut g, "bias", numbers(Dtype::Float16, &[3, 4]));
    let y = g.index_select(table, i).axis(0).call().unwrap();
    let y = g.add(y, bias).call().unwrap();
    let y = g.mul(y, 3.0).call().unwrap();
    let places = coefficient(&mut g, "places", numbers(Dtype::Float16, &[5, 4]));
    let fixed = g.index_select(places, vec![2i32, -1, 2]).axis(0).call().unwrap();
    let y = g.add(y, fixed).call().unwrap();
    let y = g.matmul(y, table).right_transpose(true).out_name("y").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let i = Array::from([9i32, -10, 4]);
    check(&g, &i, &RunOptions::default());
    check(&g, &i, &RunOptions::default().unfused(true));
}

/// 1 TiB, in a file with holes.
#[test]
fn a_table_may_exceed_the_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table");
    let (rows, columns) = (1usize << 28, 1usize << 10);
    let file = File::create(&path).unwrap();
    file.set_len((rows * columns * 4 + 8) as u64).unwrap();
    for row in [0, 5, rows - 1] {
        let row_values: Vec<u8> = (0..columns).flat_map(|c| ((row % 1000 + c) as f32).to_le_bytes()).collect();
        file.write_all_at(&row_values, (8 + row * columns * 4) as u64).unwrap();
    }
    let table = RangeFile::open(&path).unwrap().array("t", Dtype::Float32, &[rows, columns], 8).unwrap();
    let g = gather(table, (Dtype::Int32, &[4]), true);
    let options = RunOptions::default();
    for options in [options.clone().weight_budget(Some(1 << 20)), options] {
        let session = session(&g, &options);
        assert!(session.explain().contains(READ_BY_ROWS), "{}", session.explain());
        assert!(session.peak_bytes() < 1 << 17, "{}", byte_text(session.peak_bytes()));
        let y = session.run(&[("i", Array::from([-1i32, 5, 6, -1]))]).unwrap()["y"].to_f32().unwrap();
        for (got, row) in y.chunks(columns).zip([rows - 1, 5, 6, rows - 1]) {
            let first = if row == 6 { None } else { Some((row % 1000) as f32) };
            let expected = (0..columns).map(|c| first.map_or(0.0, |first| first + c as f32));
            assert!(got.iter().copied().eq(expected), "row {row}");
        }
    }
}

/// Weights that are needed whole have the memory first.
#[test]
fn tables_leave_the_memory_to_other_weights() {
    let mut g = Graph::new("g").unwrap();
    let i = g.input("i", Dtype::Int32, [2]).unwrap();
    let table = g.coefficient("table", numbers(Dtype::Float32, &[100, 16])).unwrap();
    let x = g.index_select(table, i).axis(0).call().unwrap();
    let y = g.matmul(x, numbers(Dtype::Float32, &[16, 64])).call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let explained = |budget| session(&g, &RunOptions::default().weight_budget(Some(budget))).explain();
    let [all, matrix, none] = [6400 + 4096, 6400, 0].map(explained);
    assert!(!all.contains("on every run"), "{all}");
    assert!(matrix.contains(READ_BY_ROWS) && !matrix.contains("weights reloaded"), "{matrix}");
    assert!(none.contains(READ_BY_ROWS) && none.contains("weights reloaded"), "{none}");
}

#[test]
fn rows_that_cannot_be_read_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let g = gather(in_file(&path, &numbers(Dtype::Float32, &[1000, 2])), (Dtype::Int32, &[2]), true);
    let [whole, rows] = [None, Some(0)].map(|budget| session(&g, &RunOptions::default().weight_budget(budget)));
    let error =
        |session: &Session<CpuBackend>, i: [i32; 2]| session.run(&[("i", Array::from(i))]).err().map(|e| e.to_string());
    for i in [[0, 1000], [-1001, 0], [i32::MIN, i32::MAX]] {
        let told = error(&rows, i).unwrap();
        assert_eq!(Some(&told), error(&whole, i).as_ref());
        assert!(told.contains("is out of range for axis 0 (1000 entries); expected -1000 to 999"), "{told}");
    }
    // Only the whole table is compared with its checksum.
    let file = File::options().write(true).open(&path).unwrap();
    let end = file.metadata().unwrap().len();
    file.write_all_at(&[1], end - 4000).unwrap();
    assert!(read_npz(&path).unwrap_err().to_string().contains("Invalid checksum"));
    assert_eq!(error(&rows, [0, 1]), None);
    file.set_len(end - 4000).unwrap();
    assert_eq!(error(&rows, [0, 1]), None);
    let told = error(&rows, [1, -1]).unwrap();
    let expected = "x.npz: the array \"t\": its end is missing; the file is damaged or was changed";
    assert!(told.contains(expected) && told.contains("top.Gather \"y\""), "{told}");
}

/// Rows are uploaded to a GPU, and indices downloaded.
#[cfg(feature = "cuda")]
#[test]
fn rows_on_a_gpu() {
    use tpulang::exec::{CudaBackend, Precision};
    if crate::cuda::passed_emulated() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut g =
        gather(in_file(&dir.path().join("x.npz"), &numbers(Dtype::Float16, &[10, 6])), (Dtype::Int8, &[4]), true);
    let y = g.mul(g.outputs()[0], 0.5).out_name("z").call().unwrap();
    g.set_outputs(&[y]).unwrap();
    let of = |i: [i8; 4]| [("i", Array::from(i))];
    let expected = session(&g, &RunOptions::default()).run(&of([9, -10, 9, -1])).unwrap();
    for precision in [Precision::F32, Precision::F16] {
        let told = [None, Some(0)].map(|budget| {
            let options = RunOptions::default().precision(precision).weight_budget(budget);
            let session = Session::new(&g, CudaBackend::new(0).unwrap(), &options).unwrap();
            assert_eq!(session.explain().contains(READ_BY_ROWS), budget.is_some());
            for _ in 0..3 {
                assert_eq!(session.run(&of([9, -10, 9, -1])).unwrap(), expected);
            }
            session.run(&of([0, 1, 2, 10])).unwrap_err().to_string()
        });
        assert!(told[0].contains("index 10 is out of range") && told[0] == told[1], "{told:?}");
    }
}
