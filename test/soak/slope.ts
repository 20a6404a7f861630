/** The slope of y over x, by least squares. */
export function slopePerMinute(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([each]) => each), mean(([, each]) => each)];
  const together = mean(([a, b]) => (a - x) * (b - y));
  return together / mean(([a]) => (a - x) ** 2);
}
