//! Names of tensors, and the scopes in which they are created and looked up.
use super::{Graph, Tensor, TensorInfo};
use crate::base::{Cause, MAX_LISTED, Result, check_name, truncated};
use std::collections::HashMap;

/// A scope of names.
#[derive(Debug, Clone, Default)]
#[doc(hidden)]
pub struct Scope {
    /// Prefix of new names: `head/attention/`.
    pub(super) prefix: String,
    /// In a function of a spec: the tensors bound to its inputs. Other outer tensors are hidden, except coefficients.
    bound: Option<HashMap<String, Tensor>>,
}

impl Graph {
    /// Returns the tensor with the given name, in the current scope or by its full name.
    ///
    /// # Errors
    /// Returns an error if there is no such tensor, with the most similar name, or all names if they are few.
    pub fn find(&self, name: &str) -> Result<Tensor> {
        self.lookup(name).ok_or_else(|| {
            let nearest = self.suggestions.nearest(name, self.visible_names());
            let known = if nearest.is_none() { self.few_names() } else { Vec::new() };
            Cause::UnknownName { kind: "tensor", name: truncated(name), nearest, known }.into()
        })
    }
    /// Returns the names that [`Graph::lookup`] finds, without the prefix of the current scope.
    fn visible_names(&self) -> impl Iterator<Item = &str> {
        let Scope { prefix, bound } = &self.scope;
        let visible = |info: &TensorInfo| !info.of_call && !info.is_local;
        let of_graph = self.tensors().filter(move |(_, info)| visible(info)).filter_map(move |(_, info)| {
            let scoped = info.name.strip_prefix(prefix.as_str()).filter(|_| !prefix.is_empty());
            let is_seen_inside = bound.is_none() || info.is_coefficient();
            scoped.or(Some(info.name.as_str()).filter(|_| is_seen_inside))
        });
        let of_function = bound.iter().flat_map(HashMap::keys).map(String::as_str);
        of_function.chain(of_graph)
    }
    /// Returns the names that are visible if they are few enough to be listed in a message.
    fn few_names(&self) -> Vec<String> {
        let mut names: Vec<&str> = self.visible_names().take(MAX_LISTED + 1).collect();
        let bound = self.scope.bound.as_ref().map_or(0, HashMap::len).min(names.len());
        // They are in no order.
        names[..bound].sort_unstable();
        if names.len() > MAX_LISTED { Vec::new() } else { names.into_iter().map(truncated).collect() }
    }
    /// Like [`Graph::find`], but returns `None` if there is no such tensor.
    #[doc(hidden)]
    pub fn lookup(&self, name: &str) -> Option<Tensor> {
        let Scope { prefix, bound } = &self.scope;
        let scoped = (!prefix.is_empty()).then(|| self.by_name.get(&format!("{prefix}{name}"))).flatten();
        let found = bound.as_ref().and_then(|b| b.get(name)).or(scoped).copied();
        let outside = || self.by_name.get(name).copied();
        let hidden = |t: &Tensor| bound.is_some() && !self.tensor(*t).is_ok_and(TensorInfo::is_coefficient);
        found.or_else(|| outside().filter(|t| !hidden(t)))
    }

    /// Runs `build` with every new name prefixed by `name/`.
    ///
    /// # Errors
    /// Returns the errors of `build`, or an error if the name is invalid.
    pub fn scope<R>(&mut self, name: &str, build: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        let inner = self.inner_scope(name)?;
        self.in_scope(inner, build)
    }
    fn inner_scope(&self, name: &str) -> Result<Scope> {
        check_name(name)?;
        Ok(Scope { prefix: format!("{}{name}/", self.scope.prefix), bound: self.scope.bound.clone() })
    }
    /// Enters a scope, for languages without closures. Returns the outer one for [`Graph::leave_scope`].
    #[doc(hidden)]
    pub fn enter_scope(&mut self, name: &str) -> Result<Scope> {
        let inner = self.inner_scope(name)?;
        Ok(std::mem::replace(&mut self.scope, inner))
    }
    /// Enters the scope `name`, in which only its own tensors, coefficients and the tensors of `bound` are visible. Returns
    /// the outer scope for [`Graph::leave_scope`].
    #[doc(hidden)]
    pub fn enter_function(&mut self, name: &str, bound: HashMap<String, Tensor>) -> Result<Scope> {
        check_name(name)?;
        let inner = Scope { prefix: format!("{}{name}/", self.scope.prefix), bound: Some(bound) };
        Ok(std::mem::replace(&mut self.scope, inner))
    }
    /// Leaves all scopes. Returns the current one for [`Graph::leave_scope`].
    #[doc(hidden)]
    pub fn enter_root(&mut self) -> Scope {
        std::mem::take(&mut self.scope)
    }
    #[doc(hidden)]
    pub fn leave_scope(&mut self, outer: Scope) {
        self.scope = outer;
    }
    /// Runs `build` outside of all scopes.
    pub(super) fn in_root_scope<R>(&mut self, build: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        self.in_scope(Scope::default(), build)
    }
    fn in_scope<R>(&mut self, inner: Scope, build: impl FnOnce(&mut Graph) -> Result<R>) -> Result<R> {
        /// Leaves the scope, even if `build` panics.
        struct Leave<'g>(&'g mut Graph, Scope);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.scope = std::mem::take(&mut self.1);
            }
        }
        let outer = std::mem::replace(&mut self.scope, inner);
        build(Leave(self, outer).0)
    }
    /// Renames a tensor.
    #[doc(hidden)]
    pub fn rename(&mut self, tensor: Tensor, name: &str) -> Result<()> {
        check_name(name)?;
        let name = format!("{}{name}", self.scope.prefix);
        let old = self.tensor(tensor)?.name.clone();
        if self.by_name.get(&name).is_some_and(|t| *t != tensor) {
            return Err(Cause::DuplicateName(name).into());
        }
        self.by_name.remove(&old);
        self.by_name.insert(name.clone(), tensor);
        self.change(tensor, |t| t.name = name);
        Ok(())
    }

    /// Returns a free name in the current scope, without its prefix: `stem_<n>`, with the first free n from the number of
    /// calls on.
    #[doc(hidden)]
    pub fn free_name(&self, stem: &str) -> String {
        let free = |n: usize| !self.by_name.contains_key(&format!("{}{stem}_{n}", self.scope.prefix));
        let first = self.calls;
        // Taken numbers are mostly contiguous, and there may be too many to try each: gallop to a free one, then bisect.
        let Some(mut far) = (0..usize::BITS - 1).map(|i| (1 << i) - 1).find(|d| free(first.saturating_add(*d))) else {
            // Among more numbers than there are names, at least one is free.
            let n = (first..=first + self.by_name.len()).find(|n| free(*n)).unwrap_or(first);
            return format!("{stem}_{n}");
        };
        let mut taken = far / 2;
        while far - taken > 1 {
            let middle = taken + (far - taken) / 2;
            if free(first + middle) { far = middle } else { taken = middle }
        }
        format!("{stem}_{}", first + far)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dtype, Graph};

    #[test]
    fn free_names_are_found_among_many() {
        let mut g = Graph::new("g").unwrap();
        for i in (0..3000).chain([9000]) {
            g.input(&format!("relu_{i}"), Dtype::Float32, [1]).unwrap();
        }
        assert_eq!(g.free_name("relu"), "relu_3000");
        assert_eq!(g.free_name("tanh"), "tanh_0");
    }

    #[test]
    fn names_are_unique_deterministic_and_scoped() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, [1]).unwrap();
        let a = g.relu(x).call().unwrap();
        let b = g.scope("s", |g| g.relu("x").call()).unwrap();
        let c = g.scope("s", |g| g.scope("t", |g| g.relu(b).out_name("r").call())).unwrap();
        let names: Vec<_> = [a, b, c].map(|t| g.tensor(t).unwrap().name.clone()).into();
        assert_eq!(names, ["relu_0", "s/relu_1", "s/t/r"]);
        assert_eq!(
            g.relu(x).out_name("x").call().unwrap_err().to_string().lines().next(),
            Some("relu \"x\" (ops[3]): the name \"x\" is used already; every tensor needs its own")
        );
    }
}
