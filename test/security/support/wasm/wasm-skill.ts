import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asking, entries, type Kind, type Manner, type Question } from './asking.ts';

/** A skill's capabilities, and the files beside its entry. */
interface Surroundings {
  /** None if absent. */
  capabilities?: object;
  limits?: object;
  files?: Readonly<Record<string, string>>;
  name?: string;
}

/** Writes a WASM skill into a new folder below `parent`, and returns the folder. */
export async function wasmSkill(
  parent: string,
  entry: string,
  content: string | Uint8Array,
  { capabilities = {}, limits = {}, files = {}, name = 'attacker' }: Surroundings = {},
): Promise<string> {
  const folder = join(await mkdtemp(join(parent, 'skill-')), name);
  await mkdir(folder);
  await chmod(dirname(folder), 0o755);
  const all = {
    'SKILL.md': `---\nname: ${name}\ndescription: Tries to get out.\n---\n`,
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry, capabilities, limits } }),
    [entry]: content,
    ...files,
  };
  for (const [path, bytes] of Object.entries(all)) await writeFile(join(folder, path), bytes);
  return folder;
}

/** A skill that makes one request to its host. */
export async function askingSkill(
  parent: string,
  kind: Kind,
  question: Question,
  { manner, ...surroundings }: Surroundings & { manner?: Manner } = {},
): Promise<string> {
  return wasmSkill(parent, entries[kind], asking(kind, question, manner), surroundings);
}
