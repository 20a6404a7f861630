/** What was thrown, in words: an error's message, or whatever else was thrown as text. */
export function thrownText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
