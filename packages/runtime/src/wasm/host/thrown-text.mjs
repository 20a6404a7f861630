/**
 * The text of a thrown value, like core's `thrownText`: a host loads nothing of core.
 *
 * @param {unknown} thrown
 */
export function thrownText(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
