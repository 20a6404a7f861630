import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By then the index has started and the skills are stored. */
const afterMs = 2500;

/**
 * Collects the garbage of a start once, after a while without calls: the heap grows for a start, and V8 shrinks it by itself
 * only after much more work. It takes as long as a few calls. Returns a function that cancels it.
 */
export function releaseStartMemory(isBusy: () => boolean): () => void {
  let timer: NodeJS.Timeout;
  const later = (): void => {
    timer = setTimeout(() => (isBusy() ? later() : collect()), afterMs).unref();
  };
  later();
  return () => clearTimeout(timer);
}

/** Only this kind of collection also returns the memory of the young generation. */
function collect(): void {
  // Only contexts that are created from now on have the function, and there are no others.
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
