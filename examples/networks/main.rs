//! ResNet-50, BERT and a quantized network, whose layers are structs. They are written for the tool chain:
//!
//! ```sh
//! cargo run --example model_weights -- bert bert.npz          # or those of a trained network
//! cargo run --example networks -- bert bert.npz build
//! ```
pub mod bert;
mod layers;
pub mod quantized;
pub mod resnet50;

use tpulang::{Error, Result, mlir};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, weights, folder] = arguments.as_slice() else {
        return Err(Error::new("usage: networks resnet50|bert|quantized WEIGHTS FOLDER"));
    };
    let graph = match name.as_str() {
        "resnet50" => resnet50::resnet50(weights, 1, 224)?,
        "bert" => bert::bert(weights, bert::Config::BASE)?,
        "quantized" => quantized::quantized(weights)?,
        other => return Err(Error::new(format!("the network is {other:?}; expected resnet50, bert or quantized"))),
    };
    graph.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
    println!("{}", mlir::write_pair(&graph, folder)?.mlir.display());
    Ok(())
}
