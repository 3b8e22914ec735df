//! `taffeta render`: pictures of frames.
//!
//! ```text
//! folder ──► Source ──► camera, scale of colors ──► frame by frame: bodies ──► picture ──► PNG, GIF, APNG, MP4 or sheet
//!                       (once, for all frames)
//! ```
//!
//! Scale and camera depend on the whole run and not on the frame, so that pictures of several frames can be compared and made
//! into a film. A camera that the scene moves is an exception. The scale of a single picture is that of its frame.

mod bodies;
mod colors;
mod film;
mod scale;
mod source;
mod view;

use crate::args::{ColorName, RenderOptions};
use crate::bar::Bar;
use crate::failure::Failure;
use bodies::read_bodies;
use colors::ColorBy;
use rayon::prelude::*;
use scale::find_scale;
use source::{Bounds, Source, sample_evenly};
use std::path::{Path, PathBuf};
use std::time::Instant;
use taffeta_render::{
    ApngWriter, BodyKind, Coloring, GifPalette, GifWriter, Image, LegendPlace, Picture, SheetLayout,
    compute_delays, ground_body, write_png,
};
use view::Shot;

/// Width and height of a picture, and of an animation, whose files are large \[pixels\].
const PICTURE_SIZE: [u32; 2] = [1280, 720];
const ANIMATION_SIZE: [u32; 2] = [640, 360];
/// Pictures on a contact sheet.
const SHEET_COUNT: u32 = 12;
/// Shortest time of a picture in an animation \[1/100 s\]. Players show shorter ones for a tenth of a second.
const SHORTEST_DELAY: f64 = 2.0;
/// Pictures of an animation from which its palette is made.
const PALETTE_PICTURES: usize = 6;

/// Draws what is asked for of a result folder and returns the path of the picture.
///
/// # Errors
/// If the folder or the frame does not exist, a file is bad, or the picture cannot be written.
pub fn render(options: &RenderOptions) -> Result<String, Failure> {
    let drawing = Drawing::prepare(options)?;
    let path = drawing.path.clone();
    match Form::of(options) {
        Form::Animation => write_animation(&drawing.with_others(options)?)?,
        Form::FullAnimation => write_full_animation(&drawing.with_others(options)?)?,
        Form::Film => drawing.write_film(options)?,
        Form::Sheet => drawing.write_sheet()?,
        Form::Picture => write_png(&drawing.draw(drawing.frames[0])?, &drawing.path)
            .map_err(|error| Failure::usage(&error))?,
    }
    Ok(path.display().to_string())
}

/// Draws one frame of a result folder, without writing a file.
///
/// # Errors
/// As those of [`render`].
pub fn draw_frame(options: &RenderOptions) -> Result<Image, Failure> {
    let drawing = Drawing::prepare(options)?;
    drawing.draw(drawing.frames[0])
}

/// Form of the output that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Picture,
    Animation,
    /// In all colors.
    FullAnimation,
    Film,
    Sheet,
}

impl Form {
    fn of(options: &RenderOptions) -> Self {
        match (options.gif, options.apng, options.mp4, options.contact_sheet) {
            (true, ..) => Self::Animation,
            (_, true, ..) => Self::FullAnimation,
            (_, _, true, _) => Self::Film,
            (.., true) => Self::Sheet,
            _ => Self::Picture,
        }
    }

    /// Width and height unless they are given \[pixels\].
    fn size(self) -> [u32; 2] {
        match self {
            Self::Animation | Self::FullAnimation => ANIMATION_SIZE,
            Self::Film => film::FILM_SIZE,
            Self::Picture | Self::Sheet => PICTURE_SIZE,
        }
    }

    /// The ending of its files, and what they are.
    fn ending(self) -> (&'static str, &'static str) {
        match self {
            Self::Animation => ("gif", "animations are GIF"),
            Self::Film => ("mp4", "films are MP4"),
            Self::FullAnimation => ("png", "animations in all colors are PNG"),
            Self::Picture | Self::Sheet => ("png", "pictures are PNG"),
        }
    }
}

/// Frames to draw, and how to draw them.
struct Drawing {
    source: Source,
    /// The frames to draw, at least one.
    frames: Vec<u64>,
    color: Option<ColorBy>,
    bounds: Option<Bounds>,
    shot: Option<Shot>,
    picture: Picture,
    layout: SheetLayout,
    path: PathBuf,
    is_quiet: bool,
    /// True if a scene without a floor gets one.
    has_ground: bool,
}

impl Drawing {
    /// Reads and checks everything but the frames themselves.
    fn prepare(options: &RenderOptions) -> Result<Self, Failure> {
        let usage = |error| Failure::usage(&error);
        let form = Form::of(options);
        let size = form.size();
        let (width, height) = (options.width.unwrap_or(size[0]), options.height.unwrap_or(size[1]));
        if form == Form::Film {
            film::check(options, [width, height])?;
        }
        let source = Source::open(&options.folder)?;
        let frames = choose_frames(&source, options)?;
        let path = choose_path(options, frames[0])?;
        let count = if options.contact_sheet { frames.len() as u32 } else { 1 };
        // What is wrong with the size comes before the frames are read.
        SheetLayout::fitting(count, width, height, None).map_err(usage)?;
        let named = |name| ColorBy::of_name(name, &source, frames[frames.len() - 1]);
        let color = options.color.as_ref().map(named).transpose()?;
        let scale = match &color {
            Some(color) => Some(find_scale(color, &source, &frames, options.range)?),
            None => None,
        };
        let sheet_scale = scale.filter(|_| options.contact_sheet);
        let layout = SheetLayout::fitting(count, width, height, sheet_scale).map_err(usage)?;
        let picture = Picture {
            width: layout.width,
            height: layout.height,
            wireframe: options.wireframe,
            up: source.scene.upward(),
            coloring: scale.map_or(Coloring::Plain, Coloring::Scale),
            legend: if options.contact_sheet { LegendPlace::Apart } else { LegendPlace::Inside },
            ..Picture::default()
        };
        let bounds = source.compute_bounds()?;
        let shot = view::choose_camera(&source, bounds, &picture, options)?;
        let is_quiet = options.quiet;
        let has_ground = !options.no_ground;
        Ok(Self { source, frames, color, bounds, shot, picture, layout, path, is_quiet, has_ground })
    }

    fn draw(&self, frame: u64) -> Result<Image, Failure> {
        let mut bodies = read_bodies(&self.source, frame, self.bounds, self.color.as_ref())?;
        let has_floor = bodies.iter().any(|body| body.kind == BodyKind::Floor);
        if let Some(bounds) = self.bounds.filter(|_| self.has_ground && !has_floor) {
            bodies.push(ground_body(bounds, self.picture.up));
        }
        let time = self.source.time_of(frame);
        let camera = self.shot.as_ref().map(|shot| shot.at(time, &bodies, &self.picture));
        taffeta_render::render(&bodies, &Picture { camera, ..self.picture })
            .map_err(|error| Failure::usage(&error))
    }

    /// Draws frames on all threads and hands the pictures on in their order.
    fn draw_all(
        &self,
        frames: &[u64],
        mut take: impl FnMut(u64, Image) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let bar = if self.is_quiet { None } else { Bar::on_terminal() };
        let (start, mut done) = (Instant::now(), 0);
        for some in frames.chunks(rayon::current_num_threads().max(1)) {
            let pictures: Vec<Result<Image, Failure>> =
                some.par_iter().map(|frame| self.draw(*frame)).collect();
            for (frame, picture) in some.iter().zip(pictures) {
                take(*frame, picture?)?;
                done += 1;
                if let Some(bar) = &bar {
                    let left = start.elapsed().as_secs_f64() / done as f64 * (frames.len() - done) as f64;
                    let text = format!("{done} of {} pictures, {left:.0} s left", frames.len());
                    bar.show(done as u64, frames.len() as u64, &text);
                }
            }
        }
        if let Some(bar) = bar {
            bar.clear();
        }
        Ok(())
    }

    /// The drawings of an animation of several folders, one after the other.
    fn with_others(self, options: &RenderOptions) -> Result<Vec<Self>, Failure> {
        let mut drawings = vec![self];
        for folder in &options.then {
            drawings.push(Self::prepare(&RenderOptions { folder: folder.clone(), ..options.clone() })?);
        }
        Ok(drawings)
    }

    fn write_sheet(&self) -> Result<(), Failure> {
        let mut pictures = Vec::new();
        self.draw_all(&self.frames, |frame, image| {
            pictures.push((image, format!("{:.3} s", self.source.time_of(frame))));
            Ok(())
        })?;
        let sheet = self.layout.compose(&pictures).map_err(|error| Failure::usage(&error))?;
        write_png(&sheet, &self.path).map_err(|error| Failure::usage(&error))
    }
}

fn write_animation(drawings: &[Drawing]) -> Result<(), Failure> {
    let usage = |error| Failure::usage(&error);
    let Drawing { path, picture, .. } = &drawings[0];
    let of_each = PALETTE_PICTURES.div_ceil(drawings.len());
    let samples = drawings
        .iter()
        .flat_map(|own| sample_evenly(&own.frames, of_each).into_iter().map(move |f| (own, f)));
    let samples: Vec<(&Drawing, u64)> = samples.collect();
    let samples: Result<Vec<Image>, Failure> =
        samples.par_iter().map(|(own, frame)| own.draw(*frame)).collect();
    let size = [picture.width, picture.height];
    let mut writer = GifWriter::create(path, size, GifPalette::of(&samples?)).map_err(usage)?;
    draw_in_time(drawings, |image, delay| writer.add(image, delay).map_err(usage))?;
    writer.finish().map_err(usage)
}

fn write_full_animation(drawings: &[Drawing]) -> Result<(), Failure> {
    let usage = |error| Failure::usage(&error);
    let Drawing { path, picture, .. } = &drawings[0];
    let count = drawings.iter().map(|own| own.frames.len() as u32).sum();
    let mut writer = ApngWriter::create(path, [picture.width, picture.height], count).map_err(usage)?;
    draw_in_time(drawings, |image, delay| writer.add(image, delay).map_err(usage))?;
    writer.finish().map_err(usage)
}

/// Draws all frames in their order, each with the time that it stays \[1/100 s\].
fn draw_in_time(
    drawings: &[Drawing],
    mut take: impl FnMut(&Image, u16) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for own in drawings {
        let times: Vec<f64> = own.frames.iter().map(|frame| own.source.time_of(*frame)).collect();
        let mut delays = compute_delays(&times).into_iter();
        own.draw_all(&own.frames, |_, image| take(&image, delays.next().unwrap_or_default()))?;
    }
    Ok(())
}

/// The frames that are asked for.
fn choose_frames(source: &Source, options: &RenderOptions) -> Result<Vec<u64>, Failure> {
    let shortest = match Form::of(options) {
        Form::Picture => return Ok(vec![source.choose_frame(options.frame)?]),
        Form::Sheet => {
            return Ok(sample_evenly(&source.frames, options.count.unwrap_or(SHEET_COUNT) as usize));
        }
        Form::Animation | Form::FullAnimation => SHORTEST_DELAY / 100.0,
        // Round-off must not leave out every second frame.
        Form::Film => (1.0 - 1e-6) / film::HIGHEST_RATE,
    };
    let step = options.every.unwrap_or_else(|| {
        // The shortest distance of two written frames decides. The end of a run of two frames is not left out.
        let gap = source.frames.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(1);
        let step = (shortest / source.time_of(gap)).ceil().clamp(1.0, 1e6) as u64;
        step.min(source.frames.len() as u64 - 1).max(1)
    });
    Ok(source.frames.iter().copied().step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect())
}

/// Path of the picture. The extension of a given name must be that of the format.
fn choose_path(options: &RenderOptions, frame: u64) -> Result<PathBuf, Failure> {
    let (ending, what) = Form::of(options).ending();
    let Some(path) = &options.out else { return Ok(default_path(options, frame, ending)) };
    if path.extension().is_none_or(|found| !found.eq_ignore_ascii_case(ending)) {
        let text = format!("--out {}: {what} files; end the name in .{ending}", path.display());
        return Err(Failure::Usage(text));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        // Known before hundreds of frames are drawn.
        let text = format!("--out {}: No such file or directory: {}", path.display(), folder.display());
        return Err(Failure::Usage(text));
    }
    Ok(path.clone())
}

fn default_path(options: &RenderOptions, frame: u64, ending: &str) -> PathBuf {
    let what = match Form::of(options) {
        Form::Animation | Form::FullAnimation => "animation".to_owned(),
        Form::Film => "film".to_owned(),
        Form::Sheet => "contact_sheet".to_owned(),
        Form::Picture => format!("frame_{frame:05}"),
    };
    let color = match options.color {
        Some(ColorName::Known(quantity)) => format!("_{}", colors::name(quantity)),
        Some(ColorName::Unknown(_)) | None => String::new(),
    };
    let wireframe = if options.wireframe { "_wireframe" } else { "" };
    options.folder.join(format!("{what}{color}{wireframe}.{ending}"))
}
