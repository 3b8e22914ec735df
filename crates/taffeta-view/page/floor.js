// Floors: pieces of infinite planes, which take on shadows and fade away toward their borders, as in pictures.

import * as THREE from "three";

// The background in full light, a little darker.
const COLOR = 0xe2e4e7;
// A floor begins to fade at this share of its reach, and ends at its reach.
const FADE_START = 0.25;

/** The material of floors. They are not seen from below. */
export function makeFloorMaterial(depthSteps) {
  return new THREE.MeshLambertMaterial({
    color: COLOR,
    vertexColors: true,
    transparent: true,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: depthSteps,
  });
}

/** Gives the vertices of a floor their opacities. */
export function fade(geometry) {
  const positions = geometry.getAttribute("position");
  const center = new THREE.Box3().setFromBufferAttribute(positions).getCenter(new THREE.Vector3());
  const distances = Array.from({ length: positions.count }, (_, v) => new THREE.Vector3().fromBufferAttribute(positions, v).distanceTo(center));
  // To the middle of a side: the corners are the farthest.
  const reach = Math.max(...distances) * Math.SQRT1_2;
  const colors = new Float32Array(4 * positions.count).fill(1);
  distances.forEach((distance, v) => {
    const part = THREE.MathUtils.smoothstep(distance / reach, FADE_START, 1);
    colors[4 * v + 3] = 1 - part;
  });
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 4));
}
