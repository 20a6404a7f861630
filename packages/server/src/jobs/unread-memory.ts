import type { JobBounds } from './job-bounds.ts';

/** What the events take that are kept only because a reader has not taken them yet, of all executions together. */
export interface UnreadMemory {
  /** One more execution that may take some of it. Nothing is taken yet. */
  borrower(): (bytes: number) => boolean;
  /** What is taken. */
  bytes(): number;
}

/**
 * Nothing is taken. A borrower says how much it wants to have in all: where there is as much it has that then, and gives
 * back what it had beyond; otherwise it has what it had.
 */
export function unreadMemory({ most, mostOfOne }: JobBounds['unreadBytes']): UnreadMemory {
  let all = 0;
  return {
    bytes: () => all,
    borrower() {
      let own = 0;
      return (bytes) => {
        const rest = all - own;
        if (bytes > own && (bytes > mostOfOne || rest + bytes > most)) return false;
        own = bytes;
        all = rest + bytes;
        return true;
      };
    },
  };
}
