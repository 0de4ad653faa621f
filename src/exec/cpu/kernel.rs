//! Kernels of the CPU backend.
use super::{Operand, blocked::Padding, chunks::Source, task::Task, workspace::Workspace};
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
    With(Operand, Box<With>),
    /// Sets the padding of blocks to 0.
    Clear(Padding),
}

type Each = dyn Fn(&mut [f32]) + Send + Sync;
type With = dyn Fn(&mut [f32], &[f32]) + Send + Sync;

impl Epilogue {
    pub fn each(f: impl Fn(&mut [f32]) + Send + Sync + 'static) -> Option<Epilogue> {
        Some(Epilogue::Each(Box::new(f)))
    }
    pub fn with(other: &Operand, f: impl Fn(&mut [f32], &[f32]) + Send + Sync + 'static) -> Epilogue {
        Epilogue::With(other.clone(), Box::new(f))
    }
}

/// Number of elements that go through a kernel and all its epilogues at a time, so that they stay in the first-level cache.
pub(super) const PIECE: usize = 2048;

/// The epilogues of a run, with their operands.
pub(super) struct Epilogues<'a>(Vec<(&'a Epilogue, Option<Other<'a>>)>);

/// The other operand of a binary epilogue.
enum Other<'a> {
    Elements(Source<'a>),
    /// A single number, repeated for a piece.
    Number(Vec<f32>),
}

impl<'a> Other<'a> {
    fn new(t: &Task<'a>, other: &'a Operand, shape: &[usize]) -> Result<Other<'a>> {
        let source = t.source(other, shape)?;
        if other.ty.elements() != 1 {
            return Ok(Other::Elements(source));
        }
        let mut number = [0.0];
        source.reals(0, &mut number);
        Ok(Other::Number(vec![number[0]; PIECE.min(shape.iter().product())]))
    }
    /// Returns as many elements as `buffer` has, from element `first` of the result on.
    fn read<'b>(&'b self, first: usize, buffer: &'b mut [f32]) -> &'b [f32] {
        match self {
            Other::Elements(source) => source.read(first, buffer),
            Other::Number(numbers) => &numbers[..buffer.len()],
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
        let mut buffer = [0.0; PIECE];
        for (i, piece) in values.chunks_mut(PIECE).enumerate() {
            for (epilogue, other) in &self.0 {
                match (epilogue, other) {
                    (Epilogue::With(_, f), Some(other)) => {
                        f(piece, other.read(first + i * PIECE, &mut buffer[..piece.len()]));
                    }
                    (Epilogue::Each(f), _) => f(piece),
                    (Epilogue::Clear(padding), _) => padding.clear(first + i * PIECE, piece),
                    (Epilogue::With(..), None) => {}
                }
            }
        }
    }
}
