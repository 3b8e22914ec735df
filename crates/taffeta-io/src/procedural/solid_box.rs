//! A box of tetrahedra.

use glam::DVec3;
use taffeta_core::geometry::sixfold_volume;

/// A box from the origin to `size` \[m\], its cells cut into five tetrahedra each: one in the middle and one at every
/// second corner. Neighboring cells are mirrored, so that their faces match. Vertices are numbered along x first, then y,
/// then z.
pub fn solid_box(size: DVec3, cells: [u32; 3]) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = cells;
    let fraction = |i: u32, n: u32| f64::from(i) / f64::from(n);
    let mut positions = Vec::new();
    for (k, j) in (0..=nz).flat_map(|k| (0..=ny).map(move |j| (k, j))) {
        let at = |i| DVec3::new(fraction(i, nx), fraction(j, ny), fraction(k, nz)) * size;
        positions.extend((0..=nx).map(at));
    }
    let number = |[i, j, k]: [u32; 3]| (k * (ny + 1) + j) * (nx + 1) + i;
    let mut tetrahedra = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let corner = |bits: u32| number([i + (bits & 1), j + ((bits >> 1) & 1), k + (bits >> 2)]);
                let odd = (i + j + k) % 2;
                tetrahedra.extend(cut_cell(odd).map(|tet| tet.map(corner)));
            }
        }
    }
    for tet in &mut tetrahedra {
        if sixfold_volume(tet.map(|v| positions[v as usize])) < 0.0 {
            tet.swap(2, 3);
        }
    }
    (positions, tetrahedra)
}

/// The tetrahedra of a cell by its corners, whose bits say on which side they lie. Corners with an even (`odd = 0`) or odd
/// number of ones make up the middle one; each other corner with its three neighbors is one more.
fn cut_cell(odd: u32) -> [[u32; 4]; 5] {
    let middle = if odd == 0 { [0, 3, 5, 6] } else { [1, 2, 4, 7] };
    let corners = if odd == 0 { [1, 2, 4, 7] } else { [0, 3, 5, 6] };
    let [a, b, c, d] = corners.map(|corner: u32| [corner, corner ^ 1, corner ^ 2, corner ^ 4]);
    [middle, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_is_filled_and_every_inner_face_has_two_tetrahedra() {
        let (size, cells) = (DVec3::new(0.3, 0.2, 0.5), [3, 2, 4]);
        let (positions, tetrahedra) = solid_box(size, cells);
        assert_eq!((positions.len(), tetrahedra.len()), (4 * 3 * 5, 5 * 24));
        let volumes = tetrahedra.iter().map(|tet| sixfold_volume(tet.map(|v| positions[v as usize])) / 6.0);
        let volumes: Vec<f64> = volumes.collect();
        assert!(volumes.iter().all(|volume| *volume > 0.0));
        assert!((volumes.iter().sum::<f64>() / 0.03 - 1.0).abs() < 1e-12);
        let mut faces: Vec<[u32; 3]> = Vec::new();
        for [a, b, c, d] in &tetrahedra {
            for mut face in [[*a, *b, *c], [*a, *b, *d], [*a, *c, *d], [*b, *c, *d]] {
                face.sort_unstable();
                faces.push(face);
            }
        }
        faces.sort_unstable();
        let single = faces.chunk_by(|a, b| a == b).filter(|group| group.len() == 1).count();
        let pairs = faces.chunk_by(|a, b| a == b).filter(|group| group.len() == 2).count();
        // Two triangles on each square of the surface.
        assert_eq!(single, 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4));
        assert_eq!(single + 2 * pairs, faces.len());
    }
}
