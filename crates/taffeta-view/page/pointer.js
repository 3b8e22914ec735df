// What the pointer does to cloths and ropes: grab, pin, unpin, sew. Beside them it is left to the camera.

import * as THREE from "three";

export class Pointer {
  /** `send`: sends a command. `sewing`: takes edges. */
  constructor(stage, send, sewing) {
    this.sewing = sewing;
    this.stage = stage;
    this.send = send;
    this.tool = "grab";
    this.mayTouch = false;
    // What is dragged along while the button is down, and the pointer that does it.
    this.plane = this.pointer = null;
    const canvas = stage.canvas;
    // Before the camera's own listeners, which are on the canvas itself.
    canvas.parentElement.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    // Wherever the pointer is. A browser may take the capture back with the button still down: that is no release.
    window.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, (event) => this.end(event));
  }

  press(event) {
    if (event.target !== this.stage.canvas || event.button !== 0 || !this.mayTouch) return;
    if (this.tool === "sew") {
      if (!this.sewing.press(event.clientX, event.clientY)) return;
      event.stopPropagation();
      event.preventDefault();
      return;
    }
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit) return;
    event.stopPropagation();
    event.preventDefault();
    const { body, panel, point } = hit;
    if (this.tool !== "grab") {
      this.send({ do: this.tool, body, panel, point });
      return;
    }
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    const toward = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(toward, hit.position);
    this.send({ do: "grab", body, panel, point, target: hit.position.toArray(), stamp: performance.now() });
  }

  move(event) {
    if (!this.plane || event.pointerId !== this.pointer) return;
    // Released where the page could not see it.
    if (!(event.buttons & 1)) return this.release();
    const target = this.stage.castRay(event.clientX, event.clientY).ray.intersectPlane(this.plane, new THREE.Vector3());
    if (target) this.send({ do: "drag", target: target.toArray(), stamp: performance.now() });
  }

  end(event) {
    if (event.pointerId === this.pointer) this.release();
  }

  release() {
    if (!this.plane) return;
    this.plane = this.pointer = null;
    this.send({ do: "release" });
  }
}
