//! Ropes of a scene: from the shape to the points.

use glam::DVec3;

/// Source of the points of a rope.
#[derive(Clone, Debug, PartialEq)]
pub enum RopeShape {
    /// Straight along x from the origin.
    Straight {
        /// Length \[m\].
        length: f64,
        /// Number of segments.
        segments: u32,
    },
    /// A polyline.
    Points {
        /// Its points \[m\].
        points: Vec<DVec3>,
        /// Number of segments of equal length along it; `None`: those of the points.
        segments: Option<u32>,
    },
}

impl RopeShape {
    /// Number of segments.
    pub fn segment_count(&self) -> usize {
        match self {
            Self::Straight { segments, .. } | Self::Points { segments: Some(segments), .. } => {
                *segments as usize
            }
            Self::Points { points, segments: None } => points.len().saturating_sub(1),
        }
    }

    /// The points before they are placed \[m\].
    pub fn points(&self) -> Vec<DVec3> {
        match self {
            Self::Straight { length, segments } => {
                let at = |i: u32| DVec3::X * (length * f64::from(i) / f64::from(*segments));
                (0..=*segments).map(at).collect()
            }
            Self::Points { points, segments: None } => points.clone(),
            Self::Points { points, segments: Some(segments) } => resample(points, *segments),
        }
    }
}

/// Points at equal distances along a polyline.
fn resample(points: &[DVec3], segments: u32) -> Vec<DVec3> {
    let mut starts = vec![0.0];
    for pair in points.windows(2) {
        starts.push(starts[starts.len() - 1] + pair[0].distance(pair[1]));
    }
    let length = starts[starts.len() - 1];
    let at = |k: u32| {
        let wanted = length * f64::from(k) / f64::from(segments);
        let i = starts.partition_point(|start| *start <= wanted).clamp(1, points.len() - 1);
        let part = (wanted - starts[i - 1]) / (starts[i] - starts[i - 1]);
        points[i - 1].lerp(points[i], part.clamp(0.0, 1.0))
    };
    (0..=segments).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polyline_is_cut_into_equal_lengths() {
        let corner = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0)];
        let points = RopeShape::Points { points: corner.to_vec(), segments: Some(6) }.points();
        let expected = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 0.5), (1.0, 1.0), (1.0, 1.5), (1.0, 2.0)];
        for (point, (x, y)) in points.iter().zip(expected) {
            assert!(point.distance(DVec3::new(x, y, 0.0)) < 1e-14, "{point}");
        }
        assert_eq!(points.len(), 7);
    }
}
