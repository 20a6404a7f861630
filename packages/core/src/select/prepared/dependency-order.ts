/** An order in which every item comes after what it needs. */
export interface DependencyOrder {
  /** Items by their rank, each after all that it needs; those that are or need a circle are not in it. */
  order: number[];
  /** The items that are or need a circle, by rank. */
  circular: number[];
}

/**
 * Puts dependencies first; of the items whose dependencies all have their place, the one of the lowest rank is next.
 * `needs[rank]` lists the ranks that an item needs, each once.
 *
 * The order of any part that is closed under dependencies is this one with the rest left out: what is ready there is
 * ready here, and the lowest of it is taken at the same turn among themselves. So a catalog is ordered once, and no
 * request has to sort.
 */
export function dependencyOrder(needs: readonly (readonly number[])[]): DependencyOrder {
  const neededBy: number[][] = needs.map(() => []);
  for (const [rank, those] of needs.entries()) for (const needed of those) neededBy[needed]?.push(rank);
  const missing = needs.map(({ length }) => length);
  // Descending, so that the lowest rank is taken from the end.
  const ready = [...needs.keys()].filter((rank) => missing[rank] === 0).reverse();
  const order: number[] = [];
  for (let rank = ready.pop(); rank !== undefined; rank = ready.pop()) {
    order.push(rank);
    for (const dependent of neededBy[rank] ?? []) {
      const left = (missing[dependent] ?? 0) - 1;
      missing[dependent] = left;
      if (left === 0) insertDescending(ready, dependent);
    }
  }
  return { order, circular: [...needs.keys()].filter((rank) => (missing[rank] ?? 0) > 0) };
}

function insertDescending(ranks: number[], rank: number): void {
  let [low, high] = [0, ranks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranks[middle] ?? 0) > rank) low = middle + 1;
    else high = middle;
  }
  ranks.splice(low, 0, rank);
}
