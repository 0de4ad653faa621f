//! The functions that users call and the shape rules of the ops they lower to, one file a family.
//!
//! A family file has, for each function, its arguments (with the `function!` macro), its checks and its lowering
//! (`fn lower`), and for each op its shape rule. `list.rs` names them all.

mod activation;
mod arithmetic;
mod cast;
mod compare;
mod conv;
mod dtypes;
mod gather;
mod layout;
mod list;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod select;
mod shape;

pub(crate) use layout::{slice_ranges, split_sizes};
pub use list::{FunctionDef, function_def, functions};
pub(crate) use matmul::Product;
pub(crate) use pool::windows;
pub(crate) use reduce::reduced_axes;
pub(crate) use shape::{Inference, Window, infer};

/// What a test looks at in a message: the line without operands.
#[cfg(test)]
fn first_line(error: crate::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// The argument structs of the functions, which are also their JSON form.
pub mod args {
    pub use super::{
        activation::*, arithmetic::*, cast::*, compare::*, conv::*, gather::*, layout::*, matmul::*, norm::*, pool::*,
        reduce::*, select::*,
    };
}

/// Writes a function's arguments once; from them come the struct (with its JSON form and schema), the method of
/// `Graph`, and the setters of the optional arguments.
///
/// ```text
/// function! {
///     "What it does. More.";
///     example "let y = g.relu(x).call()?;";      // g: Graph; x: float32 1x3x8x8; i: int8 1x3x8x8
///     relu => Relu -> Tensor {
///         "What the argument means." input: Operand,         // required arguments, positional
///         ;
///         "What it means." limit: f64 = -1.0,                // optional, with default
///         "What it means." bias: Operand,                    // optional, without
///     }
/// }
/// ```
///
/// The family then writes `impl Relu { fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> }`, where
/// `self.limit()` is the argument or its default.
macro_rules! function {
    (
        $doc:expr;
        example $example:expr;
        $name:ident => $Args:ident -> $Output:ty {
            $( $rdoc:literal $req:ident: $rty:ty, )*
            ;
            $( $odoc:literal $opt:ident: $oty:ty $(= $default:expr)?, )*
        }
    ) => {
        #[doc = concat!("Arguments of [`Graph::", stringify!($name), "`](crate::Graph::", stringify!($name), ").")]
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $Args {
            $( #[doc = $rdoc] pub $req: $rty, )*
            $(
                #[doc = $odoc]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                $( #[schemars(extend("default" = $default))] )?
                pub $opt: Option<$oty>,
            )*
        }

        #[allow(dead_code, reason = "not every lowering asks for every default")]
        impl $Args {
            pub(crate) const DOC: &'static str = $doc;
            pub(crate) const EXAMPLE: &'static str = $example;
            /// Names of the arguments, and whether they are required.
            pub(crate) const ARGUMENTS: &'static [(&'static str, bool)] =
                &[$( (stringify!($req), true), )* $( (stringify!($opt), false), )*];
            $( $(
                fn $opt(&self) -> $oty {
                    self.$opt.clone().unwrap_or_else(|| $default.into())
                }
            )? )*
        }

        impl crate::graph::Arguments for $Args {
            const NAME: &'static str = stringify!($name);
            type Output = $Output;
            fn visit_operands(&mut self, f: &mut dyn FnMut(&'static str, &mut crate::graph::Operand)) {
                #[allow(unused_imports, reason = "a function may have no optional arguments")]
                use crate::graph::VisitOperands as _;
                $( self.$req.visit(stringify!($req), f); )*
                $( self.$opt.visit(stringify!($opt), f); )*
            }
            fn lower_into(&self, to: &mut crate::graph::Lowering) -> crate::Result<Vec<crate::Tensor>> {
                self.lower(to)
            }
        }

        impl crate::Graph {
            #[doc = $doc]
            #[doc = concat!(
                "\n\nErrors come from [`Call::call`](crate::graph::Call::call). What the arguments mean: [`args::",
                stringify!($Args), "`](crate::ops::args::", stringify!($Args), ").\n\n```\n",
                "# use tpulang::*;\n# let mut g = Graph::new(\"g\")?;\n",
                "# let x = g.input(\"x\", Dtype::Float32, [1, 3, 8, 8])?;\n",
                "# let i = g.input(\"i\", Dtype::Int8, [1, 3, 8, 8])?;\n",
                $example, "\n# Ok::<(), Error>(())\n```"
            )]
            pub fn $name(&mut self, $( $req: impl Into<$rty> ),*) -> crate::graph::Call<'_, $Args> {
                crate::graph::Call::new(self, $Args { $( $req: $req.into(), )* $( $opt: None, )* })
            }
        }

        impl crate::graph::Call<'_, $Args> {
            $(
                #[doc = $odoc]
                pub fn $opt(mut self, value: impl Into<$oty>) -> Self {
                    self.args.$opt = Some(value.into());
                    self
                }
            )*
        }
    };
}
pub(crate) use function;
