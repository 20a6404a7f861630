/** What jobs may use. */
export interface JobBounds {
  /** Detached jobs of one key that run at a time. */
  detachedMax: number;
  /** Memory for the bodies of requests that wait or run: in total, and of one key. */
  bodyBytes: { totalMax: number; eachMax: number };
  /** Memory for the stored events of one job. */
  eventBytesMax: number;
  /** Additional memory for events that a reader has not taken yet: in total, and of one job. */
  unreadBytes: { totalMax: number; eachMax: number };
  /** How long a job runs on after its last watcher has gone. */
  graceMs: number;
  /** Stored jobs that have ended: how many, their memory, and for how long. */
  finished: { countMax: number; bytesMax: number; forMs: number };
}

/** The bounds of a daemon. */
export const jobBounds: JobBounds = {
  detachedMax: 128,
  // On a machine with 2 GiB, half of the memory that Node gives a process is left.
  bodyBytes: { totalMax: 512 * 1024 * 1024, eachMax: 256 * 1024 * 1024 },
  eventBytesMax: 128 * 1024,
  // Of one job: all that a skill with the default output limit can write.
  unreadBytes: { totalMax: 64 * 1024 * 1024, eachMax: 4 * 1024 * 1024 },
  graceMs: 10_000,
  finished: { countMax: 1000, bytesMax: 64 * 1024 * 1024, forMs: 10 * 60_000 },
};
