// Lines on the screen: which of them is meant by a click.

/** Distance of a place from a segment [px]. */
export function distanceToSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const part = square > 0 ? Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / square, 0), 1) : 0;
  return Math.hypot(x - ax - part * dx, y - ay - part * dy);
}

/** The number of the line that is nearest to a place, within a reach [px]; −1: none. A point that is null cannot be seen. */
export function nearestLine(lines, place, reach) {
  let [nearest, found] = [reach, -1];
  lines.forEach((points, number) => {
    for (let k = 1; k < points.length; k++) {
      if (!points[k - 1] || !points[k]) continue;
      const distance = distanceToSegment(place, points[k - 1], points[k]);
      if (distance >= nearest) continue;
      nearest = distance;
      found = number;
    }
  });
  return found;
}

/** The point in the middle of a line, by length [px]; null: a part of it cannot be seen. */
export function middleOf(points) {
  if (points.some((point) => !point)) return null;
  const lengths = points.slice(1).map(([x, y], k) => Math.hypot(x - points[k][0], y - points[k][1]));
  let rest = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [k, length] of lengths.entries()) {
    if (rest <= length) {
      const part = length > 0 ? rest / length : 0;
      return points[k].map((c, axis) => c + part * (points[k + 1][axis] - c));
    }
    rest -= length;
  }
  return points[points.length - 1];
}
