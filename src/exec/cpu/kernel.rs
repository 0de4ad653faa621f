//! Kernels of the CPU backend.
use super::{
    Operand,
    blocked::{Padding, replace_each, replace_each_with},
    chunks::{Row, Rows, Source},
    task::{PostOp, Task},
    workspace::Workspace,
};
use crate::base::Result;

/// Reads the operands of a task and writes its results.
pub(super) struct OpKernel {
    pub run: Box<Run>,
    /// The fusible form of an element-wise operator on floats.
    pub epilogue: Option<Epilogue>,
    /// Indices of repacked constants, not read at run time.
    pub unread: Vec<usize>,
    /// Memory that it allocates in addition to operands and results.
    pub workspace: Workspace,
}

type Run = dyn Fn(&mut Task) -> Result<()> + Send + Sync;

impl OpKernel {
    /// Creates a kernel that allocates almost no memory.
    pub fn new(run: impl Fn(&mut Task) -> Result<()> + Send + Sync + 'static) -> OpKernel {
        OpKernel::with_workspace(Workspace::none(), run)
    }
    /// Creates a kernel that allocates memory in addition to its operands and results.
    pub fn with_workspace(
        workspace: Workspace,
        run: impl Fn(&mut Task) -> Result<()> + Send + Sync + 'static,
    ) -> OpKernel {
        OpKernel { run: Box::new(run), epilogue: None, unread: Vec::new(), workspace }
    }
    pub fn without<'o>(mut self, laid_out: impl IntoIterator<Item = &'o Operand>) -> OpKernel {
        self.unread.extend(laid_out.into_iter().filter_map(Operand::index));
        self
    }
    pub fn with_epilogue(self, epilogue: Option<Epilogue>) -> OpKernel {
        OpKernel { epilogue, ..self }
    }
}

/// An element-wise operator that is applied to the real numbers of another kernel before they are stored.
pub(super) enum Epilogue {
    /// A unary operator.
    Each(Box<Each>),
    /// A binary operator; the other operand is broadcast.
    With(Box<Operand>, Box<dyn Binary>),
    /// Sets the padding of blocks to 0.
    Clear(Padding),
}

type Each = dyn Fn(&mut [f32]) + Send + Sync;

impl Epilogue {
    pub fn each(f: impl Fn(&mut [f32]) + Send + Sync + 'static) -> Option<Epilogue> {
        Some(Epilogue::Each(Box::new(f)))
    }
    /// Creates a binary epilogue: `f` of each number and the other one.
    pub fn with(
        other: &Operand,
        finish: PostOp,
        f: impl Fn(f32, f32) -> f32 + Copy + Send + Sync + 'static,
    ) -> Epilogue {
        Epilogue::With(Box::new(other.clone()), Box::new(WithFinish { f, finish }))
    }
}

/// A binary operator that replaces its first operand.
pub(super) trait Binary: Send + Sync {
    /// Combines each number with the other one at its place.
    fn with_each(&self, values: &mut [f32], others: &[f32]);

    /// Combines each number with the same other one.
    fn with_one(&self, values: &mut [f32], other: f32);
}

/// A function of two numbers, and what follows it.
struct WithFinish<F> {
    f: F,
    finish: PostOp,
}

impl<F: Fn(f32, f32) -> f32 + Copy + Send + Sync> Binary for WithFinish<F> {
    fn with_each(&self, values: &mut [f32], others: &[f32]) {
        replace_each_with(values, others, self.f);
        self.finish.reals(values);
    }
    fn with_one(&self, values: &mut [f32], other: f32) {
        let f = self.f;
        replace_each(values, move |v| f(v, other));
        self.finish.reals(values);
    }
}

/// Number of elements that go through a kernel and all its epilogues at a time, so that they stay in the first-level cache.
pub(super) const PIECE: usize = 2048;

/// The epilogues of a run, with their operands.
pub(super) struct Epilogues<'a>(Vec<(&'a Epilogue, Option<Other<'a>>)>);

/// The other operand of a binary epilogue.
enum Other<'a> {
    Elements(Source<'a>),
    /// Long rows, which are read in place.
    Rows(Rows<'a>),
    Number(f32),
}

impl<'a> Other<'a> {
    fn new(t: &Task<'a>, other: &'a Operand, shape: &[usize]) -> Result<Other<'a>> {
        let source = t.source(other, shape)?;
        if other.ty.elements() == 1 {
            let mut number = [0.0];
            source.reals(0, &mut number);
            return Ok(Other::Number(number[0]));
        }
        Ok(source.rows().map_or(Other::Elements(source), Other::Rows))
    }
    /// Combines the elements of a result from `first` on, [`PIECE`] at most, with those of the operand.
    fn combine(&self, binary: &dyn Binary, first: usize, values: &mut [f32]) {
        match self {
            Other::Number(number) => binary.with_one(values, *number),
            Other::Rows(rows) => rows.visit(first, values.len(), |part, row| match row {
                Row::Elements(others) => binary.with_each(&mut values[part], others),
                Row::Repeated(other) => binary.with_one(&mut values[part], other),
            }),
            Other::Elements(source) => {
                let mut buffer = [0.0; PIECE];
                binary.with_each(values, source.read(first, &mut buffer[..values.len()]));
            }
        }
    }
}

impl<'a> Epilogues<'a> {
    /// Prepares the epilogues for a result of that shape.
    pub fn new(t: &Task<'a>, epilogues: &'a [Epilogue], shape: &[usize]) -> Result<Epilogues<'a>> {
        let ready = epilogues.iter().map(|epilogue| match epilogue {
            Epilogue::Each(_) | Epilogue::Clear(_) => Ok((epilogue, None)),
            Epilogue::With(other, _) => Ok((epilogue, Some(Other::new(t, other, shape)?))),
        });
        ready.collect::<Result<_>>().map(Epilogues)
    }
    /// Applies them to the elements from `first` on.
    pub fn apply(&self, first: usize, values: &mut [f32]) {
        if self.0.is_empty() {
            return;
        }
        for (i, piece) in values.chunks_mut(PIECE).enumerate() {
            for (epilogue, other) in &self.0 {
                match (epilogue, other) {
                    (Epilogue::With(_, binary), Some(other)) => other.combine(&**binary, first + i * PIECE, piece),
                    (Epilogue::Each(f), _) => f(piece),
                    (Epilogue::Clear(padding), _) => padding.clear(first + i * PIECE, piece),
                    (Epilogue::With(..), None) => {}
                }
            }
        }
    }
}
