import { closeSync, constants, fsyncSync, openSync } from 'node:fs';

/**
 * Makes the content of a file or the names in a folder durable. Blocks, for callers that work
 * sequentially anyway.
 */
export function syncPath(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
