//! Meshes of the sheets.

use glam::DVec2;
use taffeta_core::TriangleMesh;

/// Mesh of a sheet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mesh {
    /// So many cells along and across.
    Grid([u32; 2]),
    /// Cells of this width \[m\] around the middle, from there on wider by this factor each, up to the largest width \[m\].
    Graded { smallest: f64, factor: f64, largest: f64 },
}

/// A cut from the left side half-way up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slit {
    /// \[m\]
    pub length: f64,
    /// Gap at its side \[m\].
    pub gap: f64,
}

/// Number of cells of the smallest width that a graded mesh has on each side of the middle.
const EVEN: u32 = 14;

impl Mesh {
    /// The sheet of this length and width \[m\], flat.
    pub(super) fn build(self, [length, width]: [f64; 2], slit: Option<Slit>) -> TriangleMesh {
        match self {
            Self::Grid([along, across]) => {
                sheet(&even_lines(length, along), &even_lines(width, across), slit)
            }
            Self::Graded { .. } => sheet(&self.graded_lines(length), &self.graded_lines(width), slit),
        }
    }

    /// Places of the lines between the cells of a graded mesh \[m\].
    fn graded_lines(self, length: f64) -> Vec<f64> {
        let Self::Graded { smallest, factor, largest } = self else { return Vec::new() };
        let (mut widths, mut sum) = (Vec::new(), 0.0);
        let mut cell = smallest;
        while sum < 0.5 * length {
            if widths.len() >= EVEN as usize {
                cell = (cell * factor).min(largest);
            }
            widths.push(cell);
            sum += cell;
        }
        // All a little narrower, so that the last one ends where the sheet does.
        let part = 0.5 * length / sum;
        let mut lines = vec![0.0];
        for width in widths.iter().rev().chain(&widths) {
            lines.push(lines[lines.len() - 1] + part * width);
        }
        lines
    }
}

fn even_lines(length: f64, cells: u32) -> Vec<f64> {
    (0..=cells).map(|k| length * f64::from(k) / f64::from(cells)).collect()
}

/// A sheet with a vertex wherever two lines meet, and diagonals that alternate. Along the slit there are two, but for its end.
fn sheet(along: &[f64], across: &[f64], slit: Option<Slit>) -> TriangleMesh {
    let mut coords: Vec<DVec2> =
        across.iter().flat_map(|v| along.iter().map(|u| DVec2::new(*u, *v))).collect();
    let (columns, middle) = (along.len(), across.len() / 2);
    // Numbers of the upper vertices of the slit.
    let mut upper = vec![None; columns];
    if let Some(Slit { length, gap }) = slit {
        for (i, upper) in upper.iter_mut().enumerate() {
            let part = 1.0 - along[i] / length;
            if part > 1e-9 {
                let lower = middle * columns + i;
                let at = coords[lower];
                coords[lower].y -= 0.5 * gap * part;
                *upper = Some(coords.len() as u32);
                coords.push(DVec2::new(at.x, at.y + 0.5 * gap * part));
            }
        }
    }
    let mut mesh =
        TriangleMesh { positions: coords.iter().map(|u| u.extend(0.0)).collect(), ..TriangleMesh::default() };
    for j in 0..across.len() - 1 {
        for i in 0..columns - 1 {
            let bottom = |i: usize| upper[i].filter(|_| j == middle).unwrap_or((j * columns + i) as u32);
            let [a, b] = [bottom(i), bottom(i + 1)];
            let [c, d] = [i, i + 1].map(|i| ((j + 1) * columns + i) as u32);
            mesh.faces.extend(if (i + j) % 2 == 0 { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] });
        }
    }
    mesh.set_vertex_material(&coords);
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn area(mesh: &TriangleMesh) -> f64 {
        let of = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
            0.5 * (b - a).cross(c - a).dot(DVec3::Z)
        };
        assert!(mesh.faces.iter().all(|face| of(face) > 0.0));
        mesh.faces.iter().map(of).sum()
    }

    #[test]
    fn a_slit_has_two_sides_and_one_end() {
        let slit = Slit { length: 0.2, gap: 0.006 };
        let mesh = Mesh::Grid([18, 12]).build([0.9, 0.6], Some(slit));
        assert_eq!(mesh.positions.len(), 19 * 13 + 4);
        // The gap is a triangle.
        assert!((area(&mesh) - (0.54 - 0.5 * 0.2 * 0.006)).abs() < 1e-12);
    }

    #[test]
    fn a_graded_mesh_is_fine_in_the_middle_and_covers_the_sheet() {
        let mesh = Mesh::Graded { smallest: 0.006, factor: 1.08, largest: 0.045 }.build([2.0, 2.0], None);
        assert!((area(&mesh) - 4.0).abs() < 1e-12);
        let middle = mesh.positions.iter().filter(|p| p.distance(DVec3::new(1.0, 1.0, 0.0)) < 0.05).count();
        assert!(middle > 180 && mesh.positions.len() < 11_000, "{middle} of {}", mesh.positions.len());
    }
}
