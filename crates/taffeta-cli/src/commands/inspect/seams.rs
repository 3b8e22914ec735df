//! `taffeta inspect FILE --seams`: panels, their edges, and seams as TOML; `--picture` draws them.

use crate::failure::Failure;
use glam::DVec2;
use std::fmt::Write;
use std::path::Path;
use taffeta_core::TriangleMesh;
use taffeta_io::garment::{Chart, Stitch, read_garment};
use taffeta_io::panels::{Panel, ProposedSeam, edge_lengths, find_panels, garment_panels, propose_seams};
use taffeta_io::seam_table::seam_table;
use taffeta_io::{read_named_outline, read_obj};

/// Width of the picture \[pixels\], and of the margin around panels, relative to it.
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 0.03;

/// A pattern with its panels.
struct Pattern {
    mesh: TriangleMesh,
    panels: Vec<Panel>,
    /// Of a sewing pattern: the places of the panels in material space, and its stitches.
    sewn: Option<(Vec<Chart>, Vec<Stitch>)>,
}

/// Describes the panels of an OBJ file, an SVG drawing or a sewing pattern (JSON), and draws them into a file.
///
/// # Errors
/// If the file cannot be read, or the picture not be written.
pub(super) fn inspect_seams(
    path: &Path,
    edge_length: f64,
    picture: Option<&Path>,
) -> Result<String, Failure> {
    let pattern = Pattern::read(path, edge_length)?;
    if let Some(file) = picture {
        std::fs::write(file, pattern.draw()).map_err(|error| {
            Failure::Failed(format!("cannot write the picture {}: {error}", file.display()))
        })?;
    }
    Ok(format!("{}\n{}", path.display(), pattern.describe()))
}

impl Pattern {
    fn read(path: &Path, edge_length: f64) -> Result<Self, Failure> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        if ending == "json" {
            let garment = read_garment(path, edge_length).map_err(|error| Failure::usage(&error))?;
            let charts = garment.panels.iter().map(|panel| panel.chart).collect();
            let panels = garment_panels(&garment.panels);
            return Ok(Self { mesh: garment.mesh, panels, sewn: Some((charts, garment.stitches)) });
        }
        let (mesh, groups) = if ending == "svg" {
            let read = read_named_outline(path, edge_length, None);
            read.map(|(mesh, groups)| (mesh, Some(groups))).map_err(|error| Failure::usage(&error))?
        } else {
            let file = read_obj(path).map_err(|error| Failure::usage(&error))?;
            (file.mesh, file.groups)
        };
        let panels = find_panels(&mesh, groups.as_ref());
        Ok(Self { mesh, panels, sewn: None })
    }

    /// Material coordinates of a vertex of a panel in the file \[m\].
    fn coord(&self, panel: usize, v: u32) -> DVec2 {
        let u = material_coord(&self.mesh, v);
        match &self.sewn {
            Some((charts, _)) => charts[panel].apply_inverse(u),
            None => u,
        }
    }

    fn describe(&self) -> String {
        let mut text = String::new();
        let lengths = edge_lengths(&self.mesh, &self.panels);
        for (number, panel) in self.panels.iter().enumerate() {
            let _ = writeln!(text, "panel {:?}: {} edges", panel.name, panel.edges.len());
            for (edge, run) in panel.edges.iter().enumerate() {
                let [from, to] = [run[0], run[run.len() - 1]].map(|v| self.coord(number, v));
                let _ = writeln!(
                    text,
                    "  edge {edge}: {:.4} m, {} vertices, from [{:.4}, {:.4}] to [{:.4}, {:.4}]",
                    lengths[number][edge],
                    run.len(),
                    from.x,
                    from.y,
                    to.x,
                    to.y
                );
            }
        }
        if let Some((_, stitches)) = &self.sewn {
            let _ =
                writeln!(text, "\n# The {} stitches of the pattern are sewn by `garment`.", stitches.len());
            for Stitch { sides: [a, b] } in stitches {
                let _ = writeln!(text, "# {} to {}", self.name_edge(*a), self.name_edge(*b));
            }
            return text;
        }
        let seams = propose_seams(&self.mesh, &self.panels);
        let _ =
            writeln!(text, "\n# {} proposed seams: edges of equal length, the nearest first", seams.len());
        seams.iter().for_each(|seam| text += &self.describe_seam(seam));
        text
    }

    fn describe_seam(&self, ProposedSeam { sides, lengths: [a, b], apart }: &ProposedSeam) -> String {
        let remark = format!("{a:.4} m and {b:.4} m, {apart:.3} m apart");
        format!("\n{}", seam_table(&self.panels, *sides, false, &remark))
    }

    fn name_edge(&self, [panel, edge]: [usize; 2]) -> String {
        format!("edge {edge} of {:?}", self.panels[panel].name)
    }

    /// The outlines of the panels beside each other, with the names of panels and the numbers of edges.
    fn draw(&self) -> String {
        let outlines: Vec<Vec<Vec<DVec2>>> = self
            .panels
            .iter()
            .enumerate()
            .map(|(number, panel)| {
                let point = |v: &u32| self.coord(number, *v);
                panel.edges.iter().map(|run| run.iter().map(point).collect()).collect()
            })
            .collect();
        let boxes: Vec<[DVec2; 2]> = outlines.iter().map(|edges| bounds(edges.iter().flatten())).collect();
        let total: f64 = boxes.iter().map(|[low, high]| high.x - low.x).sum();
        let gap = MARGIN * total.max(f64::MIN_POSITIVE);
        let scale = WIDTH / (total + gap * (boxes.len() as f64 + 1.0));
        let tallest = boxes.iter().map(|[low, high]| high.y - low.y).fold(0.0, f64::max);
        let height = scale * (tallest + 2.0 * gap);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.1}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let mut left = gap;
        for ((panel, edges), [low, high]) in self.panels.iter().zip(&outlines).zip(&boxes) {
            let place =
                |p: DVec2| DVec2::new(scale * (p.x - low.x + left), height - scale * (p.y - low.y + gap));
            for (number, edge) in edges.iter().enumerate() {
                draw_edge(&mut text, number, &edge.iter().map(|p| place(*p)).collect::<Vec<_>>());
            }
            let middle = place(0.5 * (*low + *high));
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"16\">{}</text>",
                middle.x,
                middle.y,
                escape(&panel.name)
            );
            left += high.x - low.x + gap;
        }
        text + "</svg>\n"
    }
}

fn draw_edge(text: &mut String, number: usize, points: &[DVec2]) {
    let list: Vec<String> = points.iter().map(|p| format!("{:.1},{:.1}", p.x, p.y)).collect();
    let _ = writeln!(text, "<polyline points=\"{}\" fill=\"none\" stroke=\"black\"/>", list.join(" "));
    let (start, middle) = (points[0], points[points.len() / 2]);
    let middle = if points.len() == 2 { 0.5 * (points[0] + points[1]) } else { middle };
    let _ =
        writeln!(text, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"firebrick\"/>", start.x, start.y);
    let _ = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" fill=\"seagreen\">{number}</text>",
        middle.x + 3.0,
        middle.y - 3.0
    );
}

fn bounds<'a>(points: impl Iterator<Item = &'a DVec2>) -> [DVec2; 2] {
    let none = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    points.fold(none, |[low, high], p| [low.min(*p), high.max(*p)])
}

fn material_coord(mesh: &TriangleMesh, v: u32) -> DVec2 {
    let corners = mesh.faces.iter().zip(mesh.material.iter().flatten());
    let mut found = corners.filter_map(|(face, coords)| Some(coords[face.iter().position(|w| *w == v)?]));
    found.next().unwrap_or_else(|| mesh.positions[v as usize].truncate())
}

fn escape(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;")
}
