/* Panning and zooming a drawing by mouse, touch, wheel and keys. It changes only one `transform`. */

const STEP = 1.25;
const LEAST = 0.05;
const MOST = 6;

export class Zoom {
  /** `content` is the group within `svg` that moves; `onScale(scale)` is called on every change. */
  constructor(svg, content, onScale = () => {}) {
    Object.assign(this, { svg, content, onScale });
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.size = { width: 1, height: 1 };
    this.fingers = new Map();
    this.moved = false;
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  apply() {
    this.content.setAttribute("transform", `translate(${this.x.toFixed(2)} ${this.y.toFixed(2)}) scale(${this.scale.toFixed(4)})`);
    this.onScale(this.scale);
  }

  fit({ width, height, margin = 30 } = this.size) {
    this.size = { width, height, margin };
    const box = this.svg.getBoundingClientRect();
    this.scale = Math.min(1.5, Math.max(LEAST, Math.min(box.width / (width + 2 * margin), box.height / (height + 40))));
    this.x = (box.width - width * this.scale) / 2;
    this.y = (box.height - height * this.scale) / 2;
    this.apply();
  }

  /** Scales around a point of the window, or the middle. */
  by(factor, at) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = at ? [at.x - box.left, at.y - box.top] : [box.width / 2, box.height / 2];
    const scale = Math.min(MOST, Math.max(LEAST, this.scale * factor));
    this.x = px - ((px - this.x) * scale) / this.scale;
    this.y = py - ((py - this.y) * scale) / this.scale;
    this.scale = scale;
    this.apply();
  }

  larger() {
    this.by(STEP);
  }

  smaller() {
    this.by(1 / STEP);
  }

  wheel(event) {
    // The page scrolls as usual; with Ctrl (and so with a pinch on a pad), or once the drawing has
    // the focus, it scales.
    if (!event.ctrlKey && !this.svg.contains(document.activeElement) && document.activeElement !== this.svg) return;
    event.preventDefault();
    this.by(Math.exp(-event.deltaY * 0.0015), { x: event.clientX, y: event.clientY });
  }

  down(event) {
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = false;
  }

  drag(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (!this.moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
    if (!this.moved) this.svg.setPointerCapture(event.pointerId);
    this.moved = true;
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
    if (others.length > 0) {
      const spread = (point) => Math.hypot(point.x - others[0].x, point.y - others[0].y) || 1;
      this.by(spread(now) / spread(before), { x: (now.x + others[0].x) / 2, y: (now.y + others[0].y) / 2 });
    } else {
      this.x += now.x - before.x;
      this.y += now.y - before.y;
      this.apply();
    }
    this.fingers.set(event.pointerId, now);
  }

  key(event) {
    const pan = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (pan) {
      this.x += pan[0];
      this.y += pan[1];
      this.apply();
    } else if (event.key === "+" || event.key === "=") this.larger();
    else if (event.key === "-") this.smaller();
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}
