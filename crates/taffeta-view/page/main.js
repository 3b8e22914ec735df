// The page: puts connection, stage, pointer, keys, panel, notices and plots together.

import { connect } from "./connection.js";
import { paintLegend } from "./colors.js";
import { listenToKeys } from "./keys.js";
import { Notices } from "./notices.js";
import { Panel } from "./panel.js";
import { Plots, formatNumber } from "./plots.js";
import { Pointer } from "./pointer.js";
import { Sewing } from "./sewing.js";
import { Stage } from "./stage.js";

const find = (id) => document.getElementById(id);
// Wall time between drawings of the plots [ms]; where the processor draws, they take time from the simulation.
const PLOT_INTERVAL = { hardware: 150, software: 500 };

const stage = new Stage(find("stage"));
const plots = new Plots();
const notices = new Notices(find("notices"));
const plotInterval = stage.isSoftware ? PLOT_INTERVAL.software : PLOT_INTERVAL.hardware;
let status = null;
let shown = null;
let waiting = null;
let isSeeking = false;
let lastPlot = 0;
// The frame that was shown when another one was asked for last.
let askedFrom = null;
const counts = { frames: 0, drawn: 0, bytes: 0, since: performance.now(), rate: 0, drawRate: 0 };
const latencies = [];

const connection = connect({
  connected(isConnected) {
    find("banner").hidden = isConnected;
    if (!isConnected) sewing.disconnect();
    find("banner").textContent = "No connection to taffeta view. Trying again … If it has been started anew, open the address that it prints.";
  },
  frame(frame, bytes) {
    // Only the latest is drawn; what was left out may have had faces, which the next one then lacks.
    if (waiting) takeOver(waiting);
    waiting = frame;
    counts.bytes = bytes;
  },
  status: showStatus,
  edges: (edges) => sewing.takeEdges(edges),
  seam: (seam) => sewing.takeSeam(seam),
  refused(refusal) {
    // What two edges lack is said where they are picked.
    if (refusal.command !== "seam" || !sewing.refuse(refusal.reason)) notices.refuse(refusal);
  },
});
const send = (command) => connection.send(command);
const panel = new Panel(send);
const sewing = new Sewing(stage, send);
const pointer = new Pointer(stage, send, sewing);

function takeOver(frame) {
  const begun = performance.now();
  stage.apply(frame);
  // A picture of a step that is not over has the number of the frame before.
  counts.frames += frame.frame === shown?.frame ? 0 : 1;
  plots.add(frame.frame, frame.report);
  shown = frame;
  sewing.noteFrame(frame.frame === 0);
  waiting = null;
  send({ do: "taken" });
  hintPause();
  counts.cost = performance.now() - begun;
}

function showStatus(next) {
  const isOther = status?.mode !== next.mode || status?.title !== next.title;
  status = next;
  if (isOther) {
    stage.open(status.opening);
    sewing.forget();
  }
  sewing.ask();
  const isLive = status.mode === "live";
  document.title = `${status.title} – Taffeta`;
  find("title").textContent = status.title;
  find("subtitle").textContent = isLive ? `live, solver ${status.solver}` : `recording, ${status.frames.length} frames`;
  find("run").textContent = status.running ? "Pause" : isLive ? "Run" : "Play";
  find("real-time").checked = status.real_time;
  find("tools").hidden = !isLive;
  find("seek").hidden = isLive;
  pointer.mayTouch = isLive;
  if (!isLive && isOther) {
    find("seek").min = status.frames[0];
    find("seek").max = status.frames[status.frames.length - 1];
  }
  panel.update(status);
  notices.update(status.notices);
  hintPause();
}

/** Says why nothing moves when something is held in a pause. */
function hintPause() {
  const isPaused = status?.running === false;
  const isHeld = isPaused && status.mode === "live" && shown?.grabs.length > 0;
  notices.setHint(isHeld ? "Paused: what you hold follows the pointer when it runs. Press Run or the space bar." : null, isPaused);
}

function describe() {
  if (!shown || !status) return;
  const { report } = shown;
  const isPast = status.mode === "live" && !status.is_static && shown.time > status.duration;
  find("clock").textContent = `frame ${shown.frame}   ${shown.time.toFixed(3)} s${isPast ? ", past the scene's end" : ""}`;
  if (!isSeeking) find("seek").value = shown.frame;
  const lines = [`${report.vertices ?? "–"} vertices, ${report.faces ?? "–"} faces`];
  if (report.contacts !== undefined) lines.push(`${report.contacts} contacts, ${report.splits + report.collapses + report.flips} edits of the mesh`);
  if (report.step_ms !== undefined) lines.push(`${formatNumber(report.step_ms)} ms per frame, ${counts.rate.toFixed(0)} frames/s`);
  if (report.rough) {
    const edges = report.rough.edges ? `, edges × ${report.rough.edges.toFixed(1)}` : "";
    lines.push(`Rougher to keep real time: step error ${formatNumber(report.rough.accuracy)}${edges}`);
  }
  const readout = find("readout");
  readout.replaceChildren(lines.join("\n"));
  if (report.slowness > 1.05) {
    const slow = document.createElement("div");
    slow.className = "slow";
    slow.textContent = `Slower than real time: 1 s of cloth takes ${formatNumber(report.slowness)} s.`;
    readout.append(slow);
  }
  showLegend();
}

function showLegend() {
  find("legend").hidden = !stage.range;
  if (!stage.range) return;
  [find("legend-low").textContent, find("legend-high").textContent] = stage.range.map(formatNumber);
}

function tick(now) {
  if (waiting) takeOver(waiting);
  const stamp = shown?.stamp;
  const isDrawn = stage.draw(now);
  sewing.draw(isDrawn);
  counts.drawn += isDrawn ? 1 : 0;
  if (isDrawn && stamp !== null && stamp !== undefined && stamp !== latencies.last) {
    latencies.last = stamp;
    latencies.push(performance.now() - stamp);
    if (latencies.length > 500) latencies.shift();
  }
  if (now - lastPlot > plotInterval) {
    const seconds = (now - counts.since) / 1000;
    if (seconds > 1) {
      Object.assign(counts, { rate: counts.frames / seconds, drawRate: counts.drawn / seconds, frames: 0, drawn: 0, since: now });
    }
    lastPlot = now;
    describe();
    plots.draw();
  }
  requestAnimationFrame(tick);
}

find("fit").onclick = () => stage.frameCamera();
find("run").onclick = () => send({ do: "run", on: !status.running });
find("step").onclick = () => send({ do: "step" });
find("reset").onclick = () => send({ do: "reset" });
find("real-time").onchange = (event) => send({ do: "real_time", on: event.target.checked });
find("wireframe").onchange = (event) => stage.setWireframe(event.target.checked);
find("ground").onchange = (event) => stage.setGround(event.target.checked);
find("color").onchange = (event) => {
  stage.quantity = event.target.value;
  if (stage.quantity) paintLegend(stage.quantity, find("legend-bar"));
  stage.color();
};
find("seek").oninput = (event) => {
  isSeeking = true;
  send({ do: "seek", frame: event.target.valueAsNumber });
};
find("seek").onchange = () => (isSeeking = false);
for (const button of document.querySelectorAll("[data-tool]")) {
  button.onclick = () => chooseTool(button.dataset.tool);
}
/** Asks for another frame by a key; while it is held down, when the last one has come. */
function ask(command, isHeldDown) {
  if (!shown || (isHeldDown && askedFrom === shown)) return;
  askedFrom = shown;
  send(command);
}

const askNext = (isHeldDown) => ask({ do: "step" }, isHeldDown);
listenToKeys({
  " ": (isHeldDown) => isHeldDown || find("run").click(),
  ".": askNext,
  ArrowRight: askNext,
  ArrowLeft(isHeldDown) {
    const before = status?.frames.findLast((frame) => frame < shown?.frame);
    // A simulation says that it cannot go back.
    ask({ do: "seek", frame: before ?? 0 }, isHeldDown);
  },
  f: () => stage.frameCamera(),
  Escape: () => sewing.cancel(),
});

function chooseTool(name) {
  pointer.tool = name;
  sewing.setActive(name === "sew");
  // Edges are those of time 0: nothing is to move away from them meanwhile.
  if (name === "sew" && status?.running) send({ do: "run", on: false });
  for (const button of document.querySelectorAll("[data-tool]")) {
    button.classList.toggle("chosen", button.dataset.tool === name);
  }
}

chooseTool("grab");
requestAnimationFrame(tick);

// For tests and for the curious: what the page shows.
window.taffeta = {
  get frame() { return shown?.frame; },
  get time() { return shown?.time; },
  get report() { return shown?.report; },
  get grabs() { return shown?.grabs.length; },
  get status() { return status; },
  get rate() { return counts.rate; },
  get drawRate() { return counts.drawRate; },
  get cost() { return counts.cost; },
  get bytes() { return counts.bytes; },
  latencies,
  send,
  /** Draws at once, so that the picture can be read before the browser clears it. */
  draw() {
    stage.isDirty = true;
    stage.draw();
  },
  /** Where a vertex of a cloth is [m]. */
  position(cloth, vertex) {
    const { array } = stage.cloths()[cloth].surface.geometry.getAttribute("position");
    return Array.from(array.subarray(3 * vertex, 3 * vertex + 3));
  },
  /** Where a vertex of a body is [m]. */
  place(name, vertex) {
    const { array } = stage.bodies.get(name).surface.geometry.getAttribute("position");
    return Array.from(array.subarray(3 * vertex, 3 * vertex + 3));
  },
  /** How many vertices of a body are held. */
  holds: (name) => stage.bodies.get(name).heldVertices.length,
  /** The vertex of a cloth that is nearest to a place of its layout [m]. */
  nearest(cloth, place) {
    const { layout } = stage.cloths()[cloth];
    let best = [Infinity, -1];
    for (let v = 0; 3 * v < layout.length; v++) {
      const distance = Math.hypot(layout[3 * v] - place[0], layout[3 * v + 1] - place[1], layout[3 * v + 2] - place[2]);
      if (distance < best[0]) best = [distance, v];
    }
    return best[1];
  },
  /** The edges that can be sewn, and the seams so far. */
  get edges() { return sewing.edges?.map(({ points, ...edge }) => ({ ...edge, points: Array.from(points) })); },
  get seams() { return sewing.seams; },
  /** How many pixels edges and seams take. */
  painted() {
    sewing.draw(true);
    const { canvas } = sewing;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((count, value, k) => count + (k % 4 === 3 && value > 0 ? 1 : 0), 0);
  },
  /** How a cloth is drawn: whether threads are shown, how many vertices its hem has, and how many vertices are drawn more than once. */
  looks(cloth) {
    const { strength, hem, charts } = stage.cloths()[cloth];
    return { woven: strength.value > 0, hem: hem.mesh.visible ? hem.mesh.geometry.getAttribute("position").count : 0, copies: charts?.sources.length ?? 0 };
  },
  /** Whether the ground is shown. */
  get ground() { return stage.bodies.get("ground.0")?.surface.visible ?? false; },
  /** How many vertices of a cloth are held. */
  held: (cloth) => stage.cloths()[cloth].heldVertices.length,
  /** Where on the page a point [m] is [px]. */
  screen(point) {
    const box = stage.canvas.getBoundingClientRect();
    const place = stage.camera.position.clone().set(...point).project(stage.camera);
    return [box.left + ((place.x + 1) / 2) * box.width, box.top + ((1 - place.y) / 2) * box.height];
  },
};
