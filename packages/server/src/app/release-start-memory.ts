import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By then the log's index runs and the skills are stored. */
const afterMs = 2500;

/**
 * Returns the memory of a start to the system, once, as soon as `isBusy` is false. V8 by itself would shrink
 * the heap only after much more work. Takes as long as a few calls. Returns a function that cancels it.
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
  // Only contexts that are created while the flag is set have the function: this one.
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
