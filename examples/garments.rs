//! Writes the mannequin and the sewing patterns of the scenes into `meshes/`.
//!
//! `cargo run --example garments`

use std::path::Path;
use taffeta_fixtures::garments::{TShirt, skirt, t_shirt, tunic};
use taffeta_fixtures::mannequin::mannequin_obj;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes");
    let files = [
        ("mannequin.obj", mannequin_obj()),
        ("t_shirt.json", t_shirt(&TShirt::default())),
        ("tunic.json", tunic()),
        ("skirt.json", skirt()),
    ];
    for (name, text) in files {
        println!("meshes/{name}: {} bytes", text.len());
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
