//! Compiles the `.proto` files without a system compiler.

use std::path::PathBuf;

use protox::prost::Message as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = ["common", "worker", "client"].map(|name| format!("palaestra/v1alpha1/{name}.proto"));
    println!("cargo:rerun-if-changed=palaestra");
    let descriptors = protox::compile(files, ["."])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
