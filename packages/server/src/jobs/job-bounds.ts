/** Limits for jobs. */
export interface JobBounds {
  /** Running detached jobs of one key. */
  detachedMax: number;
  /** Memory for the bodies of waiting and running requests: in total, and of one key. */
  bodyBytes: { totalMax: number; eachMax: number };
  /** Memory for the stored events of one job. */
  eventBytesMax: number;
  /** Additional memory for events that a reader has not taken yet: in total, and of one job. */
  unreadBytes: { totalMax: number; eachMax: number };
  /** The time that a job continues after its last watcher has left. */
  graceMs: number;
  /** Stored jobs that have ended: how many, their memory, and for how long. */
  finished: { countMax: number; bytesMax: number; forMs: number };
}

/** The limits of a daemon. */
export const jobBounds: JobBounds = {
  detachedMax: 128,
  // On a machine with 2 GiB, this leaves half of the memory that Node gives a process.
  bodyBytes: { totalMax: 512 * 1024 * 1024, eachMax: 256 * 1024 * 1024 },
  eventBytesMax: 128 * 1024,
  // One job can store all output within a skill's default output limit.
  unreadBytes: { totalMax: 64 * 1024 * 1024, eachMax: 4 * 1024 * 1024 },
  graceMs: 10_000,
  finished: { countMax: 1000, bytesMax: 64 * 1024 * 1024, forMs: 10 * 60_000 },
};
