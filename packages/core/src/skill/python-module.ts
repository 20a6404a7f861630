import { SkillError } from '../execute/skill-error.ts';

/** A Python module of a skill, as `python -m` names it from the skill's folder. */
export interface PythonModule {
  /** `package.module` */
  name: string;
  /** Its file, relative to the skill's folder. */
  path: string;
}

/** Paths are relative to the skill's folder. */
interface SkillFiles {
  files: readonly { path: string }[];
}

/**
 * The module that `script` names: `-m package.module`, with `python` or `python3` in front as instructions write it.
 * `undefined` for a script that is no module.
 *
 * Throws `INPUT_INVALID` when the skill has no such module. Modules of Python itself, such as `http.server`, are none of it.
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

/** The packages of a skill that run by themselves: each has a `__main__.py`. */
export function runnablePackages({ files }: SkillFiles): string[] {
  return files.flatMap(({ path }) => (path.endsWith('/__main__.py') ? (moduleAt(path) ?? []) : []));
}

/** The module that a file of a skill is; `undefined` for one that is none. */
export function moduleAt(path: string): string | undefined {
  const [, name] = /^(.+?)(?:\/__main__)?\.py$/.exec(path) ?? [];
  const dotted = name?.replaceAll('/', '.');
  return dotted === undefined || path.endsWith('__init__.py') || !moduleName.test(dotted)
    ? undefined
    : dotted;
}

/** Parts between dots, none of which is empty, climbs or begins like an option. */
const moduleName = /^[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]*)*$/u;

const knownMax = 20;

/** As Python looks: a package with an `__init__.py` first, then a module, then a folder. A package runs as its `__main__`. */
function fileOf(name: string, paths: ReadonlySet<string>): string | undefined {
  const path = name.replaceAll('.', '/');
  const [inside, beside] = [`${path}/__main__.py`, `${path}.py`];
  const ways = paths.has(`${path}/__init__.py`) ? [inside] : [beside, inside];
  return ways.find((way) => paths.has(way));
}
