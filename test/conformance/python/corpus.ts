import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tier } from '../../../packages/core/src/execute.ts';
import { asToolSkill, isBroken, type ToolSkill } from '../../../packages/core/src/internal.ts';
import { folderCatalog } from '../../../packages/runtime/src/index.ts';

const here = import.meta.dirname;

/** One call of a script. The input is empty unless given. */
export interface ScriptCase {
  args?: readonly string[];
  stdin?: string;
  /** Files of the workspace by path: text, or bytes as `base64`. */
  files?: Readonly<Record<string, string | { base64: string }>>;
  env?: Readonly<Record<string, string>>;
  /** In a package: the module to run instead of the package itself. */
  module?: string;
}

/** A script of `scripts/`, or a package of `packages/`, and its cases by name. */
export interface CorpusScript {
  /** As callers name it: `scripts/csv-profile.py`, `-m inventory`. */
  name: string;
  cases: ReadonlyMap<string, ScriptCase>;
}

/** The scripts by name. The cases of `name.py` are in `name.cases.json`; a package has a `cases.json`. */
export async function readCorpus(): Promise<CorpusScript[]> {
  const files = await Array.fromAsync(
    glob(['scripts/**/*.cases.json', 'packages/*/cases.json'], { cwd: here }),
  );
  return Promise.all(
    files.toSorted().map(async (file) => {
      const cases: Record<string, ScriptCase> = JSON.parse(await readFile(join(here, file), 'utf8'));
      const [, packageName] = /^packages\/(.+)\/cases\.json$/.exec(file) ?? [];
      const name = packageName === undefined ? file.replace('.cases.json', '.py') : `-m ${packageName}`;
      return { name, cases: new Map(Object.entries(cases)) };
    }),
  );
}

/** Writes the corpus below `parent` as one skill. Returns its folder. */
export async function writeCorpusSkill(parent: string): Promise<string> {
  const root = join(parent, 'corpus');
  await mkdir(root);
  await cp(join(here, 'scripts'), join(root, 'scripts'), { recursive: true });
  await cp(join(here, 'packages'), root, { recursive: true });
  await writeFile(join(root, 'SKILL.md'), '---\nname: corpus\ndescription: Scripts of a test.\n---\n');
  return root;
}

/** The skill at `root` as a tool that runs `script`, at `tier`. */
export async function corpusTool(root: string, tier: Tier): Promise<(script: string) => ToolSkill> {
  const skill = await folderCatalog([{ path: root, tier }]).find('corpus');
  if (skill === undefined || isBroken(skill)) throw new Error(skill?.problem ?? 'the skill was not found');
  return (script) => {
    const tool = asToolSkill(skill, script);
    if (tool === undefined) throw new Error(`${script} cannot run`);
    return tool;
  };
}
