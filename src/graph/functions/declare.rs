//! The macro that declares functions.

/// Declares the arguments of one or more functions with the same signature, and the functions themselves. A single list
/// defines the struct, its named form (JSON, [`super::call`]) with schema and reference, the methods of `Graph`, and the
/// setters of the optional arguments.
///
/// ```text
/// function! {
///     Softmax -> Tensor {                              // the struct of the arguments, and the type that a call returns
///         "What the argument means." input: Operand,   // required arguments, positional
///         ;
///         "What it means." beta: f64 = 1.0,            // optional, with default
///         "What it means." bias: Operand,              // optional, without
///         ..window: Window { stride: Each<2> },        // a set that functions share (below), with its setters
///     }
///     softmax: "What it does. More."
///         example |g, x, i| { let y = g.softmax(x).call()?; },   // x: float32 1x3x8x8; i: int8 1x3x8x8
///         => |args, to| args.lower(to);
/// }
/// ```
///
/// A function with a fixed number of outputs returns an array and names them: `-> [Tensor; 2] as ["values", "indices"]`.
/// `function! { set Window { .. } }` declares a set of optional arguments that several functions share.
/// `function! { tensors Weights { "..." name, } }` declares a set of required tensors that several functions share, too many
/// to distinguish by position; a function lists it after its other required arguments: `..weights: Weights,`.
/// `args.beta()` returns the argument or its default.
macro_rules! function {
    // A set of arguments that functions share.
    ( set $Set:ident { $( $odoc:literal $opt:ident: $oty:ty $(= $default:expr)?, )* } ) => {
        function! { @struct concat!("Arguments that several functions share."); $Set { ; $( $odoc $opt: $oty $(= $default)?, )* } }
    };
    // A set of required tensors.
    ( tensors $Set:ident { $( $doc:literal $name:ident, )* } ) => {
        function! {
            @struct concat!("Tensors that several functions need.");
            $Set { $( $doc $name: crate::Operand, )* ; }
        }
        impl $Set {
            /// Finds the tensors of a graph that are named like the arguments, after a prefix.
            pub fn named(prefix: &str) -> Self {
                let name = |argument: &str| crate::Operand::Named(format!("{prefix}{argument}"));
                $Set { $( $name: name(stringify!($name)), )* }
            }
        }
    };
    // One output, or any number of them.
    ( $Args:ident -> $Output:ident { $($list:tt)* } $($functions:tt)+ ) => {
        function! { @all $Args ($Output) [] { $($list)* } $($functions)+ }
    };
    ( $Args:ident -> $Output:ident < $Of:ident > $list:tt $($functions:tt)+ ) => {
        function! { @all $Args ($Output<$Of>) [] $list $($functions)+ }
    };
    // Several outputs with names.
    ( $Args:ident -> $Output:tt as $outputs:tt $list:tt $($functions:tt)+ ) => {
        function! { @all $Args ($Output) $outputs $list $($functions)+ }
    };
    // Functions with the same arguments.
    (
        @all $Args:ident ($Output:ty) $outputs:tt $list:tt
        $( $name:ident: $doc:expr, example |$($binding:ident),*| { $($example:tt)* }, => $lower:expr; )+
    ) => {
        function! { @struct concat!("Arguments of ", $("[`", stringify!($name), "`](crate::Graph::", stringify!($name), ") ",)+ "."); $Args $list }
        impl crate::functions::Arguments for $Args {
            type Output = $Output;
        }
        function! { @setters $Args $list }
        $( function! { @one $Args $outputs $list $name $doc, [$($binding)*] { $($example)* } $lower } )+
        $( function! { @built $Args $list $name $doc, { $($example)* } } )+
    };
    (
        @struct $doc:expr; $Args:ident {
            $( $rdoc:literal $req:ident: $rty:ty, )*
            $( ..$tensors:ident: $Tensors:ident, )*
            ;
            $( $odoc:literal $opt:ident: $oty:ty $(= $default:expr)?, )*
            $( ..$set:ident: $Set:ident { $( $sopt:ident: $sty:ty ),* $(,)? }, )*
        }
    ) => {
        #[doc = $doc]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Args {
            $( #[doc = $rdoc] pub $req: $rty, )*
            $( #[doc = concat!("See [`", stringify!($Tensors), "`].")] pub $tensors: $Tensors, )*
            $( #[doc = $odoc] pub $opt: Option<$oty>, )*
            $( #[doc = concat!("See [`", stringify!($Set), "`].")] pub $set: $Set, )*
        }

        #[allow(dead_code, reason = "not every lowering asks for every default")]
        impl $Args {
            /// Creates the struct from the required arguments.
            #[allow(clippy::too_many_arguments, reason = "as many as TpuLang's function has")]
            pub(crate) fn new($( $req: impl Into<$rty>, )* $( $tensors: $Tensors, )*) -> Self {
                $Args { $( $req: $req.into(), )* $( $tensors, )* $( $opt: None, )* $( $set: $Set::new(), )* }
            }
            /// Converts the required arguments, and creates the struct from them.
            #[allow(clippy::too_many_arguments, reason = "as many as TpuLang's function has")]
            pub(crate) fn converted(
                $( $req: impl TryInto<$rty, Error: std::fmt::Display>, )* $( $tensors: $Tensors, )*
            ) -> crate::Result<Self> {
                $( let $req: $rty = crate::functions::converted(crate::functions::word(stringify!($req)), $req)?; )*
                Ok($Args::new($( $req, )* $( $tensors, )*))
            }
            $( $(
                pub(crate) fn $opt(&self) -> $oty {
                    self.$opt.clone().unwrap_or_else(|| $default.into())
                }
            )? )*
        }

        impl crate::functions::ArgumentSet for $Args {
            fn describe(into: &mut Vec<crate::functions::ArgumentDef>) {
                use crate::functions::ArgumentDef;
                let _ = &into;
                $( into.push(ArgumentDef::of::<$rty>(crate::functions::word(stringify!($req)), $rdoc, true, None)); )*
                $( <$Tensors as crate::functions::ArgumentSet>::describe(into); )*
                $(
                    #[allow(unused_mut, unused_assignments, reason = "not every argument has a default")]
                    let mut default: Option<$oty> = None;
                    $( default = Some($default.into()); )?
                    into.push(ArgumentDef::of::<$oty>(stringify!($opt), $odoc, false, default));
                )*
                $( <$Set as crate::functions::ArgumentSet>::describe(into); )*
            }
            fn take(from: &mut crate::functions::Given) -> Result<Self, crate::functions::BadArgument> {
                let _ = &from;
                Ok($Args {
                    $( $req: from.required(crate::functions::word(stringify!($req)))?, )*
                    $( $tensors: crate::functions::ArgumentSet::take(from)?, )*
                    $( $opt: from.optional(stringify!($opt))?, )*
                    $( $set: crate::functions::ArgumentSet::take(from)?, )*
                })
            }
            fn put(&self, into: &mut indexmap::IndexMap<&'static str, crate::functions::Value>) {
                #[allow(unused_imports, reason = "a set may be empty")]
                use crate::functions::Argument as _;
                let _ = &into;
                $( into.insert(crate::functions::word(stringify!($req)), self.$req.to_value()); )*
                $( crate::functions::ArgumentSet::put(&self.$tensors, into); )*
                $( if let Some(v) = &self.$opt { into.insert(stringify!($opt), v.to_value()); } )*
                $( crate::functions::ArgumentSet::put(&self.$set, into); )*
            }
            fn visit_operands(&mut self, f: &mut dyn FnMut(&'static str, &mut crate::Operand)) {
                #[allow(unused_imports, reason = "a set may be empty")]
                use crate::functions::Argument as _;
                let _ = &f;
                $( self.$req.visit(&mut |o| f(crate::functions::word(stringify!($req)), o)); )*
                $( crate::functions::ArgumentSet::visit_operands(&mut self.$tensors, f); )*
                $( if let Some(v) = &mut self.$opt { v.visit(&mut |o| f(stringify!($opt), o)); } )*
                $( crate::functions::ArgumentSet::visit_operands(&mut self.$set, f); )*
            }
        }
    };
    (
        @setters $Args:ident {
            $( $rdoc:literal $req:ident: $rty:ty, )*
            $( ..$tensors:ident: $Tensors:ident, )*
            ;
            $( $odoc:literal $opt:ident: $oty:ty $(= $default:expr)?, )*
            $( ..$set:ident: $Set:ident { $( $sopt:ident: $sty:ty ),* $(,)? }, )*
        }
    ) => {
        impl<T: crate::functions::Target> crate::functions::Call<T, $Args> {
            $(
                #[doc = $odoc]
                pub fn $opt(self, value: impl TryInto<$oty, Error: std::fmt::Display>) -> Self {
                    self.set(stringify!($opt), value, |args, value| args.$opt = Some(value))
                }
            )*
            $( $(
                #[doc = concat!("See [`", stringify!($Set), "::", stringify!($sopt), "`](crate::functions::args::", stringify!($Set), ").")]
                pub fn $sopt(self, value: impl TryInto<$sty, Error: std::fmt::Display>) -> Self {
                    self.set(stringify!($sopt), value, |args, value| args.$set.$sopt = Some(value))
                }
            )* )*
        }
    };
    (
        @one $Args:ident $outputs:tt {
            $( $rdoc:literal $req:ident: $rty:ty, )*
            $( ..$tensors:ident: $Tensors:ident, )*
            ;
            $($rest:tt)*
        }
        $name:ident $doc:expr, [$g:ident $x:ident $i:ident] { $( $example:stmt; )* } $lower:expr
    ) => {
        /// The function, for calls by other functions.
        pub(crate) mod $name {
            #[allow(unused_imports, reason = "not every lowering names something")]
            use super::*;
            pub(crate) const FUNCTION: crate::functions::Function<$Args> =
                crate::functions::Function { name: stringify!($name), outputs: &$outputs, lower: $lower };
            #[allow(unused, reason = "an example need not use all that it gets and makes")]
            pub(super) fn example<'g>(
                $g: &'g crate::GraphBuilder,
                $x: crate::Value<'g>,
                $i: crate::Value<'g>,
            ) -> crate::Result<()> {
                use crate::*;
                $( $example; )*
                Ok(())
            }
        }

        /// Returns the function's description, for the list of functions.
        pub(crate) const fn $name() -> crate::functions::FunctionDef {
            crate::functions::FunctionDef {
                name: stringify!($name),
                doc: $doc,
                module: module_path!(),
                example: &[$( stringify!($example) ),*],
                run_example: $name::example,
                outputs: &$outputs,
                output_count: <<$Args as crate::functions::Arguments>::Output as crate::functions::Outputs>::COUNT,
                describe: <$Args as crate::functions::ArgumentSet>::describe,
                arguments: std::sync::OnceLock::new(),
                call: |graph, given, named| {
                    crate::functions::call_by_name($name::FUNCTION, graph, given, named)
                },
            }
        }

        impl crate::Graph {
            #[doc = $doc]
            #[doc = concat!(
                "\n\nWhat the arguments mean: [`args::", stringify!($Args), "`](crate::functions::args::",
                stringify!($Args), "). Errors come from [`Call::call`](crate::functions::Call::call)."
            )]
            #[allow(clippy::too_many_arguments, reason = "as many as TpuLang's function has")]
            pub fn $name(
                &mut self, $( $req: impl TryInto<$rty, Error: std::fmt::Display>, )* $( $tensors: $Tensors, )*
            ) -> crate::functions::Call<&mut crate::Graph, $Args> {
                crate::functions::Call::with_arguments(self, $name::FUNCTION, $Args::converted($( $req, )* $( $tensors, )*))
            }
        }
    };
    // The end of the documentation of a function of values: where to read on, and the example.
    ( @links $Args:ident { $( $example:stmt; )* } ) => {
        concat!(
            "\n\nWhat the arguments mean: [`args::", stringify!($Args), "`](crate::functions::args::",
            stringify!($Args), "). Errors come from [`Call::call`](crate::functions::Call::call).\n\n```\n",
            "# use tpulang::*;\n# let g = GraphBuilder::new(\"g\")?;\n",
            "# let x = g.input(\"x\", Dtype::Float32, [1, 3, 8, 8])?;\n",
            "# let i = g.input(\"i\", Dtype::Int8, [1, 3, 8, 8])?;\n",
            $( stringify!($example), ";\n", )* "# Ok::<(), Error>(())\n```"
        )
    };
    // A function whose first argument is a tensor is a method of values.
    (
        @built $Args:ident {
            $fdoc:literal $first:ident: Operand,
            $( $rdoc:literal $req:ident: $rty:ty, )*
            $( ..$tensors:ident: $Tensors:ident, )*
            ;
            $($rest:tt)*
        }
        $name:ident $doc:expr, $example:tt
    ) => {
        function! { @method $Args [$($req: $rty,)*] [$($tensors: $Tensors,)*] $name $doc, $example }
    };
    // A number may come first, too.
    (
        @built $Args:ident {
            $fdoc:literal $first:ident: TensorOrScalar,
            $( $rdoc:literal $req:ident: $rty:ty, )*
            ;
            $($rest:tt)*
        }
        $name:ident $doc:expr, $example:tt
    ) => {
        function! { @method $Args [$($req: $rty,)*] [] $name $doc, $example }
        function! { @builder $Args [$first: TensorOrScalar, $($req: $rty,)*] [] $name $doc, $example }
    };
    // The others are methods of the builder.
    (
        @built $Args:ident {
            $( $rdoc:literal $req:ident: $rty:ty, )*
            $( ..$tensors:ident: $Tensors:ident, )*
            ;
            $($rest:tt)*
        }
        $name:ident $doc:expr, $example:tt
    ) => {
        function! { @builder $Args [$($req: $rty,)*] [$($tensors: $Tensors,)*] $name $doc, $example }
    };
    (
        @builder $Args:ident [$( $req:ident: $rty:ty, )*] [$( $tensors:ident: $Tensors:ident, )*] $name:ident $doc:expr,
        $example:tt
    ) => {
        impl crate::GraphBuilder {
            #[doc = $doc]
            #[doc = function! { @links $Args $example }]
            #[allow(clippy::too_many_arguments, reason = "as many as TpuLang's function has")]
            pub fn $name(
                &self, $( $req: impl TryInto<$rty, Error: std::fmt::Display>, )* $( $tensors: $Tensors, )*
            ) -> crate::functions::Call<&crate::GraphBuilder, $Args> {
                crate::functions::Call::with_arguments(self, $name::FUNCTION, $Args::converted($( $req, )* $( $tensors, )*))
            }
        }
    };
    (
        @method $Args:ident [$( $req:ident: $rty:ty, )*] [$( $tensors:ident: $Tensors:ident, )*] $name:ident $doc:expr,
        $example:tt
    ) => {
        impl<'g> crate::Value<'g> {
            #[doc = $doc]
            #[doc = function! { @links $Args $example }]
            #[allow(clippy::too_many_arguments, reason = "as many as TpuLang's function has")]
            #[allow(clippy::should_implement_trait, reason = "`+` is the same call")]
            pub fn $name(
                self, $( $req: impl TryInto<$rty, Error: std::fmt::Display>, )* $( $tensors: $Tensors, )*
            ) -> crate::functions::Call<&'g crate::GraphBuilder, $Args> {
                crate::functions::Call::with_arguments(self.builder(), $name::FUNCTION, $Args::converted(self, $( $req, )* $( $tensors, )*))
            }
        }
    };
}
pub(crate) use function;
