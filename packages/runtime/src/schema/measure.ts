/** The size and depth of a JSON value. */
export interface Extent {
  /**
   * Number of values, including itself, plus one for every 256 characters of a string. `Infinity`:
   * more than `nodesMax`.
   */
  nodes: number;
  /** 0 for a value that is neither an array nor an object. */
  depth: number;
}

/**
 * Measures without recursion, so any nesting is safe, and stops above `nodesMax` values, so any
 * size is.
 */
export function measure(value: unknown, nodesMax: number): Extent {
  const extent = { nodes: 0, depth: 0 };
  const remaining = [{ value, depth: 0 }];
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    extent.nodes += 1 + (typeof next.value === 'string' ? Math.floor(next.value.length / 256) : 0);
    const children = childrenOf(next.value);
    if (extent.nodes + remaining.length + children.length > nodesMax)
      return { ...extent, nodes: Number.POSITIVE_INFINITY };
    const depth = next.depth + 1;
    if (typeof next.value === 'object' && next.value !== null) extent.depth = Math.max(extent.depth, depth);
    for (const child of children) remaining.push({ value: child, depth });
  }
  return extent;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
