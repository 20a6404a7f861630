/** Watches the calls of one host, one at a time. */
export interface CallClock {
  /**
   * Until `unwatch`, calls `onSample` every 100 ms, and finally `onDeadline` instead when
   * `deadline`, a time of `performance.now()`, has passed.
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
 * One timer for all calls of a host: most calls end long before it fires, and reusing a timer costs
 * less than creating two for each call. It stops when there is no call, and does not keep the
 * process alive.
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
      // An earlier timer samples this call, even if it was set for a previous one.
      if (dueAt === Number.POSITIVE_INFINITY || deadline < dueAt) arm(watched);
    },
    unwatch() {
      watched = undefined;
    },
  };
}
