/** Forwards bytes, some of them later. */
export interface HeldOutput {
  add(bytes: Uint8Array): void;
  /** Forwards the bytes that it holds back. */
  release(): void;
}

const bubblewrapError = Buffer.from('bwrap: ');

/**
 * Forwards a program's stderr, but holds back a beginning that could be an error of bubblewrap's.
 * Such an error contains host paths, and only at the end is it known who wrote it.
 */
export function holdSetupErrors(forward: (bytes: Uint8Array) => void): HeldOutput {
  let held: Uint8Array[] | undefined = [];
  const release = (): void => {
    const all = held ?? [];
    held = undefined;
    for (const bytes of all) forward(bytes);
  };
  return {
    add(bytes) {
      if (held === undefined) return forward(bytes);
      held.push(bytes);
      const start = Buffer.concat(held.slice(0, bubblewrapError.length)).subarray(0, bubblewrapError.length);
      if (!start.equals(bubblewrapError.subarray(0, start.length))) release();
    },
    release,
  };
}
