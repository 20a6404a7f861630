/**
 * Calls a skill that never ends with a deadline of half a second, and with a longer one until `hasBegun` finds in the
 * result what the skill does first. On a busy machine, a short deadline can pass before a skill has started.
 */
export async function atDeadline<Result>(
  call: (timeoutMs: number) => Promise<Result>,
  hasBegun: (result: Result) => boolean,
): Promise<{ result: Result; timeoutMs: number }> {
  for (let timeoutMs = 500; ; timeoutMs *= 3) {
    const result = await call(timeoutMs);
    if (hasBegun(result) || 3 * timeoutMs > longestMs) return { result, timeoutMs };
  }
}

/** Every tier allows at least this. */
const longestMs = 60_000;
