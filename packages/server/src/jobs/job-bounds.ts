/** What may run and what is kept. */
export interface JobBounds {
  /** Runs at one time, of one key, that are not tied to a connection. */
  untiedMax: number;
  /** What the bodies of the requests that wait and run may take in memory: of all, and of one key. */
  bodyBytes: { most: number; mostOfOne: number };
  /** What the events of one execution may take that are kept for whoever asks. */
  eventBytesMax: number;
  /** What events may take beside that because somebody is reading and has not taken them yet: of all, and of one execution. */
  unreadBytes: { most: number; mostOfOne: number };
  /** How long a call whose watchers have all gone goes on. */
  graceMs: number;
  /** What is kept of those that have ended: how many, what they come to, and for how long. */
  kept: { most: number; bytesMax: number; forMs: number };
}

/** As a daemon has them. */
export const jobBounds: JobBounds = {
  untiedMax: 128,
  // With what a process is given by itself on a machine with 2 GiB, half of that is left.
  bodyBytes: { most: 512 * 1024 * 1024, mostOfOne: 256 * 1024 * 1024 },
  eventBytesMax: 128 * 1024,
  // Of one, all that a skill writes which has the limit for its output that most have.
  unreadBytes: { most: 64 * 1024 * 1024, mostOfOne: 4 * 1024 * 1024 },
  graceMs: 10_000,
  kept: { most: 1000, bytesMax: 64 * 1024 * 1024, forMs: 10 * 60_000 },
};
