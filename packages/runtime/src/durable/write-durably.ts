import { open, rename } from 'node:fs/promises';

/** Writes a file, closed to other users, so that after a crash there is the one before or the whole of this. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** Makes durable which names a folder has. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
