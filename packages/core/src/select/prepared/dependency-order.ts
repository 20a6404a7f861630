/** An order in which every item follows its dependencies. */
export interface DependencyOrder {
  /** Items by rank, except items that are in a circle or depend on one. */
  order: number[];
  /** Items that are in a circle or depend on one, by rank. */
  circular: number[];
}

/**
 * Orders dependencies first. Among the items whose dependencies are all placed, the one of lowest
 * rank is next. `needs[rank]` lists the ranks that an item needs, without duplicates.
 *
 * The order of any subset that is closed under dependencies is this order without the other items:
 * an item that is ready in the subset is ready here, and the lowest is taken first in both. A
 * catalog is therefore ordered once, and requests do not sort.
 */
export function dependencyOrder(needs: readonly (readonly number[])[]): DependencyOrder {
  const neededBy: number[][] = needs.map(() => []);
  for (const [rank, those] of needs.entries()) for (const needed of those) neededBy[needed]?.push(rank);
  const missing = needs.map(({ length }) => length);
  // Descending, so that the lowest rank is popped from the end.
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
