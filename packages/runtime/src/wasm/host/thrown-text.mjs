/** What was thrown, in words, as core's `thrownText` has it: a host loads nothing of core. @param {unknown} thrown */
export function thrownText(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
