//! Messages of the page, one per line, to a small simulation that runs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::scene::Scene;
use taffeta_view::LiveShow;

const SCENE: &str = r#"
[simulation]
duration = 1.0
threads = 1

[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [3, 3] }
material = "cotton"
remesh = { size_min = 0.2, size_max = 0.5 }

[[cloth.pin]]
where = { box = [[-0.01, 0.99, -1], [1.01, 1.01, 1]] }

[[obstacle]]
shape = { sphere = { radius = 0.2 } }
place = { translate = [0.5, 0.3, -0.4] }
"#;
/// Messages that are taken: steps take milliseconds each.
const MAX_MESSAGES: usize = 20;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let scene = Scene::from_str(SCENE, Path::new("scene.toml"), &[]).expect("a good scene");
    let mut show = LiveShow::new(&scene, "fuzz").expect("a good scene");
    for line in text.lines().take(MAX_MESSAGES) {
        _ = show.take_message(line);
        let positions = &show.world().motion().positions.raw;
        assert!(positions.iter().all(|x| x.is_finite()), "after {line}");
    }
});
