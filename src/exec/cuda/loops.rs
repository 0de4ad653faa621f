//! Generates the loops of a kernel for each access pattern.
use super::{
    chain::{Chain, Parameters},
    formula::{InputSource, c_type},
    geometry::{self, Geometry},
    walk::{AccessPattern, TILE, Walk},
};
use std::fmt::Write;

/// The number of rows of a tile that the threads process at a time.
const ROWS: usize = 8;

/// Returns the name of the offset into tensor `k`; the result is the last tensor.
fn offset_name(walk: &Walk, k: usize) -> String {
    if k + 1 == walk.starts.len() { "t".to_owned() } else { format!("j{k}") }
}

/// Generates statements that compute the offsets `t`, `j0`, .. from the linear index `left`, except for the axes `without`.
/// Each step along an axis covers `along` elements.
fn offsets(
    kernel: &mut Parameters,
    walk: &Walk,
    index: &str,
    without: &[usize],
    along: impl Fn(usize) -> i64,
) -> String {
    let mut code = String::new();
    for (k, start) in walk.starts.iter().enumerate() {
        kernel.parameter("Index", &format!("start{k}"), *start);
        let _ = writeln!(code, "        Index {} = start{k};", offset_name(walk, k));
    }
    for (a, (size, by)) in walk.axes.iter().enumerate().rev().filter(|(a, _)| !without.contains(a)) {
        kernel.parameter("Index", &format!("d{a}"), *size as i64 / along(a));
        let _ = writeln!(code, "        const Index c{a} = left % ({index})d{a}; left /= ({index})d{a};");
        for (k, by) in by.iter().enumerate().filter(|(_, by)| **by != 0) {
            kernel.parameter("Index", &format!("b{a}_{k}"), *by * along(a));
            let _ = writeln!(code, "        {} += c{a} * b{a}_{k};", offset_name(walk, k));
        }
    }
    code
}

impl Chain {
    /// Generates the body of the kernel, with its geometry.
    pub fn loops(&self, kernel: &mut Parameters, walk: &Walk) -> (String, Geometry) {
        let n = self.elements();
        match walk.access_pattern() {
            AccessPattern::Contiguous => (self.contiguous_loop(kernel, walk), geometry::elements(n.div_ceil(4))),
            AccessPattern::Vec4 => (self.vec4_loop(kernel, walk), geometry::elements(n / 4)),
            AccessPattern::Transpose { down } => self.transpose_loop(kernel, walk, down),
            AccessPattern::Strided => {
                kernel.parameter("Index", "n", n as i64);
                (
                    format!("    FOR_INDICES(Index, i, n) {{\n{}    }}\n", self.by_axes(kernel, walk)),
                    geometry::elements(n),
                )
            }
        }
    }
    /// Returns the type of a linear index.
    fn index_type(&self) -> &'static str {
        geometry::linear_index_type(self.elements())
    }

    /// Generates statements for element `i`.
    pub fn by_axes(&self, kernel: &mut Parameters, walk: &Walk) -> String {
        let index = self.index_type();
        let mut code = format!("        {index} left = ({index})i;\n");
        code += &offsets(kernel, walk, index, &[], |_| 1);
        let is_accumulator: Vec<bool> = self.inputs().map(|i| matches!(i.from, InputSource::Accumulator)).collect();
        let read = |k: usize| if is_accumulator[k] { "sum".to_owned() } else { format!("p{k}[j{k}]") };
        let _ = writeln!(code, "        to[t] = {};", self.call(kernel, "t", read, |k| offset_name(walk, k)));
        code
    }

    /// Generates a loop over four elements at a time, and a loop over the remainder.
    fn contiguous_loop(&self, kernel: &mut Parameters, walk: &Walk) -> String {
        kernel.parameter("Index", "n", self.elements() as i64);
        let is_row = |k: usize| walk.axes.first().is_some_and(|(_, by)| by[k] == 1);
        let place = |k: usize| if is_row(k) { "i".to_owned() } else { "0".into() };
        let from = |k: usize| if is_row(k) { format!("f{k}.v[l]") } else { format!("f{k}") };
        format!(
            "    FOR_INDICES(Index, q, n / 4) {{\n{}{}    }}\n    \
             FOR_INDICES(Index, left, n % 4) {{\n        const Index i = n / 4 * 4 + left;\n        to[i] = {};\n    }}\n",
            self.load_vec4(is_row, |k| if is_row(k) { format!("p{k} + 4 * q") } else { format!("p{k}") }),
            self.store_vec4("to + 4 * q", &self.call(kernel, "i", from, place)),
            self.call(kernel, "i", |k| format!("p{k}[{}]", place(k)), place),
        )
    }
    /// Generates a loop over four elements at a time.
    fn vec4_loop(&self, kernel: &mut Parameters, walk: &Walk) -> String {
        let (index, last) = (self.index_type(), walk.axes.len() - 1);
        kernel.parameter("Index", "n", self.elements() as i64);
        let is_row = |k: usize| walk.axes[last].1[k] == 1;
        let mut code = format!("    FOR_INDICES(Index, q, n / 4) {{\n        {index} left = ({index})q;\n");
        code += &offsets(kernel, walk, index, &[], |a| if a == last { 4 } else { 1 });
        code += &self.load_vec4(is_row, |k| format!("p{k} + j{k}"));
        let from = |k: usize| if is_row(k) { format!("f{k}.v[l]") } else { format!("f{k}") };
        let place = |k: usize| if is_row(k) { format!("j{k} + l") } else { format!("j{k}") };
        code + &self.store_vec4("to + t", &self.call(kernel, "t + l", from, place)) + "    }\n"
    }
    /// Generates statements that read four elements of each input, or a single broadcast element.
    fn load_vec4(&self, is_row: impl Fn(usize) -> bool, from: impl Fn(usize) -> String) -> String {
        let read = |(k, c): (usize, &str)| match is_row(k) {
            true => format!("        const Vec4<{c}> f{k} = *(const Vec4<{c}>*)({});\n", from(k)),
            false => format!("        const {c} f{k} = *({});\n", from(k)),
        };
        self.inputs().map(|i| c_type(i.dtype)).enumerate().map(read).collect()
    }
    /// Generates statements that compute and write four elements.
    fn store_vec4(&self, to: &str, call: &str) -> String {
        let out = self.out_type();
        format!(
            "        Vec4<{out}> all;\n        for (int l = 0; l < 4; l++) {{\n            const Index i = 4 * q + l;\n            \
             all.v[l] = {call};\n        }}\n        *(Vec4<{out}>*)({to}) = all;\n"
        )
    }

    /// Generates a loop over tiles, which are read along the axis `down` and written along the last axis.
    fn transpose_loop(&self, kernel: &mut Parameters, walk: &Walk, down: usize) -> (String, Geometry) {
        let (last, steps, index) = (walk.axes.len() - 1, walk.row_major_strides(), self.index_type());
        let (rows, columns) = (walk.axes[down].0, walk.axes[last].0);
        let tiles = [rows, columns].map(|n| n.div_ceil(TILE));
        let outer = walk.axes.iter().enumerate().filter(|(a, _)| ![down, last].contains(a));
        let blocks = outer.clone().fold(1u64, |n, (_, (size, _))| n.saturating_mul(*size as u64));
        let blocks = tiles.iter().fold(blocks, |n, tiles| n.saturating_mul(*tiles as u64));
        for (name, number) in [
            ("n", blocks as i64),
            ("rows", rows as i64),
            ("columns", columns as i64),
            ("stride", walk.axes[last].1[0]),
            ("to_stride", walk.axes[down].1[1]),
            ("of_row", steps[down]),
        ] {
            kernel.parameter("Index", name, number);
        }
        let found = offsets(kernel, walk, index, &[down, last], |_| 1);
        let mut first = String::new();
        for (a, _) in outer {
            kernel.parameter("Index", &format!("of{a}"), steps[a]);
            let _ = writeln!(first, "        first += c{a} * of{a};");
        }
        let c = self.inputs().next().map_or("float", |i| c_type(i.dtype));
        let at = |_: usize| "j0 + (down + r) + (right + x) * stride".to_owned();
        let call = self.call(kernel, "place", |_| "tile[x][r]".to_owned(), at);
        let code = format!(
            "    __shared__ {c} tile[{TILE}][{TILE} + 1];
    const int x = threadIdx.x % {TILE}, y = threadIdx.x / {TILE};
    for (Index block = blockIdx.x; block < n; block += gridDim.x) {{
        {index} left = ({index})block;
        const Index right = left % ((columns + {TILE} - 1) / {TILE}) * {TILE};
        left /= (columns + {TILE} - 1) / {TILE};
        const Index down = left % ((rows + {TILE} - 1) / {TILE}) * {TILE};
        left /= (rows + {TILE} - 1) / {TILE};
        Index first = 0;
{found}{first}        UNROLLED(k, {TILE} / {ROWS}) {{
            const int r = y + k * {ROWS};
            if (right + r < columns && down + x < rows) tile[r][x] = p0[j0 + (down + x) + (right + r) * stride];
        }}
        __syncthreads();
        UNROLLED(k, {TILE} / {ROWS}) {{
            const int r = y + k * {ROWS};
            if (down + r < rows && right + x < columns) {{
                const Index i = first + (down + r) * of_row + right + x, place = t + (down + r) * to_stride + right + x;
                to[place] = {call};
            }}
        }}
        __syncthreads();
    }}
"
        );
        (code, geometry::blocks(blocks, (TILE * ROWS) as u32))
    }
}
