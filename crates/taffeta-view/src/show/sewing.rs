//! Seams that are picked on the page: the edges of the panels as lines, and two of them as a seam of the scene.
//!
//! ```text
//!  page ── edges ──► [`Sewing::list`]   lines at time 0, once
//!  page ── seam ───► [`Sewing::pair`]   partner points, lengths, and the table for the scene file
//! ```
//!
//! All is as at time 0 and never changes, so that the threads of the browsers answer by themselves, also during a step. Pairs
//! are those that a run of the scene would make, and are refused for the same reasons.

use glam::DVec3;
use serde::Serialize;
use taffeta_core::TriangleMesh;
use taffeta_io::panels::{Panel, edge_lengths};
use taffeta_io::seam_table::seam_table;
use taffeta_sim::{ClothDescription, SeamDefect, SeamDescription, SeamError, SeamSides, pair_seams};

/// Time in which a picked seam would close \[s\]. Only its pairs are wanted.
const ANY_TIME: f64 = 1.0;

/// Cloths at time 0 with their panels.
#[derive(Debug, Default)]
pub(crate) struct Sewing {
    cloths: Vec<Tailored>,
    /// Reason why nothing can be sewn, whatever cloths there are.
    refusal: Option<&'static str>,
}

/// A cloth with its panels.
#[derive(Debug)]
struct Tailored {
    description: ClothDescription,
    panels: Vec<Panel>,
    /// Lengths at rest of the edges of each panel \[m\].
    lengths: Vec<Vec<f64>>,
}

/// The edges of all panels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EdgeList {
    /// The edges, cloth by cloth and panel by panel.
    edges: Vec<EdgeLine>,
    /// Reasons why some cloth, or the whole scene, has no edges to click.
    missing: Vec<String>,
}

/// An edge of a panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct EdgeLine {
    /// Number of the cloth.
    cloth: usize,
    /// Number of the panel.
    panel: usize,
    /// Number of the edge.
    edge: usize,
    /// The edge in words.
    name: String,
    /// Length at rest \[m\].
    length: f64,
    /// True if a seam of the scene has it already.
    is_sewn: bool,
    /// Points along it at time 0 \[m\], three numbers each.
    points: Vec<f32>,
}

/// A seam of two edges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PickedSeam {
    /// Number of the cloth.
    cloth: usize,
    /// Panel and edge of each side.
    sides: [[usize; 2]; 2],
    /// Lengths at rest of the sides \[m\].
    lengths: [f64; 2],
    /// The longer length over the shorter one.
    ratio: f64,
    /// True if the longer side is gathered.
    ease: bool,
    /// Pairs of points that are sewn together, at time 0 \[m\], six numbers each.
    pairs: Vec<f32>,
    /// The seam as a table of the scene file.
    table: String,
}

impl Sewing {
    /// The cloths of a world with the panels of each.
    pub(crate) fn new(cloths: &[ClothDescription], panels: Vec<Vec<Panel>>) -> Self {
        let tailor = |(cloth, panels): (&ClothDescription, Vec<Panel>)| Tailored {
            lengths: edge_lengths(&cloth.mesh, &panels),
            description: cloth.clone(),
            panels,
        };
        Self { cloths: cloths.iter().zip(panels).map(tailor).collect(), refusal: None }
    }

    /// Nothing to sew, with the reason.
    pub(crate) fn refused(reason: &'static str) -> Self {
        Self { cloths: Vec::new(), refusal: Some(reason) }
    }

    /// All edges that can be sewn.
    pub(crate) fn list(&self) -> EdgeList {
        if let Some(reason) = self.refusal {
            return EdgeList { edges: Vec::new(), missing: vec![reason.to_owned()] };
        }
        let named = self.cloths.iter();
        let mut missing: Vec<String> = named
            .filter_map(|cloth| Some(format!("cloth {:?}: {}", cloth.description.name, cloth.find_lack()?)))
            .collect();
        if self.cloths.is_empty() {
            missing.push("the scene has no cloth, and only panels of cloths can be sewn".into());
        }
        let whole = self.cloths.iter().enumerate().filter(|(_, cloth)| cloth.find_lack().is_none());
        EdgeList { edges: whole.flat_map(|(number, cloth)| cloth.list(number)).collect(), missing }
    }

    /// The seam of two edges of a cloth, each by panel and number.
    ///
    /// # Errors
    /// If there is no such edge, or a run of the scene would refuse the seam.
    pub(crate) fn pair(&self, cloth: usize, sides: [[usize; 2]; 2]) -> Result<PickedSeam, String> {
        if let Some(reason) = self.refusal {
            return Err(reason.into());
        }
        let tailored = self
            .cloths
            .get(cloth)
            .ok_or_else(|| format!("there is no cloth {cloth}; there are {}", self.cloths.len()))?;
        let [a, b] = sides.map(|side| tailored.find_edge(side));
        let (runs, lengths) = ([a?, b?], sides.map(|[panel, edge]| tailored.lengths[panel][edge]));
        if sides[0] == sides[1] {
            return Err("a seam takes two edges: this is one of them twice".into());
        }
        let (mesh, pairs, ease) = tailored.sew(runs)?;
        let x = |v: u32| mesh.positions[v as usize];
        let points: Vec<DVec3> = pairs.as_flattened().iter().map(|v| x(*v)).collect();
        let [a, b] = lengths;
        let name = &tailored.description.name;
        // A table belongs to the cloth above it.
        let of = if self.cloths.len() > 1 { format!("cloth {name:?}: ") } else { String::new() };
        let remark = format!("{of}{a:.4} m and {b:.4} m");
        let table = seam_table(&tailored.panels, sides, ease, &remark);
        let ratio = a.max(b) / a.min(b);
        Ok(PickedSeam { cloth, sides, lengths, ratio, ease, pairs: to_floats(points), table })
    }
}

impl Tailored {
    /// Reason why the cloth has no edges to click; `None`: it has some.
    fn find_lack(&self) -> Option<String> {
        if self.panels.iter().all(|panel| panel.edges.is_empty()) {
            return Some("its surface is closed, so that no panel has an edge to sew".into());
        }
        self.description.mesh.material.is_none().then(|| SeamDefect::NoMaterial.to_string())
    }

    /// The edges of the panels of the cloth with a number.
    fn list(&self, cloth: usize) -> impl Iterator<Item = EdgeLine> + '_ {
        let edges = self.panels.iter().enumerate().flat_map(|(panel, of)| {
            of.edges.iter().enumerate().map(move |(edge, run)| (panel, edge, &of.name, run))
        });
        edges.map(move |(panel, edge, name, run)| EdgeLine {
            cloth,
            panel,
            edge,
            // A panel without a name has its number.
            name: match name.parse::<usize>() {
                Ok(_) => format!("panel {name}, edge {edge}"),
                Err(_) => format!("{name}, edge {edge}"),
            },
            length: self.lengths[panel][edge],
            is_sewn: self.is_sewn(run),
            points: to_floats(run.iter().map(|v| self.description.mesh.positions[*v as usize])),
        })
    }

    /// Returns whether a side of a seam of the scene passes all vertices of a run.
    fn is_sewn(&self, run: &[u32]) -> bool {
        self.description.seams.iter().any(|seam| match &seam.sides {
            SeamSides::Pairs(pairs) => {
                [0, 1].iter().any(|side| run.iter().all(|v| pairs.iter().any(|pair| pair[*side] == *v)))
            }
            _ => false,
        })
    }

    /// The vertices along an edge.
    fn find_edge(&self, [panel, edge]: [usize; 2]) -> Result<Vec<u32>, String> {
        let count = self.panels.len();
        let found =
            self.panels.get(panel).ok_or_else(|| format!("there is no panel {panel}; there are {count}"))?;
        found.edges.get(edge).cloned().ok_or_else(|| {
            format!("panel {:?} has no edge {edge}; it has {} edges", found.name, found.edges.len())
        })
    }

    /// The cloth's mesh with two more runs sewn together, their pairs, and whether the longer one has to be gathered.
    fn sew(&self, runs: [Vec<u32>; 2]) -> Result<(TriangleMesh, Vec<[u32; 2]>, bool), String> {
        for ease in [false, true] {
            let mut cloth = self.description.clone();
            cloth.seams.push(SeamDescription { sides: SeamSides::Runs(runs.clone()), time: ANY_TIME, ease });
            match pair_seams(&mut cloth) {
                Ok(()) => {
                    let last = cloth.seams.pop().map(|seam| seam.sides);
                    let Some(SeamSides::Pairs(pairs)) = last else { unreachable!("they were paired") };
                    return Ok((cloth.mesh, pairs, ease));
                }
                Err(SeamError { defect: SeamDefect::Lengths { .. }, .. }) if !ease => {}
                Err(SeamError { defect, .. }) => return Err(defect.to_string()),
            }
        }
        unreachable!("gathered runs may have any lengths")
    }
}

fn to_floats(points: impl IntoIterator<Item = DVec3>) -> Vec<f32> {
    points.into_iter().flat_map(|x| x.as_vec3().to_array()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use taffeta_scene::Scene;

    /// Two squares of 1 m by 2 m, the second 1 m above the first and turned over; one of them is a group. A third is 1.5 m high.
    fn panels() -> String {
        let panel = |z: u32, u: u32, height: f32, first: usize, order: [usize; 4]| {
            let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, height], [0.0, height]];
            let vertices: String = corners
                .iter()
                .map(|[x, y]| {
                    format!("v {x} {y} {z}\nvt {} {y}\n", if u == 5 { 5.0 - x } else { x + u as f32 })
                })
                .collect();
            let face = order.map(|k| format!("{0}/{0}", first + k));
            format!("{vertices}f {}\n", face.join(" "))
        };
        let front = panel(0, 0, 2.0, 1, [0, 1, 2, 3]);
        let back = panel(1, 5, 2.0, 5, [0, 3, 2, 1]);
        format!("g front\n{front}g the \"back\"\n{back}g low\n{}", panel(0, 9, 1.5, 9, [0, 1, 2, 3]))
    }

    fn tailor(text: &str, folder: &Path) -> Sewing {
        let scene = Scene::from_str(text, &folder.join("scene.toml"), &[]).unwrap();
        let (built, panels) = scene.assemble_with_panels().unwrap();
        Sewing::new(&built.world.cloths, panels)
    }

    fn find<'a>(list: &'a EdgeList, name: &str, at: [f32; 3]) -> &'a EdgeLine {
        let has = |line: &&EdgeLine| line.name.starts_with(name) && line.points.starts_with(&at);
        list.edges.iter().find(has).unwrap_or_else(|| panic!("{name} at {at:?} in {:?}", list.edges))
    }

    const HEAD: &str = "[simulation]\nduration = 1\n[[cloth]]\nname = \"bag\"\nmesh = \"bag.obj\"\n";

    #[test]
    fn a_picked_seam_is_text_that_a_scene_reads_as_the_same_pairs() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("bag.obj"), panels()).unwrap();
        let sewing = tailor(HEAD, scratch.path());
        let list = sewing.list();
        assert_eq!((list.edges.len(), &list.missing[..]), (12, &[][..]));
        let right = find(&list, "front", [1.0, 0.0, 0.0]);
        assert_eq!((right.length, &right.points[3..]), (2.0, &[1.0, 2.0, 0.0][..]));
        let behind = find(&list, "the \"back\"", [1.0, 2.0, 1.0]);
        let sides = [right, behind].map(|line| [line.panel, line.edge]);
        let seam = sewing.pair(0, sides).unwrap();
        assert_eq!((seam.lengths, seam.ratio, seam.ease), ([2.0, 2.0], 1.0, false));
        assert_eq!(seam.pairs, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 2.0, 0.0, 1.0, 2.0, 1.0]);
        let head = "[[cloth.seam]]    # 2.0000 m and 2.0000 m\na = { panel = \"front\", edge = 1 }\n\
                    b = { panel = \"the \\\"back\\\"\", edge = ";
        assert!(seam.table.starts_with(head), "{}", seam.table);
        let text = format!("{HEAD}{}", seam.table);
        let scene = Scene::from_str(&text, &scratch.path().join("scene.toml"), &[]).unwrap();
        let cloth = &scene.build().unwrap().cloths[0];
        let SeamSides::Pairs(pairs) = &cloth.seams[0].sides else { panic!("not paired") };
        let points = pairs.as_flattened().iter().map(|v| cloth.mesh.positions[*v as usize]);
        assert_eq!(to_floats(points), seam.pairs);
        // What the scene sews is known, and can be picked for a third layer.
        let sewn = tailor(&text, scratch.path()).list();
        let names = sewn.edges.iter().filter(|line| line.is_sewn).map(|line| &line.name);
        assert_eq!(names.collect::<Vec<_>>(), [&right.name, &behind.name]);
    }

    #[test]
    fn longer_edges_are_gathered_and_nonsense_is_refused_with_its_reason() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("bag.obj"), panels()).unwrap();
        let sewing = tailor(HEAD, scratch.path());
        let list = sewing.list();
        let long = find(&list, "front", [1.0, 0.0, 0.0]);
        let short = find(&list, "low", [0.0, 1.5, 0.0]);
        let seam = sewing.pair(0, [long, short].map(|line| [line.panel, line.edge])).unwrap();
        assert_eq!((seam.lengths, seam.ease), ([2.0, 1.5], true));
        assert!((seam.ratio - 2.0 / 1.5).abs() < 1e-12 && seam.table.ends_with("ease = true\n"), "{seam:?}");
        for (cloth, sides, reason) in [
            (1, [[0, 0], [1, 0]], "there is no cloth 1; there are 1"),
            (0, [[3, 0], [1, 0]], "there is no panel 3; there are 3"),
            (0, [[0, 0], [0, 4]], "panel \"front\" has no edge 4; it has 4 edges"),
            (0, [[0, 1], [0, 1]], "one of them twice"),
        ] {
            let refused = sewing.pair(cloth, sides).unwrap_err();
            assert!(refused.contains(reason), "{refused}");
        }
        // From the front of one to the back of another.
        let left = find(&list, "low", [1.0, 0.0, 0.0]);
        let refused = sewing.pair(0, [long, left].map(|line| [line.panel, line.edge])).unwrap_err();
        assert!(refused.contains("face opposite ways"), "{refused}");
    }

    #[test]
    fn a_scene_without_panels_says_why_there_is_nothing_to_click() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("bare.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let head = "[simulation]\nduration = 1\n";
        let cloths = "[[cloth]]\nname = \"ball\"\nball = { radius = 1 }\n[[cloth]]\nname = \"bare\"\nmesh = \"bare.obj\"\n";
        let list = tailor(&format!("{head}{cloths}"), scratch.path()).list();
        assert!(list.edges.is_empty());
        let [ball, bare] = &list.missing[..] else { panic!("{:?}", list.missing) };
        assert!(ball.contains("\"ball\": its surface is closed"), "{ball}");
        assert!(bare.contains("\"bare\": its panels have no material coordinates (vt)"), "{bare}");
        let rope = "[[rope]]\nlength = 1\nsegments = 4\nradius = 0.01\nmaterial = { density = 0.05, stretch = 1e4, bend = 1e-5 }\n";
        let list = tailor(&format!("{head}{rope}"), scratch.path()).list();
        assert!(list.missing[0].contains("the scene has no cloth"), "{:?}", list.missing);
        let recording = Sewing::refused("a recording");
        assert_eq!(recording.list().missing, ["a recording"]);
        assert_eq!(recording.pair(0, [[0, 0], [0, 1]]).unwrap_err(), "a recording");
    }
}
