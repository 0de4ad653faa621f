//! Thresholds of tensors that only a canonical module has.
use crate::{
    Entry, Table,
    base::Result,
    graph::{Graph, Operator, Tensor},
    numbers,
    ops::Op,
    table::{MIN_THRESHOLD, is_table_name},
};

impl Table {
    /// Returns the table with entries for the tensors of a canonical module that it lacks. tpuc-opt adds such tensors when it moves an
    /// operator, such as a factor, to the other side of a Reshape. Their numbers are those of a tensor of the table, or of a constant, in
    /// another order.
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, calibrate::Table};
    /// let mut module = Graph::new("net")?;
    /// let x = module.input("x", Dtype::Float32, [2, 3])?;
    /// let added = module.relu(x).out_name("y_r_Relu").call()?;
    /// let y = module.reshape(added, [6]).out_name("y").call()?;
    /// module.set_outputs(&[y])?;
    /// let table = Table::parse("x 4 -4 4\ny 3 0 3")?;
    /// assert_eq!(table.completed_for(&module)?.entries["y_r_Relu"], table.entries["y"]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the numbers of a constant cannot be read.
    pub fn completed_for(&self, module: &Graph) -> Result<Table> {
        let mut table = self.clone();
        table.complete_forward(module)?;
        for operator in module.operators().iter().rev() {
            let Some((input, result)) = moved(operator) else { continue };
            let entry = table.entry(module, result)?;
            table.complete(module, input, entry)?;
        }
        // Other tensors may be moved from what has been found.
        table.complete_forward(module)?;
        Ok(table)
    }

    fn complete_forward(&mut self, module: &Graph) -> Result<()> {
        for operator in module.operators() {
            let Some((input, result)) = moved(operator) else { continue };
            let entry = match module.tensor(input)?.data() {
                Some(array) => Some(Entry::of(&numbers(array)?)),
                None => self.entry(module, input)?,
            };
            self.complete(module, result, entry)?;
        }
        Ok(())
    }

    fn entry(&self, module: &Graph, tensor: Tensor) -> Result<Option<Entry>> {
        Ok(self.entries.get(&module.tensor(tensor)?.name).copied())
    }

    /// Adds the entry of a computed tensor of floats, unless there is one, or a table cannot express it.
    fn complete(&mut self, module: &Graph, tensor: Tensor, entry: Option<Entry>) -> Result<()> {
        let info = module.tensor(tensor)?;
        let is_expressible = |entry: &Entry| {
            entry.threshold >= MIN_THRESHOLD && entry.threshold.is_finite() && is_table_name(&info.name)
        };
        if let Some(entry) = entry.filter(is_expressible).filter(|_| info.dtype.is_float() && !info.is_coefficient()) {
            self.entries.entry(info.name.clone()).or_insert(entry);
        }
        Ok(())
    }
}

/// Returns the operand and the result of an operator that moves all numbers of its operand, and adds none.
fn moved(operator: &Operator) -> Option<(Tensor, Tensor)> {
    let moves = matches!(
        operator.op,
        Op::Reshape(_) | Op::Permute(_) | Op::Squeeze(_) | Op::Unsqueeze(_) | Op::Tile(_) | Op::Expand(_)
    );
    let operand = operator.op.operands().map(|(_, t)| *t).next()?;
    operator.outputs().next().filter(|_| moves).map(|result| (operand, result))
}
