/* Bounding boxes within a drawing, and the nearest one in a direction. */

/** The box of an element in the coordinates of its drawing. */
export function boxOf(root, element) {
  const box = element.getBBox();
  const matrix = root.getScreenCTM()?.inverse().multiply(element.getScreenCTM() ?? new DOMMatrix());
  if (!matrix) return { x: box.x, y: box.y, width: box.width, height: box.height };
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

export const centre = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

const DIRECTIONS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/**
 * The nearest of `others` ({ point }) in the direction of an arrow key. Distance across the
 * direction counts twice, so that rows and columns are kept; targets beyond 60 degrees are not in
 * that direction.
 */
export function nearest(key, from, others) {
  const direction = DIRECTIONS[key];
  let best = null;
  for (const other of others) {
    const [dx, dy] = [other.point.x - from.x, other.point.y - from.y];
    const along = dx * direction.x + dy * direction.y;
    const across = Math.abs(dx * direction.y) + Math.abs(dy * direction.x);
    if (along <= 1e-6 || across > along * 1.75) continue;
    const cost = along + 2 * across;
    if (!best || cost < best.cost) best = { cost, other };
  }
  return best?.other ?? null;
}

export const isArrow = (key) => key in DIRECTIONS;
