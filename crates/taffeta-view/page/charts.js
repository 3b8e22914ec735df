// Material coordinates of the vertices that are drawn. At a seam a vertex has coordinates in several panels, and is drawn once for each.

/** The vertices of a mesh that are drawn: those that it has, and after them copies of those with several coordinates. */
export class Charts {
  /** `faces`: three vertices each. `corners`: two coordinates per corner [m]. `count`: the number of vertices. */
  constructor(faces, corners, count) {
    this.count = count;
    this.faces = faces.slice();
    // The vertex of each copy.
    this.sources = [];
    const coords = [];
    // For each drawn vertex the next one of the same vertex; −1: there is none.
    const next = new Array(count).fill(-1);
    const isKnown = new Uint8Array(count);
    faces.forEach((vertex, corner) => {
      const [u, v] = [corners[2 * corner], corners[2 * corner + 1]];
      if (!isKnown[vertex]) {
        isKnown[vertex] = 1;
        coords[2 * vertex] = u;
        coords[2 * vertex + 1] = v;
        return;
      }
      let drawn = vertex;
      while (coords[2 * drawn] !== u || coords[2 * drawn + 1] !== v) {
        if (next[drawn] < 0) {
          next[drawn] = count + this.sources.length;
          this.sources.push(vertex);
          next.push(-1);
          coords[2 * next[drawn]] = u;
          coords[2 * next[drawn] + 1] = v;
        }
        drawn = next[drawn];
      }
      this.faces[corner] = drawn;
    });
    this.coords = Float32Array.from({ length: 2 * this.size }, (_, k) => coords[k] ?? 0);
  }

  /** The number of vertices that are drawn. */
  get size() {
    return this.count + this.sources.length;
  }

  /** Gives copies the three numbers of their vertices. */
  copy(array) {
    this.sources.forEach((vertex, k) => array.copyWithin(3 * (this.count + k), 3 * vertex, 3 * vertex + 3));
  }

  /** Makes the normals of copies one: there is no crease at a seam. */
  joinNormals(normals) {
    this.sources.forEach((vertex, k) => {
      for (let axis = 0; axis < 3; axis++) normals[3 * vertex + axis] += normals[3 * (this.count + k) + axis];
    });
    for (const vertex of new Set(this.sources)) {
      const length = Math.hypot(normals[3 * vertex], normals[3 * vertex + 1], normals[3 * vertex + 2]) || 1;
      for (let axis = 0; axis < 3; axis++) normals[3 * vertex + axis] /= length;
    }
    this.copy(normals);
  }
}
