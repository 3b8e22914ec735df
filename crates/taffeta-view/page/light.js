// Light: the sky, and a sun that casts shadows on floors.

import * as THREE from "three";

// Points along the side of the map of shadows, and half the width of the border of a shadow in such points. Where the processor draws,
// shadows take time from the simulation.
const SHADOW = { hardware: { size: 1024, blur: 5 }, software: { size: 384, blur: 2 } };
// Part of its size by which the lit box is larger than what is in it: it is not set anew for every motion.
const MARGIN = 0.25;

export class Light {
  constructor(scene, renderer, isSoftware) {
    const { size, blur } = isSoftware ? SHADOW.software : SHADOW.hardware;
    this.shadows = renderer.shadowMap;
    this.shadows.enabled = true;
    this.shadows.type = THREE.PCFShadowMap;
    // The camera moves more often than what casts the shadows.
    this.shadows.autoUpdate = false;
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.6);
    this.sun = new THREE.DirectionalLight(0xffffff, 1.8);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(size, size);
    this.sun.shadow.radius = blur;
    this.toward = new THREE.Vector3(0.5, 1.5, 0.8).normalize();
    // What is in this box casts its shadow.
    this.lit = new THREE.Box3();
    scene.add(this.sky, this.sun, this.sun.target);
  }

  /** Takes over what is upward. */
  setUp(up) {
    this.sky.position.copy(up);
    this.toward.set(0.5, 1.5, 0.8).normalize();
    this.toward.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), up));
    this.lit.makeEmpty();
  }

  /** Casts the shadows of what is in a box anew. */
  cast(box) {
    this.shadows.needsUpdate = true;
    if (box.isEmpty() || this.lit.containsBox(box)) return;
    this.lit.copy(box).expandByScalar(MARGIN * Math.max(box.getSize(new THREE.Vector3()).length(), 1e-3));
    const { center, radius } = this.lit.getBoundingSphere(new THREE.Sphere());
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(this.toward, 2 * radius);
    const { camera } = this.sun.shadow;
    // Beyond the box for floors, on which the shadows fall.
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.5 * radius, far: 12 * radius });
    camera.updateProjectionMatrix();
  }
}
