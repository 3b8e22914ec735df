//! Films, played by a decoder that has nothing to do with the encoder.

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use taffeta_render::Image;
use taffeta_render::film::{Film, FilmError, FilmSettings};

const SIZE: [u32; 2] = [160, 90];
const LEFT: [u8; 3] = [200, 40, 30];

/// Two halves, of which the right one gets brighter with the number of the picture; a texture on both.
fn picture(number: u8) -> Image {
    Image::from_fn(SIZE[0], SIZE[1], |x, y| {
        let color = if x < SIZE[0] / 2 { LEFT } else { [20, 60, 80 + 10 * number] };
        color.map(|c| c + ((x * 7 + y * 13) % 4) as u8)
    })
}

fn write(path: &Path, settings: FilmSettings, count: u8) {
    let mut film = Film::create(path, settings).unwrap();
    for number in 0..count {
        film.add(&picture(number % 16), f64::from(number + 1) / 24.0).unwrap();
    }
    film.finish().unwrap();
}

/// Plays a film in a player, and returns its report.
fn play(film: &Path) -> Value {
    let interpreter = std::env::var_os("TAFFETA_PYTHON").expect("run these tests by tests/external/run");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/external/play.py");
    let output = Command::new(interpreter).arg(script).arg(film).output().expect("the interpreter runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "needs tests/external/run"]
fn a_player_shows_the_pictures_of_a_film_at_their_times() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    write(&path, FilmSettings::new(SIZE), 70);
    let played = play(&path);
    assert!(played["container"].as_str().unwrap().contains("mp4"), "{played}");
    assert_eq!((&played["codec"], &played["pixels"]), (&"h264".into(), &"yuv420p".into()));
    assert_eq!(played["size"], serde_json::json!(SIZE));
    assert!((played["duration"].as_f64().unwrap() - 70.0 / 24.0).abs() < 1e-6, "{}", played["duration"]);
    let frames = played["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 70);
    for (number, frame) in frames.iter().enumerate() {
        assert!((frame["time"].as_f64().unwrap() - number as f64 / 24.0).abs() < 1e-4, "{frame}");
        assert_eq!(frame["key"], number % 60 == 0, "one can jump to every sixtieth: {number}");
        let right = [20, 60, 80 + 10 * (number % 16) as u8];
        for (seen, meant) in frame["colors"].as_array().unwrap().iter().zip([LEFT, right]) {
            for (seen, meant) in seen.as_array().unwrap().iter().zip(meant) {
                let off = seen.as_i64().unwrap() - i64::from(meant);
                assert!((-6..=9).contains(&off), "picture {number}: {frame} for {meant}");
            }
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
}

#[test]
fn the_same_pictures_give_the_same_film_and_less_quality_a_smaller_one() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, quality| {
        let path = folder.path().join(name);
        write(&path, FilmSettings { quality, ..FilmSettings::new(SIZE) }, 12);
        std::fs::read(path).unwrap()
    };
    let usual = write("a.mp4", 75);
    assert_eq!(write("b.mp4", 75), usual);
    assert!(write("b.mp4", 20).len() < usual.len() && usual.len() < write("c.mp4", 100).len());
    assert_eq!(std::fs::read(folder.path().join("a.mp4")).unwrap(), usual);
}

#[test]
#[ignore = "needs tests/external/run"]
fn a_picture_by_itself_is_a_film_and_none_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let empty = Film::create(&path, FilmSettings::new(SIZE)).unwrap();
    assert!(matches!(empty.finish(), Err(FilmError::Empty)));
    let mut film = Film::create(&path, FilmSettings::new(SIZE)).unwrap();
    film.add(&picture(3), 1.0).unwrap();
    assert!(!path.exists(), "the file appears when it is complete");
    film.finish().unwrap();
    assert_eq!(play(&path)["frames"].as_array().unwrap().len(), 1);
}

#[test]
fn what_cannot_be_a_film_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let refusal = |settings: FilmSettings| settings.validate().unwrap_err().to_string();
    for size in [[161, 90], [160, 91], [0, 0], [8, 90], [5000, 90], [3000, 3000], [u32::MAX, 2]] {
        assert!(refusal(FilmSettings::new(size)).contains("must be even"), "{size:?}");
        assert!(Film::create(&path, FilmSettings::new(size)).is_err());
    }
    FilmSettings::new([2160, 3840]).validate().unwrap();
    for quality in [0, 101] {
        assert!(refusal(FilmSettings { quality, ..FilmSettings::new(SIZE) }).contains("from 1 to 100"));
    }
    let mut film = Film::create(&path, FilmSettings::new(SIZE)).unwrap();
    let wrong = film.add(&Image::new(16, 16, [0; 3]), 1.0).unwrap_err().to_string();
    assert!(wrong.contains("[16, 16]"), "{wrong}");
    film.add(&picture(0), 1.0).unwrap();
    for until in [1.0, 0.5, -1.0, f64::NAN, 1e9] {
        assert!(matches!(film.add(&picture(0), until), Err(FilmError::Time { .. })), "{until}");
    }
    let nowhere = folder.path().join("nowhere").join("film.mp4");
    let missing = Film::create(&nowhere, FilmSettings::new(SIZE)).map(drop).unwrap_err().to_string();
    assert!(missing.contains("nowhere") && missing.contains("could not be written"), "{missing}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the film that is not finished");
}
