use super::{Outcome, print};
use tpulang::spec::json_schema;

/// Print the JSON Schema of graph specs
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tpulang schema > tpulang.schema.json")]
pub struct Args {}

pub fn main(_: Args) -> Outcome {
    print(&format!("{:#}\n", json_schema()))?;
    Ok(true)
}
