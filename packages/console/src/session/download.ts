import { AmbitProblem, type Problem } from '@ambit/client';
import { fetchAsSession } from './session.ts';

/** Saves what the daemon answers as a file. A link cannot, because a request needs the half of the session. */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetchAsSession(path);
  if (!response.ok) throw new AmbitProblem((await response.json()) as Problem);
  save(await response.blob(), name);
}

/** Saves bytes as a file of this name. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
