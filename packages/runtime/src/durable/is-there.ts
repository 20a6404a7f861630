import { lstat } from 'node:fs/promises';

/** Whether anything has this name: a link that leads nowhere is something too. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
