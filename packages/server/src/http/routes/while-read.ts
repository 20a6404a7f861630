/** Whoever has not read for so long is not there any more. */
const stalledMs = 30_000;

/** The parts of a stream; ends with `stalled` when one that was handed out is not taken. */
export async function* whileRead(source: AsyncIterable<string>, stalled: () => void): AsyncGenerator<string> {
  for await (const text of source) {
    const timer = setTimeout(stalled, stalledMs);
    try {
      yield text;
    } finally {
      clearTimeout(timer);
    }
  }
}
