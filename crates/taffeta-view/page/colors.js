// Colors of quantities: dark to light for what is never negative, blue over gray to red for what has a sign.

const RISING = [[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]];
const SIGNED = [[0.13, 0.29, 0.6], [0.52, 0.7, 0.86], [0.87, 0.87, 0.87], [0.93, 0.62, 0.49], [0.65, 0.09, 0.12]];
const HAS_SIGN = { strain: true, curvature: true };
// So that rounding is not blown up to colors.
const LEAST = { strain: 1e-3, curvature: 0.1, speed: 1e-2, size: 1e-3 };

function sample(stops, part) {
  const at = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((c, k) => c + (stops[i + 1][k] - c) * (at - i));
}

/** The range of a quantity, without the hundredth part of the values that is largest. */
export function findRange(name, fields) {
  const all = Float32Array.from(fields.flatMap((field) => Array.from(field, Math.abs))).sort();
  const high = Math.max(all.length ? all[Math.floor(0.99 * (all.length - 1))] : 0, LEAST[name] ?? 1e-9);
  return HAS_SIGN[name] ? [-high, high] : [0, high];
}

/** Writes the colors of a field's values within a range, three numbers per vertex, in linear light. */
export function paint(name, field, [low, high], colors) {
  const stops = HAS_SIGN[name] ? SIGNED : RISING;
  const table = Array.from({ length: 256 }, (_, i) => sample(stops, i / 255).map((c) => c ** 2.2));
  for (let i = 0; i < field.length; i++) {
    const part = (field[i] - low) / (high - low);
    colors.set(table[Math.min(Math.max(Math.round(part * 255), 0), 255)], 3 * i);
  }
}

/** Draws the colors of a quantity from low to high. */
export function paintLegend(name, canvas) {
  const context = canvas.getContext("2d");
  const stops = HAS_SIGN[name] ? SIGNED : RISING;
  for (let x = 0; x < canvas.width; x++) {
    const [r, g, b] = sample(stops, x / (canvas.width - 1)).map((c) => Math.round(255 * c));
    context.fillStyle = `rgb(${r} ${g} ${b})`;
    context.fillRect(x, 0, 1, canvas.height);
  }
}
