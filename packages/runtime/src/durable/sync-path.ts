import { closeSync, constants, fsyncSync, openSync } from 'node:fs';

/** Makes durable what a file holds, or which names a folder has. Blocks: for what does one thing after another anyway. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
