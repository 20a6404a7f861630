/**
 * The place of a call among the calls of all nodes: by the time when it began, then by node, then by its sequence. It is a number,
 * so that pages, cursors and ranges work as in the index of one log, where the place is the sequence.
 *
 * A millisecond has 2048 places. Each node begins at its own place in it, and counts up from there. If its clock is set back, it
 * counts up from its last place, so that the order of a node's calls is always the one of its log. A place that another node has
 * is passed over.
 */
const placesPerMs = 2048;
const placesPerNode = 32;

/** The places in ten minutes. Ranges of time are found in blocks of them. */
export const placeBlock = placesPerMs * 10 * 60 * 1000;
/** The places in a day, in which texts are searched at a time. */
export const placeDay = placeBlock * 6 * 24;

/** The first place that a node's call may have: `last` is the place of its call before. */
export function placeAfter(last: number, node: number, startedMs: number): number {
  const own = (node * placesPerNode) % placesPerMs;
  return Math.max(last + 1, Math.floor(startedMs) * placesPerMs + own);
}
