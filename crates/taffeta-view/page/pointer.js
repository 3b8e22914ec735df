// What the pointer does to cloths and ropes: grab, pin, unpin. Beside them it is left to the camera.

import * as THREE from "three";

export class Pointer {
  /** `send`: sends a command. `mayTouch`: null, or why nothing can be grabbed. */
  constructor(stage, send) {
    this.stage = stage;
    this.send = send;
    this.tool = "grab";
    this.mayTouch = false;
    this.plane = null;
    const canvas = stage.canvas;
    // Before the camera's own listeners, which are on the canvas itself.
    canvas.parentElement.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(name, () => this.release());
    }
  }

  press(event) {
    if (event.target !== this.stage.canvas || event.button !== 0 || !this.mayTouch) return;
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit) return;
    event.stopPropagation();
    event.preventDefault();
    const { body, point } = hit;
    if (this.tool !== "grab") {
      this.send({ do: this.tool, body, point });
      return;
    }
    this.stage.canvas.setPointerCapture(event.pointerId);
    const toward = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(toward, hit.position);
    this.send({ do: "grab", body, point, target: hit.position.toArray(), stamp: performance.now() });
  }

  move(event) {
    if (!this.plane) return;
    const target = this.stage.castRay(event.clientX, event.clientY).ray.intersectPlane(this.plane, new THREE.Vector3());
    if (target) this.send({ do: "drag", target: target.toArray(), stamp: performance.now() });
  }

  release() {
    if (!this.plane) return;
    this.plane = null;
    this.send({ do: "release" });
  }
}
