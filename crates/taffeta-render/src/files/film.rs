//! Pictures as MP4 files: H.264 by OpenH264, which is compiled from its source, in a container by `shiguredo_mp4`. Needs a
//! C++ compiler and no system packages, so it is there only with the feature `mp4`.
//!
//! ```text
//! picture by picture ──► YUV 4:2:0 ──► H.264 of one quality ──► file, with the time of each picture
//! ```
//!
//! Equal pictures give equal bytes on one machine: one thread encodes, and no clock is asked.

mod error;

use super::write::new_file_in;
use crate::Image;
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, ColorPrimaries, Complexity, Encoder, EncoderConfig, FrameRate, IntraFramePeriod, QpRange,
    RateControlMode, TransferCharacteristics, VuiConfig,
};
use openh264::formats::{RgbSliceU8, YUVBuffer};
use shiguredo_mp4::TrackKind;
use shiguredo_mp4::bitstream::h264::{
    H264NalUnitType, H264SampleEntryConfig, LengthSize, build_avc1_box_from_annexb, parse_annexb_nal_units,
};
use shiguredo_mp4::boxes::SampleEntry;
use shiguredo_mp4::mux::{Mp4FileMuxer, Sample};
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

pub use error::FilmError;

/// The longest side of a picture that the encoder takes \[pixels\].
pub const LONGEST_SIDE: u32 = 3840;
/// The longest that the shorter side may be \[pixels\].
pub const SHORTER_SIDE: u32 = 2160;
/// The shortest side: a block of the encoder \[pixels\].
const SHORTEST_SIDE: u32 = 16;
/// Parts of a second in which times are told: a multiple of all common frame rates.
const TIMESCALE: u32 = 90_000;
/// Steps of the quantizer (0 to 51: coarse) at the best quality, and by how many it gets coarser down to the worst one.
const FINEST: f64 = 10.0;
const COARSENING: f64 = 41.0;
/// Pictures after which one is encoded by itself, so that players can jump to it.
const KEY_INTERVAL: u32 = 60;
/// Bits per second that the encoder is told and does not keep to: the quality is fixed.
const BIT_RATE: u32 = 10_000_000;

/// Settings of the encoder of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmSettings {
    /// Width and height \[pixels\]: even, and at most [`LONGEST_SIDE`] and [`SHORTER_SIDE`], whichever way round.
    pub size: [u32; 2],
    /// From 1, coarse, to 100. Larger files look better.
    pub quality: u8,
    /// Pictures per second \[1/s\] about; the film has the times that its pictures are given.
    pub rate: f64,
}

impl FilmSettings {
    /// A film of a size \[pixels\] that shows no artifacts on cloths.
    pub fn new(size: [u32; 2]) -> Self {
        Self { size, quality: 75, rate: 30.0 }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`FilmError::Size`] and [`FilmError::Quality`].
    pub fn validate(&self) -> Result<(), FilmError> {
        let [width, height] = self.size;
        let (longer, shorter) = (width.max(height), width.min(height));
        let is_even = width.is_multiple_of(2) && height.is_multiple_of(2);
        if !is_even || shorter < SHORTEST_SIDE || longer > LONGEST_SIDE || shorter > SHORTER_SIDE {
            return Err(FilmError::Size { width, height });
        }
        if !(1..=100).contains(&self.quality) {
            return Err(FilmError::Quality { quality: self.quality });
        }
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(FilmError::Rate { rate: self.rate });
        }
        Ok(())
    }

    fn encoder(&self) -> EncoderConfig {
        let step = (FINEST + COARSENING * f64::from(100 - self.quality) / 99.0).round() as u8;
        // The conversion from RGB is that of BT.601; primaries and curve are those of screens.
        let colors = VuiConfig::bt601()
            .color_primaries(ColorPrimaries::Bt709)
            .transfer_characteristics(TransferCharacteristics::Bt709);
        EncoderConfig::new()
            .bitrate(BitRate::from_bps(BIT_RATE))
            .max_frame_rate(FrameRate::from_hz(self.rate.clamp(1.0, 60.0) as f32))
            .qp(QpRange::new(step, step))
            .adaptive_quantization(false)
            .rate_control_mode(RateControlMode::Bufferbased)
            .skip_frames(false)
            .complexity(Complexity::High)
            .intra_frame_period(IntraFramePeriod::from_num_frames(KEY_INTERVAL))
            .num_threads(1)
            .vui(colors)
    }
}

/// An MP4 file that is being written. It appears under its name when it is finished.
pub struct Film {
    path: PathBuf,
    size: [u32; 2],
    encoder: Encoder,
    file: BufWriter<NamedTempFile>,
    muxer: Mp4FileMuxer,
    /// Position of the next picture in the file \[bytes\].
    position: u64,
    /// When the last picture ends \[s\], and in parts of a second.
    until: f64,
    ticks: u64,
}

impl Film {
    /// Starts a film.
    ///
    /// # Errors
    /// What [`FilmSettings::validate`] finds; [`FilmError::Write`] if the folder does not exist or cannot be written to;
    /// [`FilmError::Encode`] if there is no encoder.
    pub fn create(path: &Path, settings: FilmSettings) -> Result<Self, FilmError> {
        settings.validate()?;
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), settings.encoder())
            .map_err(|source| FilmError::Encode { path: path.to_owned(), source })?;
        let muxer = Mp4FileMuxer::new().map_err(|error| container(path, &error))?;
        let write = |source| FilmError::Write { path: path.to_owned(), source };
        let mut file = BufWriter::new(new_file_in(path).map_err(write)?);
        file.write_all(muxer.initial_boxes_bytes()).map_err(write)?;
        let position = muxer.initial_boxes_bytes().len() as u64;
        let path = path.to_owned();
        Ok(Self { path, size: settings.size, encoder, file, muxer, position, until: 0.0, ticks: 0 })
    }

    /// Adds a picture that stays until a time \[s\] after the start of the film. Round-off does not add up.
    ///
    /// # Errors
    /// [`FilmError::SizeMismatch`] for a picture of another size, [`FilmError::Time`] if it would not stay at all,
    /// [`FilmError::Encode`], [`FilmError::Container`] and [`FilmError::Write`] if it cannot be written.
    pub fn add(&mut self, image: &Image, until: f64) -> Result<(), FilmError> {
        let found = image.size();
        if found != self.size {
            return Err(FilmError::SizeMismatch { expected: self.size, found });
        }
        let ticks = (until * f64::from(TIMESCALE)).round() as u64;
        let duration = ticks.checked_sub(self.ticks).filter(|ticks| *ticks > 0);
        let duration = duration.and_then(|ticks| u32::try_from(ticks).ok());
        let duration = duration.ok_or(FilmError::Time { until, before: self.until })?;
        let pixels = RgbSliceU8::new(image.bytes(), found.map(|side| side as usize).into());
        let encoded = self.encoder.encode(&YUVBuffer::from_rgb8_source(pixels));
        let stream =
            encoded.map_err(|source| FilmError::Encode { path: self.path.clone(), source })?.to_vec();
        self.append(&stream, duration)?;
        (self.until, self.ticks) = (until, ticks);
        Ok(())
    }

    /// Appends a picture as the encoder has made it, for a time in parts of a second.
    fn append(&mut self, stream: &[u8], duration: u32) -> Result<(), FilmError> {
        let path = self.path.clone();
        let units = parse_annexb_nal_units(stream).map_err(|error| container(&path, &error))?;
        let is_first = self.ticks == 0;
        let entry = || {
            let lengths = H264SampleEntryConfig { length_size: LengthSize::FourBytes };
            build_avc1_box_from_annexb(stream, &lengths).map(SampleEntry::Avc1)
        };
        let sample_entry = is_first.then(entry).transpose().map_err(|error| container(&path, &error))?;
        // How to read the pictures is said once, at the head of the file, and not beside them.
        let is_picture = |kind| !matches!(kind, H264NalUnitType::Sps | H264NalUnitType::Pps);
        let mut data = Vec::with_capacity(stream.len());
        for unit in units.iter().filter(|unit| is_picture(unit.nal_unit_type)) {
            data.extend((unit.data.len() as u32).to_be_bytes());
            data.extend(unit.data);
        }
        let keyframe = units.iter().any(|unit| unit.nal_unit_type == H264NalUnitType::IdrSlice);
        self.file.write_all(&data).map_err(|source| FilmError::Write { path: path.clone(), source })?;
        let sample = Sample {
            track_kind: TrackKind::Video,
            sample_entry,
            keyframe,
            timescale: NonZeroU32::new(TIMESCALE).expect("not zero"),
            duration,
            composition_time_offset: None,
            data_offset: self.position,
            data_size: data.len(),
        };
        self.muxer.append_sample(&sample).map_err(|error| container(&path, &error))?;
        self.position += data.len() as u64;
        Ok(())
    }

    /// Completes the file; an older one of that name is replaced.
    ///
    /// # Errors
    /// [`FilmError::Empty`] without pictures, [`FilmError::Container`] and [`FilmError::Write`].
    pub fn finish(self) -> Result<(), FilmError> {
        let Self { path, mut file, mut muxer, ticks, .. } = self;
        if ticks == 0 {
            return Err(FilmError::Empty);
        }
        let write = |source| FilmError::Write { path: path.clone(), source };
        let boxes = muxer.finalize().map_err(|error| container(&path, &error))?;
        for (offset, bytes) in boxes.offset_and_bytes_pairs() {
            file.seek(SeekFrom::Start(offset)).map_err(write)?;
            file.write_all(bytes).map_err(write)?;
        }
        let file = file.into_inner().map_err(|error| write(error.into_error()))?;
        file.persist(&path).map_err(|error| write(error.error))?;
        Ok(())
    }
}

fn container(path: &Path, error: &dyn std::error::Error) -> FilmError {
    FilmError::Container { path: path.to_owned(), reason: error.to_string() }
}
