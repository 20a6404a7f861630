import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asToolSkill, type Tier, type ToolSkill } from '../../../packages/core/src/execute.ts';
import { isBroken } from '../../../packages/core/src/skill.ts';
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
  /** The top-level modules that its sources import. */
  modules: ReadonlySet<string>;
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
      const script = file.replace('.cases.json', '.py');
      const sources = packageName === undefined ? script : `packages/${packageName}/**/*.py`;
      return {
        name: packageName === undefined ? script : `-m ${packageName}`,
        cases: new Map(Object.entries(cases)),
        modules: await importedModules(sources),
      };
    }),
  );
}

async function importedModules(sources: string): Promise<ReadonlySet<string>> {
  const modules = new Set<string>();
  for await (const file of glob(sources, { cwd: here })) {
    const text = await readFile(join(here, file), 'utf8');
    for (const [, listed, from] of text.matchAll(
      /^[ \t]*(?:import[ \t]+(.+)|from[ \t]+(\w+)[\w.]* import\b)/gm,
    ))
      for (const each of from?.split(',') ?? listed?.split(',') ?? [])
        modules.add(/\w+/.exec(each)?.[0] ?? each);
  }
  return modules;
}

/**
 * Scripts that together import every module of the corpus. For the module that the fewest scripts import, and then for the
 * next that is missing: the script that imports most of the missing ones, the first of equal ones.
 */
export function sampleOf(corpus: readonly CorpusScript[]): CorpusScript[] {
  const importers = Map.groupBy(
    corpus.flatMap((script) => [...script.modules].map((module) => ({ module, script }))),
    ({ module }) => module,
  );
  const rarestFirst = [...importers].sort(([, a], [, b]) => a.length - b.length);
  const missing = new Set(importers.keys());
  const sample: CorpusScript[] = [];
  for (const [module, scripts] of rarestFirst) {
    if (!missing.has(module)) continue;
    const counted = scripts.map(
      ({ script }) => [[...script.modules].filter((each) => missing.has(each)).length, script] as const,
    );
    const [, next] = counted.reduce((best, each) => (each[0] > best[0] ? each : best));
    sample.push(next);
    for (const each of next.modules) missing.delete(each);
  }
  return sample;
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
