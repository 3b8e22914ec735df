//! Reasons for a finer mesh: each term is a metric of a face.
//!
//! With thresholds a term compares what changes along an edge with what may change. With one
//! [error](RemeshSettings::refine_error) `e` each term bounds the distance of the face from the smooth cloth. Linear
//! interpolation of a field on a triangle errs by at most `2/9 max uᵀ|H|u` over its edges `u`, with `H` the second derivatives
//! (P. Frey, F. Alauzet, Anisotropic mesh adaptation for CFD computations, 2005, eq. 4). So `2/(9e) |H|` is the metric. The
//! second derivatives of the position are the curvature and, within the surface, the change of the strain.

use crate::metric::Metric;
use crate::sizing::settings::RemeshSettings;
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use taffeta_core::math::Sym2;

/// The largest error of linear interpolation in a triangle over `uᵀ|H|u`.
const INTERPOLATION_ERROR: f64 = 2.0 / 9.0;

/// See the module page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizingTerm {
    /// Curvature from hinge angles: exact for folds along edges, noisy on irregular meshes.
    HingeCurvature,
    /// Curvature from the gradient of the vertex normals: smooth, but blind to folds within one ring.
    NormalGradient,
    /// Change of the strain.
    StrainGradient,
    /// Compression, which makes cloth buckle soon.
    Compression,
    /// Change of the velocity, which bends or strains it soon.
    Velocity,
    /// An obstacle that is near: how its distance changes, relative to itself.
    Obstacle,
    /// Plastic curvature, as that of the shape to which the fold comes back when nothing holds it any more: a crumpled sheet
    /// that is pulled flat keeps its folds. It exceeds the curvature of the present shape by no more than the material's yield
    /// curvature.
    PlasticCurvature,
}

/// Fields of one face that the terms use.
pub(super) struct FaceFields {
    /// Shape operator from hinge angles \[1/m\], and the part of it that counts under one error.
    pub shape: Sym2,
    pub hinge_part: f64,
    /// The curvature after the time that has passed since the last pass, if the velocities stay, from normals \[1/m\]. Only for
    /// cloths with one error.
    pub coming_shape: Sym2,
    /// Derivatives of the unit normal in the two material directions \[1/m\].
    pub normal_gradient: [DVec3; 2],
    /// Gradient of the strain's norm \[1/m\].
    pub strain_gradient: DVec2,
    /// Green strain.
    pub green: Sym2,
    /// Plastic curvature \[1/m\].
    pub plastic_curvature: Sym2,
    /// Derivatives of the velocity \[1/s\].
    pub velocity_gradient: [DVec3; 2],
    /// Derivatives of the position.
    pub position_gradient: [DVec3; 2],
    /// The obstacle near each corner.
    pub planes: [Option<NearPlane>; 3],
}

/// The tangent plane of the obstacle that is nearest to a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPlane {
    /// Outward unit normal.
    pub normal: DVec3,
    /// The distance of the vertex \[m\].
    pub distance: f64,
}

impl SizingTerm {
    /// Terms that every face has; [`SizingTerm::PlasticCurvature`] is for faces that have yielded.
    pub(super) const ALL: [Self; 6] = [
        Self::HingeCurvature,
        Self::NormalGradient,
        Self::StrainGradient,
        Self::Compression,
        Self::Velocity,
        Self::Obstacle,
    ];

    /// The metric that the term asks for; zero if it is switched off.
    pub(super) fn metric(self, face: &FaceFields, settings: &RemeshSettings) -> Metric {
        match settings.refine_error {
            Some(error) => self.metric_of_error(face, error),
            None => self.metric_of_thresholds(face, settings),
        }
    }

    fn metric_of_error(self, face: &FaceFields, error: f64) -> Metric {
        let of_second = |absolute: Sym2| Sym2::default().plus(INTERPOLATION_ERROR / error, &absolute);
        match self {
            Self::HingeCurvature => {
                Sym2::default().plus(face.hinge_part, &of_second(face.shape.map_eigenvalues(f64::abs)))
            }
            Self::NormalGradient => of_second(root(&gram(face.normal_gradient))),
            // In all directions: the gradient of one component is a second derivative along another one, too.
            Self::StrainGradient => of_second(Sym2::diagonal(face.strain_gradient.length())),
            Self::Compression => compression(&face.green, &gram(face.normal_gradient), HIDDEN_FOLD * error),
            Self::Velocity => of_second(face.coming_shape.map_eigenvalues(f64::abs)),
            Self::Obstacle => Metric::default(),
            Self::PlasticCurvature => of_second(face.plastic_curvature.map_eigenvalues(f64::abs)),
        }
    }

    fn metric_of_thresholds(self, face: &FaceFields, settings: &RemeshSettings) -> Metric {
        let asked = match self {
            Self::HingeCurvature => Some(scaled(face.shape.squared(), settings.refine_angle)),
            Self::NormalGradient => Some(scaled(gram(face.normal_gradient), settings.refine_angle)),
            Self::StrainGradient => Some(scaled(outer(face.strain_gradient), settings.refine_strain)),
            Self::Compression => {
                settings.refine_compression.map(|size| compression(&face.green, &face.shape.squared(), size))
            }
            Self::Velocity => {
                settings.refine_velocity.map(|change| scaled(gram(face.velocity_gradient), change))
            }
            Self::Obstacle => settings.refine_obstacle.map(|part| obstacle(face, part, settings.size_min)),
            Self::PlasticCurvature => Some(scaled(face.plastic_curvature.squared(), settings.refine_angle)),
        };
        asked.unwrap_or_default()
    }
}

/// The length `c` of [`compression`] over the height of the folds that an edge may hide. A half wave of height `a` over an
/// edge `h` makes it shorter by the part `(πa/2h)²`, that is half of `1 − λ²`: `a = h √(1 − λ²) √2/π`.
const HIDDEN_FOLD: f64 = PI * FRAC_1_SQRT_2;

/// The metric of compression, `[−G + √(G² − 4c² cof(S²))]₊/2c²` with `G = FᵀF − I`: a sheet that gives way sideways can
/// bear less of it (Narain et al. 2012, eq. 9). `c` is the length \[m\] below which it need not be resolved; `squared` is `S²`
/// \[1/m²\].
fn compression(green: &Sym2, squared: &Sym2, c: f64) -> Metric {
    let excess = Sym2::default().plus(2.0, green);
    let Sym2 { xx, xy, yy } = *squared;
    let cofactor = Sym2 { xx: yy, xy: -xy, yy: xx };
    let radicand = excess.squared().plus(-4.0 * c * c, &cofactor);
    // Where curvature is strong the radicand is negative; then compression asks for less, not for nothing.
    let root = radicand.map_eigenvalues(|eigenvalue| eigenvalue.abs().sqrt().copysign(eigenvalue));
    let metric = root.plus(-1.0, &excess).positive_part();
    Sym2::default().plus(1.0 / (2.0 * c * c), &metric)
}

/// Metric of near obstacles, `⅓ Σ ∇h∇hᵀ/(p h)²` over the tangent planes near the corners, with `h` the distance from them, but
/// not less than `floor` \[m\]. Cloth that lies on something needs no finer mesh.
fn obstacle(face: &FaceFields, part: f64, floor: f64) -> Metric {
    let mut sum = Sym2::default();
    for NearPlane { normal, distance } in face.planes.into_iter().flatten() {
        let [hu, hv] = face.position_gradient.map(|x| normal.dot(x));
        let height = part * distance.abs().max(floor);
        sum = sum.plus(1.0 / (3.0 * height * height), &outer(DVec2::new(hu, hv)));
    }
    sum
}

/// The square root of a tensor that is not negative but for round-off.
pub(super) fn root(tensor: &Sym2) -> Sym2 {
    tensor.map_eigenvalues(|eigenvalue| eigenvalue.max(0.0).sqrt())
}

fn scaled(tensor: Sym2, tolerance: f64) -> Metric {
    Sym2::default().plus(1.0 / (tolerance * tolerance), &tensor)
}

/// `g gᵀ`.
fn outer(g: DVec2) -> Sym2 {
    Sym2 { xx: g.x * g.x, xy: g.x * g.y, yy: g.y * g.y }
}

/// `DᵀD` of the two derivatives of a field.
pub(super) fn gram([u, v]: [DVec3; 2]) -> Sym2 {
    Sym2 { xx: u.dot(u), xy: u.dot(v), yy: v.dot(v) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> FaceFields {
        FaceFields {
            shape: Sym2::default(),
            hinge_part: 1.0,
            coming_shape: Sym2::default(),
            normal_gradient: [DVec3::ZERO; 2],
            strain_gradient: DVec2::ZERO,
            green: Sym2::default(),
            plastic_curvature: Sym2::default(),
            velocity_gradient: [DVec3::ZERO; 2],
            position_gradient: [DVec3::X, DVec3::Y],
            planes: [None; 3],
        }
    }

    fn settings() -> RemeshSettings {
        RemeshSettings {
            refine_compression: Some(0.005),
            refine_velocity: Some(0.5),
            refine_obstacle: Some(0.8),
            ..RemeshSettings::by_thresholds()
        }
    }

    fn length_in(metric: &Metric, direction: DVec2) -> f64 {
        1.0 / metric.quadratic_form(direction).sqrt()
    }

    #[test]
    fn compression_asks_for_sizes_across_the_coming_folds_only() {
        // 1 % shorter along u, 2 % longer along v: -G = 0.0199, and [−G]₊/c² along u.
        let green = Sym2 { xx: 0.5 * (0.99_f64.powi(2) - 1.0), xy: 0.0, yy: 0.5 * (1.02_f64.powi(2) - 1.0) };
        let metric = SizingTerm::Compression.metric(&FaceFields { green, ..face() }, &settings());
        assert!((length_in(&metric, DVec2::X) - 0.005 / 0.0199_f64.sqrt()).abs() < 1e-12);
        assert!(metric.yy.abs() < 1e-9 && metric.xy.abs() < 1e-9, "{metric:?}");
        // What is bent across already buckles less along the bend.
        let bent = FaceFields { green, shape: Sym2 { xx: 0.0, xy: 0.0, yy: 1.5 }, ..face() };
        let less = SizingTerm::Compression.metric(&bent, &settings());
        assert!(less.xx < 0.9 * metric.xx && less.xx > 0.0, "{less:?}");
        let off = RemeshSettings { refine_compression: None, ..settings() };
        assert_eq!(SizingTerm::Compression.metric(&bent, &off), Sym2::default());
    }

    #[test]
    fn coarser_settings_ask_for_longer_edges_by_every_term() {
        let plane = NearPlane { normal: DVec3::X, distance: 0.5 };
        let face = FaceFields {
            shape: Sym2::diagonal(3.0),
            normal_gradient: [DVec3::X * 3.0, DVec3::Y],
            strain_gradient: DVec2::new(0.2, 0.1),
            velocity_gradient: [DVec3::Z * 4.0, DVec3::ZERO],
            planes: [Some(plane); 3],
            ..face()
        };
        let flat = FaceFields { green: Sym2 { xx: -0.01, xy: 0.0, yy: 0.0 }, ..self::face() };
        let coarse = settings().coarsened(2.0);
        for term in SizingTerm::ALL {
            let fields = if term == SizingTerm::Compression { &flat } else { &face };
            let [fine, coarse] = [settings(), coarse].map(|settings| term.metric(fields, &settings));
            let ratio = length_in(&coarse, DVec2::X) / length_in(&fine, DVec2::X);
            assert!((ratio - 2.0).abs() < 1e-9, "{term:?}: {ratio}");
        }
    }

    #[test]
    fn one_error_is_the_height_of_the_folds_that_an_edge_may_hide() {
        // 1 % shorter along u: an edge of length h can hide a half wave whose arc is 1 % longer than it.
        let green = Sym2 { xx: 0.5 * (0.99_f64.powi(2) - 1.0), xy: 0.0, yy: 0.0 };
        let one_error = RemeshSettings { refine_error: Some(1e-3), ..settings() };
        let metric = SizingTerm::Compression.metric(&FaceFields { green, ..face() }, &one_error);
        let size = length_in(&metric, DVec2::X);
        let slope = PI * 1e-3 / (0.99 * size);
        let points = 10_000;
        let arc: f64 = (0..points)
            .map(|k| (1.0 + (slope * (PI * (f64::from(k) + 0.5) / f64::from(points)).cos()).powi(2)).sqrt())
            .sum::<f64>()
            / f64::from(points);
        assert!((arc * 0.99 - 1.0).abs() < 2e-4, "{arc}");
    }

    #[test]
    fn compression_does_not_depend_on_the_frame() {
        let turn = |Sym2 { xx, xy, yy }: Sym2| {
            let (s, c) = 0.7_f64.sin_cos();
            let mixed = (xx - yy) * s * c + xy * (c * c - s * s);
            Sym2 {
                xx: c * c * xx - 2.0 * s * c * xy + s * s * yy,
                xy: mixed,
                yy: s * s * xx + 2.0 * s * c * xy + c * c * yy,
            }
        };
        let green = Sym2 { xx: -0.02, xy: 0.004, yy: 0.01 };
        let shape = Sym2 { xx: 3.0, xy: -1.0, yy: 0.4 };
        let as_is = compression(&green, &shape.squared(), 0.005);
        let turned = compression(&turn(green), &turn(shape).squared(), 0.005);
        let expected = turn(as_is);
        let scale = as_is.xx + as_is.yy;
        assert!(
            (turned.xx - expected.xx).abs() < 1e-12 * scale
                && (turned.xy - expected.xy).abs() < 1e-12 * scale
        );
    }

    #[test]
    fn a_shear_of_the_velocity_asks_for_its_direction() {
        // The velocity changes by 4 m/s per meter along v: half a meter per second every 12.5 cm.
        let fields = FaceFields { velocity_gradient: [DVec3::ZERO, DVec3::new(0.0, 0.0, 4.0)], ..face() };
        let metric = SizingTerm::Velocity.metric(&fields, &settings());
        assert!((length_in(&metric, DVec2::Y) - 0.125).abs() < 1e-15 && metric.xx == 0.0);
    }

    #[test]
    fn an_obstacle_asks_for_its_distance_along_the_slope() {
        // A sheet at 45° to a plane, 4 cm away: an edge up the slope of a part p of 4 cm · √2 covers that part.
        let normal = DVec3::new(0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt());
        let at = |distance: f64| {
            let planes = [Some(NearPlane { normal, distance }); 3];
            SizingTerm::Obstacle.metric(&FaceFields { planes, ..face() }, &settings())
        };
        assert!((length_in(&at(0.04), DVec2::X) - 0.8 * 0.04 * 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(at(0.04).yy, 0.0);
        // In contact the smallest size takes its place.
        assert_eq!(at(1e-9), at(settings().size_min));
    }
}
