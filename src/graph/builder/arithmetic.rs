//! `+`, `-`, `*`, `/` and unary `-` of values, numbers and calls.
use super::{GraphBuilder, Value};
use crate::{
    Tensor,
    base::Result,
    functions::{Arguments, Call, Scalar, TensorOrScalar, args, arithmetic},
};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An operand of `+`, `-`, `*` or `/`: a [`Value`], a number, or another such call, which is then made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand of `+`, `-`, `*` or `/`",
    note = "operands are values, their calls, and numbers (f64, f32, i32, Scalar); methods such as `x.add(array)` take arrays"
)]
pub trait Term<'g> {
    #[doc(hidden)]
    fn operand(self) -> Result<TensorOrScalar>;
}
impl<'g> Term<'g> for Value<'g> {
    fn operand(self) -> Result<TensorOrScalar> {
        Ok(self.into())
    }
}
impl<'g, A: Arguments<Output = Tensor>> Term<'g> for Call<&'g GraphBuilder, A> {
    fn operand(self) -> Result<TensorOrScalar> {
        self.call().map(Into::into)
    }
}
macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl<'g> Term<'g> for $number {
            fn operand(self) -> Result<TensorOrScalar> {
                Ok(self.into())
            }
        }
    )* };
}
numbers! { f64 f32 i32 Scalar }

macro_rules! operators {
    ($($Trait:ident $name:ident $Args:ident;)*) => { $(
        impl<'g, R: Term<'g>> $Trait<R> for Value<'g> {
            type Output = Call<&'g GraphBuilder, args::$Args>;
            fn $name(self, right: R) -> Self::Output {
                let args = right.operand().map(|right| args::$Args::new(self, right));
                Call::new(self.builder(), arithmetic::$name::FUNCTION, args)
            }
        }
        impl<'g, A: Arguments<Output = Tensor>, R: Term<'g>> $Trait<R> for Call<&'g GraphBuilder, A> {
            type Output = Call<&'g GraphBuilder, args::$Args>;
            fn $name(self, right: R) -> Self::Output {
                let builder = self.target;
                let args = self.operand().and_then(|left| Ok(args::$Args::new(left, right.operand()?)));
                Call::new(builder, arithmetic::$name::FUNCTION, args)
            }
        }
        // Not f32: the type of `1.0 - x` would be ambiguous.
        operators! { @number $Trait $name $Args f64 }
        operators! { @number $Trait $name $Args i32 }
        operators! { @number $Trait $name $Args Scalar }
    )* };
    (@number $Trait:ident $name:ident $Args:ident $number:ty) => {
        impl<'g> $Trait<Value<'g>> for $number {
            type Output = Call<&'g GraphBuilder, args::$Args>;
            fn $name(self, right: Value<'g>) -> Self::Output {
                Call::new(right.builder(), arithmetic::$name::FUNCTION, Ok(args::$Args::new(self, right)))
            }
        }
        impl<'g, A: Arguments<Output = Tensor>> $Trait<Call<&'g GraphBuilder, A>> for $number {
            type Output = Call<&'g GraphBuilder, args::$Args>;
            fn $name(self, right: Call<&'g GraphBuilder, A>) -> Self::Output {
                let builder = right.target;
                let args = right.operand().map(|right| args::$Args::new(self, right));
                Call::new(builder, arithmetic::$name::FUNCTION, args)
            }
        }
    };
}
operators! {
    Add add Arithmetic;
    Sub sub Arithmetic;
    Mul mul Arithmetic;
    Div div Div;
}

/// Multiplies by -1.
impl<'g> Neg for Value<'g> {
    type Output = Call<&'g GraphBuilder, args::Arithmetic>;
    fn neg(self) -> Self::Output {
        self * -1.0
    }
}
/// Multiplies by -1.
impl<'g, A: Arguments<Output = Tensor>> Neg for Call<&'g GraphBuilder, A> {
    type Output = Call<&'g GraphBuilder, args::Arithmetic>;
    fn neg(self) -> Self::Output {
        self * -1.0
    }
}
