/** The extent of a JSON value. */
export interface Extent {
  /** Values in it, itself counted, and one more for every 256 characters of a string. `Infinity`: more than was asked. */
  nodes: number;
  /** 0 for a value that is neither array nor object. */
  depth: number;
}

/**
 * Measures without recursion, so that no nesting is too deep for it, and stops when there are more than `nodesMax`
 * values, so that none is too large.
 */
export function measure(value: unknown, nodesMax: number): Extent {
  const extent = { nodes: 0, depth: 0 };
  const left = [{ value, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    extent.nodes += 1 + (typeof next.value === 'string' ? Math.floor(next.value.length / 256) : 0);
    const children = childrenOf(next.value);
    if (extent.nodes + left.length + children.length > nodesMax)
      return { ...extent, nodes: Number.POSITIVE_INFINITY };
    const depth = next.depth + 1;
    if (typeof next.value === 'object' && next.value !== null) extent.depth = Math.max(extent.depth, depth);
    for (const child of children) left.push({ value: child, depth });
  }
  return extent;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
