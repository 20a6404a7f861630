import type { JobBounds } from './job-bounds.ts';

/** Memory, shared by all jobs, for events that are stored only until a reader takes them. */
export interface UnreadMemory {
  /** Registers a job; the returned function asks for `bytes` in total and reports whether the job has them. */
  borrower(): (bytes: number) => boolean;
  /** Bytes in use. */
  bytes(): number;
}

/** Starts empty. A refused borrower retains its memory. A request for less returns the rest. */
export function unreadMemory({ totalMax, eachMax }: JobBounds['unreadBytes']): UnreadMemory {
  let total = 0;
  return {
    bytes: () => total,
    borrower() {
      let own = 0;
      return (bytes) => {
        const others = total - own;
        if (bytes > own && (bytes > eachMax || others + bytes > totalMax)) return false;
        own = bytes;
        total = others + bytes;
        return true;
      };
    },
  };
}
