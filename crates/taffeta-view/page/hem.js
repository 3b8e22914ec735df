// Hems: the open edges of a cloth as a thin tube, so that cloth has a thickness where it ends. As in pictures (hem.rs of the renderer).

import * as THREE from "three";

// Vertices of a ring: round enough for a tube of few pixels.
const SIDES = 6;

/** The vertices along each open boundary. One that is closed ends with its first vertex. */
export function openChains(faces, count) {
  const sides = new Set();
  const each = (act) => {
    for (let i = 0; i < faces.length; i += 3) for (let k = 0; k < 3; k++) act(faces[i + k], faces[i + ((k + 1) % 3)]);
  };
  each((a, b) => sides.add(a * count + b));
  const next = new Map();
  each((a, b) => {
    if (!sides.has(b * count + a)) next.set(a, [...(next.get(a) ?? []), b]);
  });
  const chains = [];
  for (const [first, ends] of next) {
    while (ends.length > 0) {
      const chain = [first];
      for (let end = ends.pop(); end !== undefined; end = next.get(end)?.pop()) chain.push(end);
      chains.push(chain);
    }
  }
  return chains;
}

export class Hem {
  constructor(color) {
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({ color, roughness: 0.85 }));
    this.mesh.frustumCulled = false;
    this.chains = [];
  }

  /** Takes over another mesh of the cloth. */
  setFaces(faces, count) {
    this.chains = openChains(faces, count);
    const index = [];
    let first = 0;
    for (const chain of this.chains) {
      const at = (k, corner) => first + k * SIDES + (corner % SIDES);
      for (let k = 0; k + 1 < chain.length; k++) {
        for (let corner = 0; corner < SIDES; corner++) {
          index.push(at(k, corner), at(k, corner + 1), at(k + 1, corner), at(k + 1, corner), at(k, corner + 1), at(k + 1, corner + 1));
        }
      }
      first += chain.length * SIDES;
    }
    const attribute = () => new THREE.BufferAttribute(new Float32Array(3 * first), 3);
    this.mesh.geometry.dispose();
    this.mesh.geometry = new THREE.BufferGeometry().setIndex(index);
    for (const name of ["position", "normal", "color"]) this.mesh.geometry.setAttribute(name, attribute());
  }

  /** Lays the tubes along the open edges, with a radius [m]. */
  follow(positions, radius) {
    const { position, normal } = this.mesh.geometry.attributes;
    let ring = 0;
    for (const chain of this.chains) {
      const last = chain.length - 1;
      const isClosed = chain[0] === chain[last];
      const point = (k) => new THREE.Vector3().fromArray(positions, 3 * chain[k]);
      let side = new THREE.Vector3(0, 1, 0);
      for (let k = 0; k <= last; k++, ring++) {
        const before = k > 0 ? k - 1 : isClosed ? last - 1 : 0;
        const after = k < last ? k + 1 : isClosed ? 1 : last;
        const along = point(after).sub(point(before)).normalize();
        side = turnAlong(side, along);
        const other = along.cross(side);
        const center = point(k);
        for (let corner = 0; corner < SIDES; corner++) {
          const angle = (2 * Math.PI * corner) / SIDES;
          const away = side.clone().multiplyScalar(Math.cos(angle)).addScaledVector(other, Math.sin(angle));
          away.toArray(normal.array, 3 * (ring * SIDES + corner));
          away.multiplyScalar(radius).add(center).toArray(position.array, 3 * (ring * SIDES + corner));
        }
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  }

  /** Takes over the colors of the vertices; null: the cloth is plain. */
  paint(colors, color) {
    const { geometry, material } = this.mesh;
    if (material.vertexColors !== Boolean(colors)) {
      material.vertexColors = Boolean(colors);
      material.color.set(colors ? 0xffffff : color);
      material.needsUpdate = true;
    }
    if (!colors) return;
    const own = geometry.getAttribute("color");
    this.chains.flat().forEach((vertex, ring) => {
      for (let corner = 0; corner < SIDES; corner++) own.array.set(colors.subarray(3 * vertex, 3 * vertex + 3), 3 * (ring * SIDES + corner));
    });
    own.needsUpdate = true;
  }
}

/** A direction across a chain, carried along without twist. At a right angle it may come to lie along the chain: then any. */
function turnAlong(side, along) {
  const rest = side.clone().addScaledVector(along, -side.dot(along));
  if (rest.length() > 0.1) return rest.normalize();
  const axis = Math.abs(along.x) < 0.5 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
  return axis.addScaledVector(along, -axis.dot(along)).normalize();
}
