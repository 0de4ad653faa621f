//! `top.Custom`.
use super::{Attribute, Custom};

impl<V> Custom<V> {
    /// Returns the parameter of this name.
    ///
    /// ```
    /// use tpulang::ops::{Attribute, Custom, Dict};
    /// let params = vec![Dict::from([("alpha".into(), 0.5.into())])];
    /// let op = Custom::<()>::new(vec![], "leaky".into(), params);
    /// assert_eq!(op.param("alpha"), Some(&Attribute::Float(0.5)));
    /// ```
    pub fn param(&self, name: &str) -> Option<&Attribute> {
        self.params.iter().find_map(|dict| dict.get(name))
    }
}
