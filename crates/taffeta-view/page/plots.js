// Plots of the last frames: a line per quantity over the frames.

const LENGTH = 600;
const COLORS = ["#2f5f9e", "#c0502d", "#4f8a3c", "#8a63a8", "#777"];
const PLOTS = {
  vertices: { vertices: "vertices" },
  energies: { kinetic_energy: "kinetic", stretch_energy: "stretch", bend_energy: "bending" },
  times: { solve_ms: "solve", contact_ms: "contact", remesh_ms: "remesh", step_ms: "all" },
};

export class Plots {
  constructor() {
    this.rows = [];
    this.canvases = [...document.querySelectorAll("canvas[data-plot]")];
  }

  /** Notes a frame. One that comes again takes the place of those after it. */
  add(frame, report) {
    while (this.rows.length && this.rows[this.rows.length - 1].frame >= frame) this.rows.pop();
    this.rows.push({ frame, ...report });
    if (this.rows.length > LENGTH) this.rows.shift();
  }

  draw() {
    for (const canvas of this.canvases) this.drawOne(canvas, PLOTS[canvas.dataset.plot]);
  }

  drawOne(canvas, series) {
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    // Kept by the processor: lines of many points cost a slow graphics unit more than their few pixels do.
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "10px system-ui, sans-serif";
    const names = Object.keys(series);
    let high = 0;
    for (const row of this.rows) for (const name of names) high = Math.max(high, row[name] ?? 0);
    if (high === 0) return;
    const x = (i) => 4 + ((width - 8) * i) / Math.max(this.rows.length - 1, 1);
    const y = (value) => height - 4 - ((height - 20) * value) / high;
    let left = 4;
    names.forEach((name, k) => {
      context.strokeStyle = context.fillStyle = COLORS[k];
      context.beginPath();
      this.rows.forEach((row, i) => {
        if (row[name] !== undefined) context.lineTo(x(i), y(row[name]));
      });
      context.stroke();
      const last = this.rows[this.rows.length - 1][name];
      const label = `${series[name]} ${last === undefined ? "–" : formatNumber(last)}`;
      context.fillText(label, left, 11);
      left += context.measureText(label).width + 8;
    });
  }
}

/** A number with three digits. */
export function formatNumber(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
