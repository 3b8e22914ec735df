//! Writes the mannequin, standing and walking, and the sewing patterns of the scenes into `meshes/`.
//!
//! `cargo run --example garments`

use std::path::Path;
use taffeta_fixtures::garments::{TShirt, pillow, skirt, t_shirt, tunic};
use taffeta_fixtures::mannequin::mannequin_obj;
use taffeta_fixtures::walk::walk_glb;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes");
    let files = [
        ("mannequin.obj", mannequin_obj().into_bytes()),
        ("walk.glb", walk_glb()),
        ("t_shirt.json", t_shirt(&TShirt::default()).into_bytes()),
        ("tunic.json", tunic().into_bytes()),
        ("skirt.json", skirt().into_bytes()),
        ("pillow.json", pillow().into_bytes()),
    ];
    for (name, bytes) in files {
        println!("meshes/{name}: {} bytes", bytes.len());
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
