// Seams by clicking: two edges of panels become a seam, in the words of the scene file. The program knows edges, pairs and
// words (sewing.rs); here they are picked, drawn over the picture and collected.

import { middleOf, nearestLine } from "./lines.js";

// How far beside an edge it can be clicked [px].
const REACH = 12;
// Lines have a dark rim, so that they are seen on cloth of any color.
const RIM = { color: "#20242a", width: 2 };
const LOOKS = {
  edge: { color: "#9cc4f5", width: 1.5 },
  hovered: { color: "#9cc4f5", width: 4 },
  picked: { color: "#ffd21f", width: 4 },
  sewn: { color: "#8fd36b", width: 2.5 },
  latest: { color: "#ffd21f", width: 4 },
};
const LABEL_FONT = "12px system-ui, sans-serif";

export class Sewing {
  /** `send`: sends a command. */
  constructor(stage, send) {
    this.stage = stage;
    this.send = send;
    this.canvas = document.getElementById("threads");
    this.panel = new SeamPanel(this);
    this.isActive = this.isAsked = this.isDirty = false;
    // Whether the picture shows the panels where their edges are drawn.
    this.isAtStart = true;
    this.forget();
    window.addEventListener("pointermove", (event) => this.hover(event));
  }

  /** Forgets everything: another scene is shown. */
  forget() {
    this.edges = null;
    this.missing = [];
    this.seams = [];
    this.isAsked = false;
    this.cancel();
  }

  /** Begins or ends with picking. */
  setActive(isActive) {
    this.isActive = isActive;
    this.cancel();
  }

  /** Asks for the edges, if they are wanted and not known. */
  ask() {
    if (!this.isActive || this.edges || this.isAsked) return;
    this.isAsked = true;
    this.send({ do: "edges" });
  }

  /** Notes that what was asked for may never come. */
  disconnect() {
    this.isAsked = false;
    this.cancel();
  }

  /** Notes whether time 0 is shown. */
  noteFrame(isAtStart) {
    if (isAtStart === this.isAtStart) return;
    this.isAtStart = isAtStart;
    this.show();
  }

  /** Takes over the edges. */
  takeEdges({ edges, missing }) {
    this.edges = edges.map((edge) => ({ ...edge, points: Float32Array.from(edge.points) }));
    this.missing = missing;
    this.show();
  }

  /** Takes over a seam, if it is the one that was asked for. */
  takeSeam(seam) {
    if (!this.asked || this.asked.some((edge, k) => edge !== this.edgeOf(seam, k))) return;
    this.seams = this.seams.filter((other) => other.table !== seam.table);
    this.seams.push({ ...seam, pairs: Float32Array.from(seam.pairs) });
    this.cancel();
  }

  /** Says why two edges make no seam. Returns whether they were asked for here. */
  refuse(reason) {
    if (!this.asked) return false;
    this.cancel();
    this.reason = reason;
    this.show();
    return true;
  }

  /** Lets go of what has been picked for the seam that is not made yet. */
  cancel() {
    this.first = this.asked = this.hovered = null;
    this.reason = "";
    this.ask();
    this.show();
  }

  /** Takes a seam back. */
  remove(seam) {
    this.seams = this.seams.filter((other) => other !== seam);
    this.show();
  }

  show() {
    this.isDirty = true;
    this.panel.show();
  }

  /** The edge of a side of a seam. */
  edgeOf(seam, side) {
    const [panel, edge] = seam.sides[side];
    return this.edges.find((other) => other.cloth === seam.cloth && other.panel === panel && other.edge === edge);
  }

  /** The edge at a place of the window [px]; null: none. */
  edgeAt(x, y) {
    const box = this.stage.canvas.getBoundingClientRect();
    const lines = (this.edges ?? []).map((edge) => this.stage.toScreen(edge.points));
    return this.edges?.[nearestLine(lines, [x - box.left, y - box.top], REACH)] ?? null;
  }

  /** Picks the edge at a place of the window [px]. Returns whether there is one. */
  press(x, y) {
    const edge = this.edgeAt(x, y);
    if (!edge) return false;
    this.reason = "";
    if (this.first === edge) this.cancel();
    else if (!this.first) this.first = edge;
    else if (this.first.cloth !== edge.cloth) this.reason = "A seam joins two edges of one cloth.";
    else this.join(edge);
    this.show();
    return true;
  }

  /** Asks for the seam of the picked edge and another one. */
  join(edge) {
    this.asked = [this.first, edge];
    const [a, b] = this.asked.map((of) => [of.panel, of.edge]);
    this.send({ do: "seam", cloth: edge.cloth, a, b });
  }

  hover({ target, clientX, clientY }) {
    if (!this.isActive) return;
    const edge = target === this.stage.canvas ? this.edgeAt(clientX, clientY) : null;
    if (edge === this.hovered) return;
    this.hovered = edge;
    this.isDirty = true;
  }

  /** Draws the edges over the picture, if they or the picture have changed. */
  draw(isMoved) {
    if (!this.isDirty && !(isMoved && this.isActive)) return;
    this.isDirty = false;
    const pen = new Pen(this.canvas, this.stage);
    if (!this.isActive || !this.edges) return;
    for (const edge of this.edges) pen.line(edge.points, LOOKS[edge.is_sewn ? "sewn" : "edge"]);
    const latest = this.first ? null : this.seams.at(-1);
    for (const seam of this.seams) this.drawSeam(pen, seam, seam === latest);
    if (this.hovered) pen.line(this.hovered.points, LOOKS.hovered);
    const picked = this.asked ?? (this.first ? [this.first] : []);
    for (const edge of picked) pen.line(edge.points, LOOKS.picked);
    const labelled = new Set([...picked, ...(this.hovered ? [this.hovered] : []), ...(latest ? [0, 1].map((k) => this.edgeOf(latest, k)) : [])]);
    for (const edge of labelled) pen.label(edge.points, `${edge.name}: ${formatLength(edge.length)}${edge.is_sewn ? ", sewn by the scene" : ""}`);
  }

  drawSeam(pen, seam, isLatest) {
    const look = isLatest ? LOOKS.latest : LOOKS.sewn;
    for (const side of [0, 1]) pen.line(this.edgeOf(seam, side).points, look);
    for (let k = 0; k < seam.pairs.length; k += 6) pen.line(seam.pairs.subarray(k, k + 6), { ...look, width: 1 });
  }
}

/** A length with its unit. */
export function formatLength(length) {
  return `${length.toFixed(4)} m`;
}

/** Draws lines through points of space on a canvas over the picture. */
class Pen {
  /** Begins with an empty canvas. */
  constructor(canvas, stage) {
    this.stage = stage;
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.round(size * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.context = canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    this.context.lineCap = this.context.lineJoin = "round";
  }

  line(points, { color, width }) {
    const { context } = this;
    context.beginPath();
    let isDown = false;
    for (const point of this.stage.toScreen(points)) {
      if (point) context[isDown ? "lineTo" : "moveTo"](...point);
      isDown = Boolean(point);
    }
    for (const [strokeStyle, lineWidth] of [[RIM.color, width + RIM.width], [color, width]]) {
      Object.assign(context, { strokeStyle, lineWidth });
      context.stroke();
    }
  }

  label(points, text) {
    const middle = middleOf(this.stage.toScreen(points));
    if (!middle) return;
    const [x, y] = [middle[0] + 8, middle[1] - 8];
    Object.assign(this.context, { font: LABEL_FONT, strokeStyle: "#ffffffd8", fillStyle: "#20242a", lineWidth: 4 });
    this.context.strokeText(text, x, y);
    this.context.fillText(text, x, y);
  }
}

/** The part of the panel with the seams and their text. */
class SeamPanel {
  constructor(sewing) {
    this.sewing = sewing;
    const find = (name) => document.getElementById(`seam-${name}`);
    [this.section, this.hint, this.list, this.text, this.copy, this.clear] = ["section", "hint", "list", "text", "copy", "clear"].map(find);
    this.clear.onclick = () => {
      sewing.seams = [];
      sewing.cancel();
    };
    this.copy.onclick = () => this.copyText();
  }

  show() {
    const { sewing } = this;
    this.section.hidden = !sewing.isActive;
    this.hint.textContent = describe(sewing);
    this.hint.classList.toggle("slow", Boolean(sewing.reason));
    const has = sewing.seams.length > 0;
    for (const element of [this.list, this.text, this.copy, this.clear]) element.hidden = !has;
    this.list.replaceChildren(...sewing.seams.map((seam) => this.makeLine(seam)));
    // Text that is selected must not change meanwhile.
    const text = sewing.seams.map((seam) => seam.table).join("\n");
    if (this.text.value === text) return;
    this.text.value = text;
    this.copy.textContent = "Copy";
  }

  makeLine(seam) {
    const line = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { textContent: "×", title: "Take this seam back" });
    button.onclick = () => this.sewing.remove(seam);
    const sides = [0, 1].map((k) => `${this.sewing.edgeOf(seam, k).name} (${formatLength(seam.lengths[k])})`);
    const gathered = seam.ease ? ", the longer one is gathered" : "";
    line.append(`${sides.join(" to ")}, 1 : ${seam.ratio.toFixed(3)}${gathered} `, button);
    return line;
  }

  copyText() {
    const tell = (text) => (this.copy.textContent = text);
    this.text.select();
    const written = navigator.clipboard?.writeText(this.text.value) ?? Promise.reject();
    // Without leave for the clipboard, the text is left selected.
    written.then(() => tell("Copied"), () => tell(document.execCommand("copy") ? "Copied" : "Press Ctrl-C"));
  }
}

/** What to do next, or why nothing can be done. */
function describe({ edges, missing, first, asked, reason, isAtStart }) {
  if (!edges) return "Asking for the edges of the panels …";
  if (edges.length === 0) return `There is nothing to click: ${missing.join("; ")}.`;
  if (reason) return reason;
  if (asked) return "Pairing the two edges …";
  if (first) return `${first.name}, ${formatLength(first.length)}: click the edge that it is sewn to. Escape, or a click on the same edge, lets go of it.`;
  const away = isAtStart ? "" : " Edges are where they are at time 0: press Reset to see the panels there.";
  return `Click an edge of a panel, then the edge that it is sewn to.${away}`;
}
