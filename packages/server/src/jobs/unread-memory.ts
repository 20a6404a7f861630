import type { JobBounds } from './job-bounds.ts';

/** Memory for events that are stored only because a reader has not taken them yet, of all jobs. */
export interface UnreadMemory {
  /** Registers a job; the returned function asks for `bytes` in total and reports whether the job has them. */
  borrower(): (bytes: number) => boolean;
  /** Bytes in use. */
  bytes(): number;
}

/** Starts empty. A borrower that is refused keeps what it had; one that asks for less gives the rest back. */
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
