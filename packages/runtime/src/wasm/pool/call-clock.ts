/** Looks after the calls of one host, one at a time. */
export interface CallClock {
  /**
   * Until `unwatch`: `onSample` every 100 ms, and in the place of all further ones `onDeadline` once `deadline` is over, a
   * time of `performance.now()`.
   */
  watch(deadline: number, onSample: () => void, onDeadline: () => void): void;
  unwatch(): void;
}

interface Watched {
  deadline: number;
  onSample: () => void;
  onDeadline: () => void;
}

const sampleMs = 100;

/**
 * One timer for all calls of a host: most end long before anything is due, and it costs less to let the timer of one go
 * on for the next than to make two for each. It stops when it finds no call, and keeps no process alive.
 */
export function callClock(): CallClock {
  let watched: Watched | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;

  const arm = ({ deadline }: Watched): void => {
    clearTimeout(timer);
    const now = performance.now();
    dueAt = Math.min(deadline, now + sampleMs);
    timer = setTimeout(due, Math.max(0, dueAt - now)).unref();
  };
  const due = (): void => {
    dueAt = Number.POSITIVE_INFINITY;
    if (watched === undefined) return;
    if (performance.now() < watched.deadline) {
      arm(watched);
      watched.onSample();
      return;
    }
    const { onDeadline } = watched;
    watched = undefined;
    onDeadline();
  };

  return {
    watch(deadline, onSample, onDeadline) {
      watched = { deadline, onSample, onDeadline };
      // What is due before is a sample of this call, though it was meant for one before it.
      if (dueAt === Number.POSITIVE_INFINITY || deadline < dueAt) arm(watched);
    },
    unwatch() {
      watched = undefined;
    },
  };
}
