//! The files of the page, which are part of the program.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    /// Its path on the server.
    pub path: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Content of the file.
    pub bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($path:literal, $kind:expr, $file:literal) => {
        Asset { path: $path, kind: $kind, bytes: include_bytes!(concat!("../../page/", $file)) }
    };
}

/// All files of the page.
pub(crate) const ASSETS: &[Asset] = &[
    asset!("/", HTML, "index.html"),
    asset!("/style.css", STYLE, "style.css"),
    asset!("/main.js", SCRIPT, "main.js"),
    asset!("/connection.js", SCRIPT, "connection.js"),
    asset!("/stage.js", SCRIPT, "stage.js"),
    asset!("/light.js", SCRIPT, "light.js"),
    asset!("/floor.js", SCRIPT, "floor.js"),
    asset!("/weave.js", SCRIPT, "weave.js"),
    asset!("/charts.js", SCRIPT, "charts.js"),
    asset!("/hem.js", SCRIPT, "hem.js"),
    asset!("/colors.js", SCRIPT, "colors.js"),
    asset!("/pointer.js", SCRIPT, "pointer.js"),
    asset!("/sewing.js", SCRIPT, "sewing.js"),
    asset!("/lines.js", SCRIPT, "lines.js"),
    asset!("/keys.js", SCRIPT, "keys.js"),
    asset!("/panel.js", SCRIPT, "panel.js"),
    asset!("/notices.js", SCRIPT, "notices.js"),
    asset!("/plots.js", SCRIPT, "plots.js"),
    asset!("/vendor/three.module.min.js", SCRIPT, "vendor/three.module.min.js"),
    asset!("/vendor/three.core.min.js", SCRIPT, "vendor/three.core.min.js"),
    asset!("/vendor/OrbitControls.js", SCRIPT, "vendor/OrbitControls.js"),
];

/// The file of a path.
pub(crate) fn find_asset(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_no_other_machine() {
        for asset in ASSETS.iter().filter(|asset| !asset.path.starts_with("/vendor/")) {
            let text = std::str::from_utf8(asset.bytes).expect("text");
            let address = ["http://", "https://", "//cdn"].iter().find(|word| text.contains(**word));
            assert!(address.is_none(), "{} has {address:?}", asset.path);
        }
    }

    #[test]
    fn every_script_that_the_page_imports_is_there() {
        for asset in ASSETS.iter().filter(|asset| asset.kind == SCRIPT && !asset.path.starts_with("/vendor/"))
        {
            let text = std::str::from_utf8(asset.bytes).expect("text");
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let name = line.split('"').nth(1).expect("a name in quotes");
                let path = name.replace("./", "/");
                let is_mapped = name == "three";
                assert!(is_mapped || find_asset(&path).is_some(), "{} imports {name}", asset.path);
            }
        }
    }
}
