// The panel beside the picture: what can be set.

import { formatNumber } from "./plots.js";

const STEPS = 500;

export class Panel {
  constructor(send) {
    this.send = send;
    this.root = document.getElementById("controls");
    this.dials = new Map();
    this.shape = "";
  }

  /** Brings the panel in line with the program. */
  update(status) {
    // Built anew only when there is something else to set.
    const shape = JSON.stringify([status.controls.map(({ value, low, high, ...rest }) => rest), status.presets, status.cloths]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build(status);
    }
    for (const control of status.controls) this.dials.get(control.key).show(control);
  }

  build(status) {
    this.root.replaceChildren();
    this.dials.clear();
    let group = null;
    for (const control of status.controls) {
      if (control.group !== group) {
        group = control.group;
        this.root.append(element("h2", { textContent: group[0].toUpperCase() + group.slice(1) }));
        const number = /^cloth\.(\d+)\.material\./.exec(control.key)?.[1];
        if (number !== undefined && status.presets.length) this.root.append(this.makePresets(Number(number), status.presets));
      }
      const dial = new Dial(control, (value) => this.send({ do: "set", key: control.key, value }));
      this.dials.set(control.key, dial);
      this.root.append(dial.row);
    }
    if (status.controls.length) {
      const button = element("button", { id: "defaults", textContent: "Values of the scene" });
      button.onclick = () => this.send({ do: "defaults" });
      this.root.append(element("p", {}), button);
    }
  }

  makePresets(cloth, names) {
    const select = element("select", { title: "material preset" });
    select.append(element("option", { value: "", textContent: "take a preset …" }));
    for (const name of names) select.append(element("option", { value: name, textContent: name }));
    select.onchange = () => {
      if (select.value) this.send({ do: "preset", cloth, name: select.value });
      select.value = "";
    };
    return select;
  }
}

/** A slider with its value. While it is dragged it does not follow the program. */
class Dial {
  constructor(control, change) {
    this.control = control;
    this.input = element("input", { type: "range", min: 0, max: STEPS, step: 1 });
    this.input.dataset.key = control.key;
    this.input.setAttribute("aria-label", `${control.group} ${control.label}`);
    this.output = element("output", {});
    this.row = element("div", { className: "dial" });
    this.row.append(element("span", { textContent: control.label }), this.input, this.output);
    this.isHeld = false;
    this.input.oninput = () => {
      this.isHeld = true;
      const value = this.valueAt(this.input.valueAsNumber / STEPS);
      this.showValue(value);
      change(value);
    };
    this.input.onchange = () => (this.isHeld = false);
  }

  valueAt(part) {
    const { low, high, is_log: isLog } = this.control;
    if (part === 0) return low;
    if (part === 1) return high;
    const value = isLog ? low * (high / low) ** part : low + (high - low) * part;
    return Math.min(Math.max(Number(value.toPrecision(3)), low), high);
  }

  show(control) {
    this.control = control;
    if (this.isHeld) return;
    const { low, high, value, is_log: isLog } = control;
    const part = isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    this.input.value = Math.round(part * STEPS);
    this.showValue(value);
  }

  showValue(value) {
    this.output.textContent = `${formatNumber(value)} ${this.control.unit}`;
  }
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
