/** Asks again and again until there is an answer. Each question is a round trip, so nothing spins. */
export async function until<T>(ask: () => Promise<T | false | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
  }
}
