use super::{Outcome, print};
use tpulang::spec::json_schema;

/// Print the JSON Schema of graph specs, for your editor
#[derive(clap::Args)]
#[command(after_help = "\
Save the schema and name it in a spec as \"$schema\": the editor then completes and checks it.

Example:
  tpulang schema > tpulang.schema.json")]
pub struct Args {}

pub fn main(_: Args) -> Outcome {
    print(&format!("{:#}\n", json_schema()))?;
    Ok(true)
}
