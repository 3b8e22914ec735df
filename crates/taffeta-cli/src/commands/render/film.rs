//! Films of frames as MP4 files, by an encoder that the program has only if it is built with its feature `mp4`.

use super::Drawing;
use crate::args::RenderOptions;
use crate::failure::Failure;
#[cfg(feature = "mp4")]
use taffeta_render::film::{Film, FilmSettings};

/// Width and height \[pixels\].
pub(super) const FILM_SIZE: [u32; 2] = [1280, 720];
/// Most pictures per second that are drawn unless the frames are chosen \[1/s\]: screens show no more.
pub(super) const HIGHEST_RATE: f64 = 60.0;

/// Checks the options of a film of a size \[pixels\], before any frame is read.
#[cfg(not(feature = "mp4"))]
pub(super) fn check(_options: &RenderOptions, _size: [u32; 2]) -> Result<(), Failure> {
    Err(Failure::Usage(
        "--mp4: this program was built without an encoder for films\n  = build it with `cargo build --release --features \
         mp4`, for which a C++ compiler is needed, or draw a --gif"
            .to_owned(),
    ))
}

/// Checks the options of a film of a size \[pixels\], before any frame is read.
#[cfg(feature = "mp4")]
pub(super) fn check(options: &RenderOptions, size: [u32; 2]) -> Result<(), Failure> {
    settings(options.quality, size, 1.0).validate().map_err(|error| Failure::usage(&error))
}

#[cfg(feature = "mp4")]
fn settings(quality: Option<u8>, size: [u32; 2], rate: f64) -> FilmSettings {
    let usual = FilmSettings::new(size);
    FilmSettings { quality: quality.unwrap_or(usual.quality), rate, ..usual }
}

impl Drawing {
    /// Unreachable: [`check`] comes before.
    #[cfg(not(feature = "mp4"))]
    pub(super) fn write_film(&self, options: &RenderOptions) -> Result<(), Failure> {
        check(options, FILM_SIZE)
    }

    /// Draws the frames and writes them as a film in the time of the scene.
    #[cfg(feature = "mp4")]
    pub(super) fn write_film(&self, options: &RenderOptions) -> Result<(), Failure> {
        let usage = |error| Failure::usage(&error);
        let ends =
            find_ends(&self.frames.iter().map(|frame| self.source.time_of(*frame)).collect::<Vec<_>>());
        let rate = ends.len() as f64 / ends[ends.len() - 1];
        let size = [self.picture.width, self.picture.height];
        let mut film = Film::create(&self.path, settings(options.quality, size, rate)).map_err(usage)?;
        let mut ends = ends.into_iter();
        self.draw_all(&self.frames, |_, image| {
            film.add(&image, ends.next().unwrap_or_default()).map_err(usage)
        })?;
        film.finish().map_err(usage)
    }
}

/// When each of some pictures goes \[s\], from the times at which they come, which increase: when the next one comes. The
/// last one stays as long as the one before, and one by itself for a second.
#[cfg(any(test, feature = "mp4"))]
fn find_ends(times: &[f64]) -> Vec<f64> {
    let first = times.first().copied().unwrap_or_default();
    let mut ends: Vec<f64> = times.iter().skip(1).map(|time| time - first).collect();
    let last = match ends[..] {
        [] => 1.0,
        [only] => 2.0 * only,
        [.., before, last] => 2.0 * last - before,
    };
    ends.push(last);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_stays_until_the_next_one_comes() {
        assert_eq!(find_ends(&[0.5, 0.75, 1.25]), [0.25, 0.75, 1.25]);
        assert_eq!(find_ends(&[2.0, 3.0]), [1.0, 2.0]);
        assert_eq!(find_ends(&[2.0]), [1.0]);
    }
}
