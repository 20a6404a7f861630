import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSkills } from '../../../support/skills.ts';
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
  const above = await mkdtemp(join(parent, 'skill-'));
  await chmod(above, 0o755);
  const sidecar = { run: { runtime: 'wasm', entry, capabilities, limits } };
  const skill = { 'ambit.yaml': JSON.stringify(sidecar), [entry]: content, ...files };
  await writeSkills(above, { [name]: skill });
  return join(above, name);
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
