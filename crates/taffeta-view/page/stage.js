// The scene in three.js: bodies, the points that are held, what is grabbed, camera and light.

import * as THREE from "three";
import { OrbitControls } from "./vendor/OrbitControls.js";
import { Charts } from "./charts.js";
import { findRange, paint } from "./colors.js";
import { fade, makeFloorMaterial } from "./floor.js";
import { Hem } from "./hem.js";
import { Light } from "./light.js";
import { weave } from "./weave.js";

// The colors of the fronts of cloths in pictures.
const CLOTHS = [0xd8604a, 0x2f8f9d, 0xe3a83a, 0x6f9e52, 0x8c6fc0, 0x4b80c4];
// Drawn by the processor, a picture takes time from the simulation: fewer pixels, no smooth edges, fewer pictures.
const SOFTWARE = { pixelRatio: 0.75, interval: 32 };
// How far beside a rope it can be taken [px].
const ROPE_REACH = 12;
// Steps by which bodies are drawn deeper than they are: cloth that lies on one has facets below its surface.
const DEPTH_STEPS = { cloth: 1, rope: 1, obstacle: 64, floor: 128 };
// The body that is the ground of a scene without a floor; see ground.rs.
const GROUND = "ground.0";
// Thickness of hems, relative to the diagonal of what is seen at first: two to three pixels.
const HEM = 3.5e-3;
const LOOKS = { rope: 0xc9a86a, obstacle: 0x9aa3ad };

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.isSoftware = isDrawnBySoftware();
    this.interval = this.isSoftware ? SOFTWARE.interval : 0;
    this.lastDrawn = -Infinity;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.isSoftware });
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0xe9ebee);
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.isDirty = true));
    this.light = new Light(this.scene, this.renderer, this.isSoftware);
    this.bodies = new Map();
    this.held = makePoints();
    this.grabs = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x111111, depthTest: false }));
    this.grabs.frustumCulled = false;
    this.scene.add(this.held, this.grabs);
    this.quantity = "";
    this.range = null;
    this.hasWireframe = false;
    this.hasGround = true;
    // Half the thickness of hems [m].
    this.hemRadius = 0;
    this.isFramed = false;
    this.opening = { up: [0, 1, 0] };
    this.isDirty = true;
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.isSoftware ? SOFTWARE.pixelRatio : Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.isDirty = true;
  }

  /** Takes over a frame. */
  apply(frame) {
    const names = new Set(frame.bodies.map((body) => body.name));
    for (const [name, body] of this.bodies) {
      if (!names.has(name)) this.remove(name, body);
    }
    if (!this.isFramed) this.hemRadius = 0.5 * HEM * measure(frame.bodies);
    let cloths = 0;
    for (const picture of frame.bodies) {
      const color = picture.kind === "cloth" ? CLOTHS[cloths++ % CLOTHS.length] : LOOKS[picture.kind];
      this.update(picture, color);
    }
    this.color();
    this.showHeld();
    const ends = new Float32Array(frame.grabs.flat(2));
    this.grabs.geometry.setAttribute("position", new THREE.BufferAttribute(ends, 3));
    this.castShadows();
    if (!this.isFramed) this.openCamera();
    this.isDirty = true;
  }

  remove(name, body) {
    this.scene.remove(body.surface, body.edges, ...(body.hem ? [body.hem.mesh] : []));
    body.surface.geometry.dispose();
    body.hem?.mesh.geometry.dispose();
    this.bodies.delete(name);
  }

  update(picture, color) {
    let body = this.bodies.get(picture.name);
    if (!body) {
      body = makeBody(picture.kind, color);
      this.bodies.set(picture.name, body);
      this.scene.add(body.surface, body.edges, ...(body.hem ? [body.hem.mesh] : []));
      body.surface.visible = this.hasGround || picture.name !== GROUND;
    }
    if (picture.faces) {
      body.number = picture.number;
      body.layout = picture.layout;
      body.corners = picture.corners;
      body.panels = picture.panels;
      body.faces = picture.faces;
      this.takeMesh(body, picture);
    }
    const geometry = body.surface.geometry;
    body.heldVertices = picture.held;
    body.fields = picture;
    this.showEdges(body);
    if (!picture.positions) return;
    const positions = geometry.getAttribute("position");
    positions.array.set(picture.positions);
    body.charts?.copy(positions.array);
    positions.needsUpdate = true;
    if (body.kind === "floor") fade(geometry);
    geometry.computeVertexNormals();
    body.charts?.joinNormals(geometry.getAttribute("normal").array);
    geometry.getAttribute("normal").needsUpdate = true;
    body.hem?.follow(picture.positions, this.hemRadius);
    // Rays ask for them again when they need them.
    geometry.boundingSphere = null;
    geometry.boundingBox = null;
  }

  /** Takes over another mesh of a body. */
  takeMesh(body, { faces, layout, corners, positions, woven }) {
    const count = positions.length / 3;
    body.charts = woven && corners.length > 0 ? new Charts(faces, corners, count) : null;
    // Another geometry, so that the buffers of this one are freed, and the edges of the mesh are found anew.
    body.surface.geometry.dispose();
    const geometry = (body.surface.geometry = body.edges.geometry = new THREE.BufferGeometry());
    geometry.setIndex(new THREE.BufferAttribute(body.charts?.faces ?? faces, 1));
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * (body.charts?.size ?? count)), 3));
    body.hem?.setFaces(faces, count);
    body.isWoven = woven && this.opening.thread > 0;
    if (!body.isWoven) return;
    const at = (k) => (body.charts ? body.charts.coords[k] : layout[3 * (k >> 1) + (k & 1)]);
    const threads = Float32Array.from({ length: 2 * (body.charts?.size ?? count) }, (_, k) => at(k) / this.opening.thread);
    geometry.setAttribute("thread", new THREE.BufferAttribute(threads, 2));
  }

  /** Shows the edges of a mesh in place of its hem, or hides them. */
  showEdges(body) {
    body.edges.visible = this.hasWireframe && body.kind !== "floor";
    if (body.hem) body.hem.mesh.visible = !this.hasWireframe;
  }

  /** Colors the cloths by the chosen quantity, where it is known. */
  color() {
    const cloths = this.cloths().filter(({ fields }) => fields[this.quantity]);
    this.range = cloths.length ? findRange(this.quantity, cloths.map(({ fields }) => fields[this.quantity])) : null;
    for (const body of this.cloths()) {
      const { geometry, material } = body.surface;
      const field = body.fields[this.quantity];
      // As in pictures: threads would change the colors.
      body.strength.value = body.isWoven && !field ? 1 : 0;
      if (!field) body.hem.paint(null, body.color);
      if (material.vertexColors !== Boolean(field)) {
        material.vertexColors = Boolean(field);
        material.color.set(field ? 0xffffff : body.color);
        material.needsUpdate = true;
      }
      if (!field) continue;
      let colors = geometry.getAttribute("color");
      if (!colors) {
        colors = new THREE.BufferAttribute(new Float32Array(geometry.getAttribute("position").array.length), 3);
        geometry.setAttribute("color", colors);
      }
      paint(this.quantity, field, this.range, colors.array);
      body.charts?.copy(colors.array);
      body.hem.paint(colors.array, body.color);
      colors.needsUpdate = true;
    }
    this.isDirty = true;
  }

  showHeld() {
    const places = [];
    for (const body of this.bodies.values()) {
      const positions = body.surface.geometry.getAttribute("position").array;
      for (const v of body.heldVertices) places.push(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
    }
    this.held.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
  }

  setWireframe(on) {
    this.hasWireframe = on;
    for (const body of this.bodies.values()) this.showEdges(body);
    this.isDirty = true;
  }

  /** Has shadows cast anew, if there is a floor for them. */
  castShadows() {
    const hasFloor = [...this.bodies.values()].some((body) => body.kind === "floor" && body.surface.visible);
    if (hasFloor) this.light.cast(this.findBox());
  }

  /** Shows the ground of a scene without a floor, or hides it. */
  setGround(on) {
    this.hasGround = on;
    const ground = this.bodies.get(GROUND);
    if (ground) ground.surface.visible = on;
    this.castShadows();
    this.isDirty = true;
  }

  /** The cloths in the order of the program. */
  cloths() {
    return [...this.bodies.values()].filter((body) => body.kind === "cloth");
  }

  /** Takes over the view at the start: what is upward, and the camera of the scene. */
  open(opening) {
    this.opening = opening;
    const up = new THREE.Vector3(...opening.up);
    this.camera.up.copy(up);
    this.light.setUp(up);
    // The controls turn about the axis that was upward when they were made.
    this.controls._quat.setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    this.controls._quatInverse.copy(this.controls._quat).invert();
    this.isFramed = false;
  }

  /** Puts the camera where the scene has it, or else where all but floors can be seen. */
  openCamera() {
    const { position, target, field_of_view: angle } = this.opening;
    this.frameCamera();
    if (!position || !this.isFramed) return;
    if (target) this.controls.target.set(...target);
    this.camera.position.set(...position);
    this.camera.fov = angle;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /** The box around all but floors. */
  findBox() {
    const box = new THREE.Box3();
    for (const body of this.bodies.values()) {
      if (body.kind !== "floor") box.union(new THREE.Box3().setFromBufferAttribute(body.surface.geometry.getAttribute("position")));
    }
    return box;
  }

  /** Puts the camera where all but floors can be seen. */
  frameCamera() {
    const box = this.findBox();
    if (box.isEmpty()) return;
    const center = box.getCenter(new THREE.Vector3());
    const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-3);
    // Half of the angle of view along the shorter side of the picture.
    const upward = (this.camera.fov * Math.PI) / 360;
    const angle = Math.atan(Math.tan(upward) * Math.min(this.camera.aspect, 1));
    const away = (1.25 * radius) / Math.sin(angle);
    this.controls.target.copy(center);
    // Directions of a world in which y is upward.
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.camera.up);
    const toward = (x, y, z) => new THREE.Vector3(x, y, z).applyQuaternion(turn);
    this.camera.position.copy(center).add(toward(0.45, 0.35, 0.85).normalize().multiplyScalar(away));
    this.camera.near = away / 200;
    this.camera.far = away * 40;
    this.camera.updateProjectionMatrix();
    this.held.material.size = 0.03 * radius;
    this.controls.update();
    this.isFramed = true;
  }

  /** A ray through a place of the canvas [px]. */
  castRay(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const place = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(place, this.camera);
    return ray;
  }

  /** Where points of space, three numbers each, are on the canvas [px]; null: beyond the reach of the camera. */
  toScreen(points) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const places = [];
    for (let i = 0; i < points.length; i += 3) {
      const { x, y, z } = new THREE.Vector3(points[i], points[i + 1], points[i + 2]).project(this.camera);
      places.push(Math.abs(z) <= 1 ? [((x + 1) / 2) * width, ((1 - y) / 2) * height] : null);
    }
    return places;
  }

  /** The cloth or rope under a place of the canvas [px]: its number, the panel, the material point, and where it is. */
  pick(x, y) {
    const solids = [...this.bodies.values()].filter((body) => body.kind !== "floor");
    const [hit] = this.castRay(x, y).intersectObjects(solids.map((body) => body.surface), false);
    if (!hit) return this.pickRope(x, y);
    const body = solids.find((body) => body.surface === hit.object);
    if (body.number === null || body.layout.length === 0) return null;
    const weights = hit.barycoord.toArray();
    const point = [0, 0, 0];
    for (let k = 0; k < 3; k++) {
      const corner = 3 * hit.faceIndex + k;
      const [coords, first, size] = body.corners.length > 0 ? [body.corners, 2 * corner, 2] : [body.layout, 3 * body.faces[corner], 3];
      for (let axis = 0; axis < size; axis++) point[axis] += weights[k] * coords[first + axis];
    }
    const panel = body.panels.length > 0 ? body.panels[hit.faceIndex] : null;
    return { body: body.number, panel, point, position: hit.point };
  }

  /** The rope that passes a place of the canvas [px] within some pixels: ropes are thin. */
  pickRope(x, y) {
    const box = this.canvas.getBoundingClientRect();
    let [nearest, found] = [ROPE_REACH, null];
    for (const body of this.bodies.values()) {
      if (body.kind !== "rope" || body.number === null || body.layout.length === 0) continue;
      const positions = body.surface.geometry.getAttribute("position").array;
      for (let i = 0; i < positions.length; i += 3) {
        const position = new THREE.Vector3(positions[i], positions[i + 1], positions[i + 2]);
        const { x: right, y: up, z } = position.clone().project(this.camera);
        const distance = Math.hypot(x - box.left - ((right + 1) / 2) * box.width, y - box.top - ((1 - up) / 2) * box.height);
        if (z > 1 || distance >= nearest) continue;
        nearest = distance;
        found = { body: body.number, panel: null, point: Array.from(body.layout.subarray(i, i + 3)), position };
      }
    }
    return found;
  }

  /** Draws, if anything has changed and the last time is long enough ago. */
  draw(now = Infinity) {
    this.controls.update();
    if (!this.isDirty || now - this.lastDrawn < this.interval) return false;
    this.isDirty = false;
    this.lastDrawn = Math.min(now, performance.now());
    // Shadows upload what has changed under the number of this frame. Without another number, three.js takes what changes after them
    // as uploaded when the next frame has no shadows to draw.
    this.renderer.info.render.frame++;
    this.renderer.render(this.scene, this.camera);
    return true;
  }
}

/** Whether pictures are drawn by the processor, as far as the browser tells. */
function isDrawnBySoftware() {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function makeMaterial(kind, color) {
  if (kind === "floor") return makeFloorMaterial(DEPTH_STEPS.floor);
  return new THREE.MeshStandardMaterial({
    color,
    roughness: 0.85,
    side: THREE.DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: DEPTH_STEPS[kind],
  });
}

function makeBody(kind, color) {
  const geometry = new THREE.BufferGeometry();
  const surface = new THREE.Mesh(geometry, makeMaterial(kind, color));
  surface.castShadow = kind !== "floor";
  surface.receiveShadow = kind === "floor";
  const lines = new THREE.MeshBasicMaterial({ color: 0x111111, wireframe: true, transparent: true, opacity: 0.35 });
  const edges = new THREE.Mesh(geometry, lines);
  surface.frustumCulled = edges.frustumCulled = false;
  // The strength of the threads of a cloth.
  const strength = kind === "cloth" ? weave(surface.material) : null;
  const hem = kind === "cloth" ? new Hem(color) : null;
  return { kind, color, surface, edges, strength, hem, isWoven: false, charts: null, number: null, layout: new Float32Array(), corners: new Float32Array(), panels: new Uint32Array(), faces: null, fields: {}, heldVertices: [] };
}

/** The diagonal of the box around all but floors [m]. */
function measure(pictures) {
  const box = new THREE.Box3();
  for (const { kind, positions } of pictures) {
    if (kind !== "floor" && positions) box.union(new THREE.Box3().setFromArray(positions));
  }
  return box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length();
}

function makePoints() {
  const points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0x1c2128, size: 0.02 }));
  points.frustumCulled = false;
  return points;
}
