import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** A temporary folder that is a project without a configuration, so that its data directory is its own `.ambit`. */
export async function projectFolder(files: Record<string, string> = {}): Promise<string> {
  const folder = await temporaryFolder(files);
  await makeProject(folder);
  return folder;
}

/** Makes a folder a project by the skills for agents in it, of which there are none. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, '.claude/skills'), { recursive: true });
}
