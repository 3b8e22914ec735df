//! Sewing patterns with parameters, as GarmentCode specifications (JSON). Lengths are in centimeters. They fit the mannequin.

use std::fmt::Write;

/// A point of a panel [cm].
type Point = [f64; 2];

/// An edge to the next vertex of its panel.
#[derive(Clone, Copy)]
enum Edge {
    Line,
    /// The control point, relative to the edge.
    Quadratic(Point),
    /// Both control points, relative to the edge.
    Cubic(Point, Point),
    /// Radius [cm]; true if the arc is on the right of the edge.
    Circle(f64, bool),
}

impl Edge {
    /// Its curve in the other direction.
    fn turned(self) -> Self {
        let turn = |[x, y]: Point| [1.0 - x, -y];
        match self {
            Self::Line => self,
            Self::Quadratic(a) => Self::Quadratic(turn(a)),
            Self::Cubic(a, b) => Self::Cubic(turn(b), turn(a)),
            Self::Circle(radius, is_right) => Self::Circle(radius, !is_right),
        }
    }

    fn json(self) -> String {
        let curvature = match self {
            Self::Line => return String::new(),
            Self::Quadratic(a) => format!("\"quadratic\", \"params\": [{a:?}]"),
            Self::Cubic(a, b) => format!("\"cubic\", \"params\": [{a:?}, {b:?}]"),
            Self::Circle(radius, is_right) => {
                format!("\"circle\", \"params\": [{radius:?}, 0, {}]", i32::from(is_right))
            }
        };
        format!(", \"curvature\": {{\"type\": {curvature}}}")
    }
}

/// A pattern that grows.
#[derive(Default)]
struct Pattern {
    panels: Vec<String>,
    stitches: Vec<String>,
}

impl Pattern {
    /// Adds a panel: its vertices, each with the edge to the next one, its place [cm] and its turn about z [degrees].
    fn panel(&mut self, name: &str, outline: &[(Point, Edge)], place: [f64; 3], turn: f64) {
        let vertices: Vec<String> = outline.iter().map(|(point, _)| format!("{point:?}")).collect();
        let count = outline.len();
        let edges = outline
            .iter()
            .enumerate()
            .map(|(k, (_, edge))| format!("{{\"endpoints\": [{k}, {}]{}}}", (k + 1) % count, edge.json()));
        self.panels.push(format!(
            "\"{name}\": {{\n      \"translation\": {place:?},\n      \"rotation\": [0.0, 0.0, {turn:?}],\n      \"vertices\": [{}],\n      \
             \"edges\": [\n        {}\n      ]\n    }}",
            vertices.join(", "),
            edges.collect::<Vec<_>>().join(",\n        ")
        ));
    }

    fn stitch(&mut self, [a, b]: [(&str, usize); 2]) {
        let side = |(panel, edge): (&str, usize)| format!("{{\"panel\": \"{panel}\", \"edge\": {edge}}}");
        self.stitches.push(format!("[{}, {}]", side(a), side(b)));
    }

    fn json(&self) -> String {
        let mut text = String::new();
        let _ = write!(
            text,
            "{{\n  \"pattern\": {{\n    \"panels\": {{\n    {}\n    }},\n    \"stitches\": [\n      {}\n    ]\n  }},\n  \"properties\": {{\n    \
             \"curvature_coords\": \"relative\",\n    \"normalize_panel_translation\": false,\n    \"normalized_edge_loops\": true,\n    \
             \"units_in_meter\": 100\n  }}\n}}\n",
            self.panels.join(",\n    "),
            self.stitches.join(",\n      ")
        );
        text
    }
}

/// The outline in the other direction, so that the other side is out. Edge `k` becomes edge `n − 2 − k`, modulo `n`.
fn from_behind(outline: &[(Point, Edge)]) -> Vec<(Point, Edge)> {
    let count = outline.len();
    let before = |k: usize| outline[(k + count - 1) % count].1.turned();
    (0..count).rev().map(|k| (outline[k].0, before(k))).collect()
}

/// The mirror image, in the direction in which the front stays in front.
fn mirrored(outline: &[(Point, Edge)]) -> Vec<(Point, Edge)> {
    let count = outline.len();
    let flip = |edge: Edge| match edge {
        Edge::Line => edge,
        Edge::Quadratic([x, y]) => Edge::Quadratic([x, -y]),
        Edge::Cubic([a, b], [c, d]) => Edge::Cubic([a, -b], [c, -d]),
        Edge::Circle(radius, is_right) => Edge::Circle(radius, !is_right),
    };
    let before = |k: usize| flip(outline[(k + count - 1) % count].1).turned();
    (0..count).rev().map(|k| ([-outline[k].0[0], outline[k].0[1]], before(k))).collect()
}

/// Sizes of a T-shirt \[cm\].
#[derive(Clone, Copy, Debug)]
pub struct TShirt {
    /// Half of the width of front and back.
    pub half_width: f64,
    /// From the hem to the armpit.
    pub side: f64,
    /// From the armpit up to the tip of the shoulder.
    pub armhole: f64,
    /// Half of the distance of the tips of the shoulders.
    pub half_shoulder: f64,
    /// Half of the width of the neck.
    pub half_neck: f64,
    /// From the tip of the shoulder up to the neck.
    pub slope: f64,
    /// Depth of the neckline in front.
    pub neckline: f64,
    /// Length of the sleeves along the top.
    pub sleeve: f64,
    /// Half of the width of the sleeves at the wrist.
    pub cuff: f64,
}

impl Default for TShirt {
    fn default() -> Self {
        Self {
            half_width: 27.0,
            side: 38.0,
            armhole: 20.0,
            half_shoulder: 19.0,
            half_neck: 8.5,
            slope: 3.5,
            neckline: 9.0,
            sleeve: 24.0,
            cuff: 17.0,
        }
    }
}

/// Height of the tips of the shoulders above the ground, and distance of the panels of the trunk and of the sleeves from
/// the middle [cm].
const SHOULDERS: f64 = 147.0;
const TRUNK_AWAY: f64 = 22.0;
const SLEEVE_AWAY: f64 = 15.0;
/// Angle of the arms below the horizontal [degrees].
const ARM_TURN: f64 = 43.0;
/// Bend of armholes and of the caps of sleeves, which are equally long.
const ARMHOLE_BEND: Edge = Edge::Quadratic([0.5, 0.18]);

/// Front or back of a trunk from the hem, counter-clockwise: hem, side, armhole, shoulder, neck, shoulder, armhole, side.
fn trunk(shirt: &TShirt, neckline: f64) -> Vec<(Point, Edge)> {
    let TShirt { half_width: w, side: h, half_shoulder: s, half_neck: n, .. } = *shirt;
    let (tip, neck) = (h + shirt.armhole, h + shirt.armhole + shirt.slope);
    // The neckline runs from right to left; its depth relative to its width, at the control points.
    let depth = 4.0 / 3.0 * neckline / (2.0 * n);
    vec![
        ([-w, 0.0], Edge::Line),
        ([w, 0.0], Edge::Line),
        ([w, h], ARMHOLE_BEND),
        ([s, tip], Edge::Line),
        ([n, neck], Edge::Cubic([0.1, depth], [0.9, depth])),
        ([-n, neck], Edge::Line),
        ([-s, tip], ARMHOLE_BEND),
        ([-w, h], Edge::Line),
    ]
}

/// A T-shirt of front, back, and two sleeves of two halves each.
pub fn t_shirt(shirt: &TShirt) -> String {
    let mut pattern = Pattern::default();
    let front = trunk(shirt, shirt.neckline);
    let back = from_behind(&trunk(shirt, 2.5));
    let height = SHOULDERS - shirt.side - shirt.armhole;
    pattern.panel("front", &front, [0.0, height, TRUNK_AWAY], 0.0);
    pattern.panel("back", &back, [0.0, height, -TRUNK_AWAY], 0.0);
    let behind = |edge: usize| (14 - edge) % 8;
    for edge in [1, 7, 3, 5] {
        pattern.stitch([("front", edge), ("back", behind(edge))]);
    }
    // The cap is as long as the armhole: along the arm it goes down by a third of that.
    let chord = (shirt.half_width - shirt.half_shoulder).hypot(shirt.armhole);
    let (along, across) = (0.35 * chord, chord * (1.0f64 - 0.35 * 0.35).sqrt());
    let cuff = shirt.cuff.min(across);
    let left = [
        ([along, -across], Edge::Line),
        ([shirt.sleeve, -cuff], Edge::Line),
        ([shirt.sleeve, 0.0], Edge::Line),
        ([0.0, 0.0], ARMHOLE_BEND.turned()),
    ];
    let right = mirrored(&left);
    for (name, outline, side, armhole) in [("left", left.to_vec(), 1.0, 2), ("right", right, -1.0, 6)] {
        let [in_front, behind_it] = ["front", "back"].map(|half| format!("{name}_sleeve_{half}"));
        let place = |away: f64| [side * (shirt.half_shoulder + 1.0), SHOULDERS - 0.5, away];
        pattern.panel(&in_front, &outline, place(SLEEVE_AWAY), -side * ARM_TURN);
        pattern.panel(&behind_it, &from_behind(&outline), place(-SLEEVE_AWAY), -side * ARM_TURN);
        let of_back = |edge: usize| (6 - edge) % 4;
        let [under, top, cap] = if side > 0.0 { [0, 2, 3] } else { [2, 0, 3] };
        pattern.stitch([(&in_front, under), (&behind_it, of_back(under))]);
        pattern.stitch([(&in_front, top), (&behind_it, of_back(top))]);
        pattern.stitch([(&in_front, cap), ("front", armhole)]);
        pattern.stitch([(&behind_it, of_back(cap)), ("back", behind(armhole))]);
    }
    pattern.json()
}

/// A tunic without sleeves, with slits in the sides.
pub fn tunic() -> String {
    let sizes =
        TShirt { half_width: 29.0, side: 60.0, armhole: 22.0, half_shoulder: 16.0, ..TShirt::default() };
    let slit = |outline: Vec<(Point, Edge)>| {
        let mut cut = Vec::new();
        for (k, vertex) in outline.iter().enumerate() {
            cut.push(*vertex);
            if k == 1 {
                cut.push(([sizes.half_width, 18.0], Edge::Line));
            }
        }
        cut.push(([-sizes.half_width, 18.0], Edge::Line));
        cut
    };
    let height = SHOULDERS - sizes.side - sizes.armhole;
    let mut pattern = Pattern::default();
    pattern.panel("front", &slit(trunk(&sizes, 12.0)), [0.0, height, TRUNK_AWAY], 0.0);
    pattern.panel("back", &from_behind(&slit(trunk(&sizes, 2.5))), [0.0, height, -TRUNK_AWAY], 0.0);
    for edge in [2, 4, 6, 8] {
        pattern.stitch([("front", edge), ("back", (18 - edge) % 10)]);
    }
    pattern.json()
}

/// A flared skirt: two sectors of a ring, which a waistband gathers.
pub fn skirt() -> String {
    let mut pattern = Pattern::default();
    // Half of the widths of waist and hem, the length, and the radii of both.
    let (waist, hem, length) = (24.0, 40.0, 50.0);
    let (inner, outer) = (70.0, 117.0);
    let front = [
        ([-hem, 0.0], Edge::Circle(outer, true)),
        ([hem, 0.0], Edge::Line),
        ([waist, length], Edge::Circle(inner, false)),
        ([-waist, length], Edge::Line),
    ];
    let band = |half: f64| {
        [
            ([-half, 0.0], Edge::Line),
            ([half, 0.0], Edge::Line),
            ([half, 4.0], Edge::Line),
            ([-half, 4.0], Edge::Line),
        ]
    };
    let (place, above) = (55.0, 107.0);
    pattern.panel("front", &front, [0.0, place, 25.0], 0.0);
    pattern.panel("back", &from_behind(&front), [0.0, place, -25.0], 0.0);
    pattern.panel("band_front", &band(21.5), [0.0, above, 22.0], 0.0);
    pattern.panel("band_back", &from_behind(&band(21.5)), [0.0, above, -22.0], 0.0);
    let behind = |edge: usize| (6 - edge) % 4;
    for (front, back) in [("front", "back"), ("band_front", "band_back")] {
        pattern.stitch([(front, 1), (back, behind(1))]);
        pattern.stitch([(front, 3), (back, behind(3))]);
    }
    pattern.stitch([("front", 2), ("band_front", 0)]);
    pattern.stitch([("back", behind(2)), ("band_back", behind(0))]);
    pattern.json()
}

/// A pillow of 60 by 40 cm, upright: two rectangles, sewn together all around.
pub fn pillow() -> String {
    let corners = [[-30.0, -20.0], [30.0, -20.0], [30.0, 20.0], [-30.0, 20.0]];
    let front = corners.map(|corner| (corner, Edge::Line));
    let mut pattern = Pattern::default();
    pattern.panel("front", &front, [0.0, 0.0, 2.0], 0.0);
    pattern.panel("back", &from_behind(&front), [0.0, 0.0, -2.0], 0.0);
    for edge in 0..4 {
        pattern.stitch([("front", edge), ("back", (6 - edge) % 4)]);
    }
    pattern.json()
}

/// Twenty T-shirts of random sizes, wide enough for the mannequin.
pub fn variations() -> Vec<TShirt> {
    let mut state = 12_345_u64;
    // A linear congruential generator (D. Knuth, MMIX).
    let mut between = |low: f64, high: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let shirt = |_| TShirt {
        half_width: between(24.0, 31.0),
        side: between(28.0, 46.0),
        armhole: between(19.0, 23.0),
        half_shoulder: between(17.5, 20.5),
        half_neck: between(7.5, 9.5),
        slope: between(2.5, 4.5),
        neckline: between(5.0, 12.0),
        sleeve: between(18.0, 30.0),
        cuff: between(17.0, 20.0),
    };
    (0..20).map(shirt).collect()
}
