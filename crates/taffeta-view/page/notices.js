// Messages over the picture: what the program tells all browsers, what it refuses this one, and hints of the page.

// Messages of the program, and refusals, that are shown at once.
const SHOWN = 4;
// How long a hint stays when there is no more reason for it [ms], so that it can be read.
const LINGER = 4000;

export class Notices {
  constructor(root) {
    this.root = root;
    this.told = [];
    this.refusals = [];
    this.hint = null;
    this.timer = null;
    // The number of the last message of the program that has been dismissed.
    this.dismissed = 0;
    this.shape = "";
  }

  /** Takes over the messages of the program. */
  update(told) {
    this.told = told;
    this.show();
  }

  /** Says that something was refused to this browser. */
  refuse({ command, reason }) {
    const text = `refused: ${command}: ${reason}`;
    const last = this.refusals.at(-1);
    if (last?.text === text) last.times++;
    else this.refusals.push({ level: "error", text, times: 1 });
    this.refusals = this.refusals.slice(-SHOWN);
    this.show();
  }

  /** Shows a hint, or takes it away: at once, or after a while if it `lingers`. */
  setHint(text, lingers = false) {
    if (!text && lingers) {
      if (this.hint) this.timer ??= setTimeout(() => this.setHint(null), LINGER);
      return;
    }
    clearTimeout(this.timer);
    this.timer = null;
    this.hint = text ? { level: "note", text, times: 1 } : null;
    this.show();
  }

  show() {
    const told = this.told.filter((notice) => notice.number > this.dismissed).slice(-SHOWN);
    const all = [...told, ...this.refusals, ...(this.hint ? [this.hint] : [])];
    // Not anew without need: a message that is clicked at must not change meanwhile.
    const shape = JSON.stringify(all);
    if (shape === this.shape) return;
    this.shape = shape;
    this.root.replaceChildren(...all.map((notice) => this.makeLine(notice)));
    this.root.scrollTop = this.root.scrollHeight;
  }

  makeLine(notice) {
    const line = document.createElement("div");
    line.className = `notice ${notice.level}`;
    line.title = "Click to dismiss";
    line.textContent = notice.times > 1 ? `${notice.text} (${notice.times}×)` : notice.text;
    line.onclick = () => this.dismiss(notice);
    return line;
  }

  dismiss(notice) {
    if (notice === this.hint) this.hint = null;
    else if (notice.number) this.dismissed = notice.number;
    else this.refusals = this.refusals.filter((other) => other !== notice);
    this.show();
  }
}
