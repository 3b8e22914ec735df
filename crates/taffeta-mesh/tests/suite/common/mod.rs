//! Meshes for the tests, and random numbers.

/// A mesh to be tested.
pub(crate) struct Sample {
    pub name: &'static str,
    pub vertex_count: usize,
    pub faces: Vec<[u32; 3]>,
}

/// Cells `columns` × `rows`; wrapping an axis identifies its two ends.
pub(crate) fn lattice(columns: u32, rows: u32, wrap: [bool; 2]) -> (usize, Vec<[u32; 3]>) {
    let width = if wrap[0] { columns } else { columns + 1 };
    let height = if wrap[1] { rows } else { rows + 1 };
    let at = |i: u32, j: u32| (j % height) * width + i % width;
    let mut faces = Vec::new();
    for j in 0..rows {
        for i in 0..columns {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                faces.extend([[a, b, c], [a, c, d]]);
            } else {
                faces.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    ((width * height) as usize, faces)
}

/// Two meshes side by side.
pub(crate) fn together(a: (usize, Vec<[u32; 3]>), b: (usize, Vec<[u32; 3]>)) -> (usize, Vec<[u32; 3]>) {
    let shifted = b.1.into_iter().map(|corners| corners.map(|v| v + a.0 as u32));
    (a.0 + b.0, a.1.into_iter().chain(shifted).collect())
}

pub(crate) fn tetrahedron() -> (usize, Vec<[u32; 3]>) {
    (4, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
}

pub(crate) fn octahedron() -> (usize, Vec<[u32; 3]>) {
    let faces = (0..4).flat_map(|k| {
        let (a, b) = (1 + k, 1 + (k + 1) % 4);
        [[0, a, b], [5, b, a]]
    });
    (6, faces.collect())
}

pub(crate) fn fan(count: u32) -> (usize, Vec<[u32; 3]>) {
    (count as usize + 1, (0..count).map(|k| [0, 1 + k, 1 + (k + 1) % count]).collect())
}

/// Ten surfaces and a few more: open and closed, with holes and handles, of one and of several parts.
pub(crate) fn samples() -> Vec<Sample> {
    let open = [false; 2];
    let meshes = [
        ("grid", lattice(5, 4, open)),
        ("tetrahedron", tetrahedron()),
        ("octahedron", octahedron()),
        ("annulus", lattice(8, 2, [true, false])),
        ("several parts", together(together(lattice(3, 3, open), octahedron()), (3, vec![[0, 1, 2]]))),
        ("corners of valence three", (4, vec![[0, 1, 3], [1, 2, 3], [2, 0, 3]])),
        ("strip", lattice(12, 1, open)),
        ("fan", fan(9)),
        ("torus", lattice(6, 4, [true; 2])),
        ("cylinder", lattice(4, 5, [true, false])),
        ("triangle", (3, vec![[0, 1, 2]])),
        ("narrow cylinder", lattice(4, 1, [true, false])),
    ];
    meshes.into_iter().map(|(name, (vertex_count, faces))| Sample { name, vertex_count, faces }).collect()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
