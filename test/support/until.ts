/**
 * Repeats a request until it returns a value. Each one is a round trip, so this is not a busy loop.
 */
export async function until<T>(ask: () => Promise<T | false | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
  }
}
