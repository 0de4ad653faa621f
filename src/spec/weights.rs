//! The weights files of a spec.
use super::node::Node;
use crate::{
    array::{Array, WeightFile, coefficient_type},
    base::{Dtype, Error, Result, Shape, Suggestions, invalid},
    graph::Graph,
};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// The files that `weights` names, which are opened when they are needed.
pub(super) struct Weights<'a> {
    node: Option<Node<'a>>,
    /// The folder of relative paths; without one, the files are not opened.
    dir: Option<PathBuf>,
    /// Whether declared tensors get data.
    loads: bool,
    files: Option<Files>,
    suggestions: Suggestions,
}

/// Open files.
struct Files {
    /// With the prefix of its names.
    all: Vec<(String, WeightFile)>,
    /// The file of each name. A single file finds names by itself.
    by_name: HashMap<String, usize>,
}

impl<'a> Weights<'a> {
    pub fn new(node: Option<Node<'a>>, dir: Option<&Path>, loads: bool) -> Weights<'a> {
        Weights { node, dir: dir.map(Path::to_owned), loads, files: None, suggestions: Suggestions::default() }
    }
    /// Opens the files if data are read from them.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if two have an array of the same name.
    pub fn open(&mut self) -> Result<()> {
        if self.loads { self.files().map(drop) } else { Ok(()) }
    }
    /// Returns the files, if there are any and they may be read.
    fn files(&mut self) -> Result<Option<&mut Files>> {
        if let (None, Some(node), Some(dir)) = (&self.files, &self.node, &self.dir) {
            self.files = Some(Files::open(node, dir)?);
        }
        Ok(self.files.as_mut())
    }
    /// Returns the data of a declared tensor; `None` if data are not read.
    ///
    /// # Errors
    /// Returns an error if there are none, or if they have another type.
    pub fn data(&mut self, name: &str, dtype: Dtype, shape: &Shape) -> Result<Option<Array>> {
        match self.loads {
            true => self.files()?.map(|files| files.read_as(name, dtype, shape)).transpose(),
            false => Ok(None),
        }
    }
    /// Returns the dtype and shape of an array, if there is one of that name.
    ///
    /// # Errors
    /// Returns an error if a file or the array cannot be read.
    pub fn type_of(&mut self, name: &str) -> Result<Option<(Dtype, Shape)>> {
        let wanted = !self.loads && self.files.is_none();
        let hint = |e: Error| match wanted {
            true => invalid(format!("{e}; {name:?} is not declared in \"tensors\", so the file gives its shape")),
            false => e,
        };
        let node = self.node.clone();
        let files = self.files().map_err(|e| node.iter().fold(hint(e), |e, node| e.at(node.place())))?;
        files
            .and_then(|files| files.file(name))
            .map(|(file, stored)| Ok(coefficient_type(&file.read(&stored)?)))
            .transpose()
    }
    /// Returns the names in the files that are open.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let all = self.files.iter().flat_map(|files| &files.all);
        all.flat_map(|(prefix, file)| file.names().into_iter().map(move |name| format!("{prefix}{name}")))
    }
    /// Returns the most similar name in the files that are open, or `or` if that is more similar.
    pub fn nearest(&self, name: &str, or: Option<&str>) -> Option<String> {
        let names: Vec<String> = self.names().collect();
        self.suggestions.nearest(name, names.iter().map(String::as_str).chain(or))
    }
    /// Returns the arrays that are not coefficients of a graph, with their files, in a reproducible order.
    pub fn unused(&self, graph: &Graph) -> Vec<(String, PathBuf)> {
        let is_used =
            |name: &str| graph.lookup(name).and_then(|t| graph.tensor(t).ok()).is_some_and(|t| t.is_coefficient());
        let mut unused = Vec::new();
        for (prefix, file) in self.files.iter().flat_map(|files| &files.all) {
            let names = file.unused(|name| is_used(&format!("{prefix}{name}")));
            unused.extend(names.into_iter().map(|name| (format!("{prefix}{name}"), file.path().to_owned())));
        }
        unused.sort_unstable();
        unused
    }
    /// Whether the spec names files that may not be read.
    pub fn is_unread(&self) -> bool {
        self.node.is_some() && self.dir.is_none()
    }
}

impl Files {
    /// Opens one file, a list of files, or files with the prefixes of their names.
    fn open(node: &Node, dir: &Path) -> Result<Files> {
        let mut nodes = Vec::new();
        match node.text().as_bytes().first() {
            Some(b'{') => {
                for (prefix, files) in node.object()? {
                    nodes.extend(one_or_many(files)?.into_iter().map(|file| (prefix.clone(), file)));
                }
            }
            _ => nodes.extend(one_or_many(node.clone())?.into_iter().map(|file| (String::new(), file))),
        }
        let mut files = Files { all: Vec::new(), by_name: HashMap::new() };
        let several = nodes.len() > 1;
        for (prefix, node) in nodes {
            let path: String = node.read()?;
            let file = WeightFile::open(dir.join(path)).map_err(|e| e.at(node.place()))?;
            let mut names = if several { file.names() } else { Vec::new() };
            // So that messages are always the same.
            names.sort_unstable();
            for name in names {
                let name = format!("{prefix}{name}");
                if let Some(other) = files.by_name.get(&name) {
                    let problem = format!(
                        "the array {name:?} is also in {}; a prefix tells them apart: {{\"a.\": \"FILE\"}}",
                        crate::base::escaped_path(files.all[*other].1.path())
                    );
                    return Err(node.problem(problem));
                }
                files.by_name.insert(name, files.all.len());
            }
            files.all.push((prefix, file));
        }
        Ok(files)
    }
    /// Returns the file that has a tensor's data, and the name there.
    fn file(&mut self, name: &str) -> Option<(&mut WeightFile, String)> {
        let index = if self.all.len() == 1 { 0 } else { *self.by_name.get(name)? };
        let (prefix, file) = &mut self.all[index];
        let stored = name.strip_prefix(prefix.as_str()).filter(|stored| file.has(stored))?.to_owned();
        Some((file, stored))
    }
    fn read_as(&mut self, name: &str, dtype: Dtype, shape: &Shape) -> Result<Array> {
        if let Some((file, stored)) = self.file(name) {
            return file.read_as(&stored, dtype, shape);
        }
        match self.all.as_mut_slice() {
            // Its error suggests a similar name.
            [(prefix, file)] if prefix.is_empty() => file.read_as(name, dtype, shape),
            all => {
                let names: Vec<_> = all.iter().map(|(_, file)| crate::base::escaped_path(file.path())).collect();
                Err(invalid(format!("there is no array {name:?} in {}", crate::base::truncated(&names.join(", ")))))
            }
        }
    }
}

fn one_or_many(node: Node) -> Result<Vec<Node>> {
    if node.text().starts_with('[') { node.list() } else { Ok(vec![node]) }
}
