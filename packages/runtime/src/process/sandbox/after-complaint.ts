/** Hands bytes on, some of them later. */
export interface Held {
  add(bytes: Uint8Array): void;
  /** Hands on what it holds. */
  release(): void;
}

const complaint = Buffer.from('bwrap: ');

/**
 * Hands on what comes over a program's stderr, but for what begins as bubblewrap begins when it cannot raise the walls or
 * start the program: that has places of the host in it, and whose words they are is known only at the end.
 */
export function afterComplaint(handOn: (bytes: Uint8Array) => void): Held {
  let held: Uint8Array[] | undefined = [];
  const release = (): void => {
    const all = held ?? [];
    held = undefined;
    for (const bytes of all) handOn(bytes);
  };
  return {
    add(bytes) {
      if (held === undefined) return handOn(bytes);
      held.push(bytes);
      const start = Buffer.concat(held.slice(0, complaint.length)).subarray(0, complaint.length);
      if (!start.equals(complaint.subarray(0, start.length))) release();
    },
    release,
  };
}
