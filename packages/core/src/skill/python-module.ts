import { SkillError } from '../outcome/skill-error.ts';

/** A Python module of a skill, as named by `python -m` in the skill's folder. */
export interface PythonModule {
  /** `package.module` */
  name: string;
  /** Relative to the skill's folder. */
  path: string;
}

/** Paths are relative to the skill's folder. */
interface SkillFiles {
  files: readonly { path: string }[];
}

/**
 * The module that `script` names: `-m package.module`, optionally after `python` or `python3`.
 * `undefined` if `script` names no module.
 *
 * Throws `INPUT_INVALID` if the skill has no such module. Python's own modules, such as
 * `http.server`, do not count.
 */
export function moduleOf(
  { id, files }: SkillFiles & { id: string },
  script: string,
): PythonModule | undefined {
  const name = /^(?:python3?\s+)?-m\s+(\S+)$/.exec(script.trim())?.[1];
  if (name === undefined) return undefined;
  const paths = new Set(files.map(({ path }) => path));
  const path = moduleName.test(name) ? fileOf(name, paths) : undefined;
  if (path !== undefined) return { name, path };
  const known = [...paths].flatMap((each) => {
    const module = moduleAt(each);
    return module !== undefined && fileOf(module, paths) === each ? [module] : [];
  });
  const some = known.slice(0, knownMax).join(', ') + (known.length > knownMax ? ', …' : '');
  throw new SkillError(
    'INPUT_INVALID',
    `${id} has no module ${JSON.stringify(name.slice(0, 200))}; it has ${some === '' ? 'none' : some}`,
  );
}

/** The packages of a skill that have a `__main__.py`. */
export function runnablePackages({ files }: SkillFiles): string[] {
  return files.flatMap(({ path }) => (path.endsWith('/__main__.py') ? (moduleAt(path) ?? []) : []));
}

/** The name of the module in a skill's file; `undefined` if the file is not a module. */
export function moduleAt(path: string): string | undefined {
  const [, name] = /^(.+?)(?:\/__main__)?\.py$/.exec(path) ?? [];
  const dotted = name?.replaceAll('/', '.');
  return dotted === undefined || path.endsWith('__init__.py') || !moduleName.test(dotted)
    ? undefined
    : dotted;
}

/** Parts separated by dots. No part is empty, leaves the folder or looks like an option. */
const moduleName = /^[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]*)*$/u;

const knownMax = 20;

/**
 * Searches in Python's order: a package with an `__init__.py`, a module, a folder. A package runs
 * as its `__main__`.
 */
function fileOf(name: string, paths: ReadonlySet<string>): string | undefined {
  const path = name.replaceAll('.', '/');
  const [inside, beside] = [`${path}/__main__.py`, `${path}.py`];
  const ways = paths.has(`${path}/__init__.py`) ? [inside] : [beside, inside];
  return ways.find((way) => paths.has(way));
}
