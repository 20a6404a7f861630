import type { Tier } from '../capability/tier.ts';
import type { HiddenFrom } from './hidden-from.ts';
import type { SkillManifest } from './manifest.ts';
import type { Run } from './run.ts';
import { scriptRank } from './script-rank.ts';
import type { Sidecar } from './sidecar.ts';

/** One file of a skill. */
export interface SkillFile {
  /** Relative to the skill's folder, with forward slashes. */
  path: string;
  bytes: number;
  /** SHA-256 of the content, hex. */
  sha256: string;
}

/** A program of a skill that can run on its own. Lists leave some out; see `listedScripts`. */
export interface Script {
  /** Relative to the skill's folder. */
  path: string;
  /** The program that runs it, from its shebang or extension; `null` for a compiled program. */
  interpreter: string | null;
}

/** The locked packages of an installed skill, unpacked in a folder of this machine. */
export interface SkillDependencies {
  /** `sha256:…` of what the lock file lists: names, versions, hashes and `content`. */
  digest: string;
  /** The required digest of the folder; see `treeDigest`. */
  content: string;
  /** The absolute path of the folder. Modules of Python are in `python`, packages of npm in `node_modules`. */
  root: string;
  /** The version of Python that they fit: `3.11`; `null`: there are none of Python. */
  python: string | null;
  /** Whether there are packages of npm. */
  node: boolean;
}

/** A skill as read from its folder at one moment. */
export interface Skill {
  /** Its name if valid, or its folder's; in a namespace `namespace:name`. Unique in a catalog. */
  id: string;
  manifest: SkillManifest;
  sidecar: Sidecar;
  /** The Markdown below the frontmatter. */
  body: string;
  /** `sha256:…` over the sorted list of files; see `digestText`. */
  digest: string;
  files: readonly SkillFile[];
  /** In order of path. They make a skill without a `run` executable. */
  scripts: readonly Script[];
  tier: Tier;
  /** From the lock file: its tier is what it was approved for. Absent: from a configured or discovered folder. */
  isInstalled?: true;
  /** The configured publisher that signed this version, from the lock file. Absent: none, or not installed. */
  publisher?: string;
  /** The packages that it runs with, from the lock file. Absent: none. */
  dependencies?: SkillDependencies;
  /** The absolute path of its folder. */
  root: string;
  warnings: readonly string[];
  /**
   * The id that an earlier system gave it (`metadata.skill-id`), which a call may use in place of `id`. Unique in a
   * catalog, and never the name of a skill. Absent: it has none, or it is ignored.
   */
  alias?: string;
  /** The reason why a valid `metadata.skill-id` is ignored, also in `warnings`. Absent: it is not. */
  aliasConflict?: string;
  /** The readers that are not offered it, by its frontmatter; see `hiddenFrom`. Absent: it is offered to all. */
  hiddenFrom?: readonly HiddenFrom[];
}

/** A skill that can be executed. */
export interface ToolSkill extends Skill {
  readonly run: Run;
  /**
   * The source of requests beyond an interpreter and a workspace: the `sidecar`; the
   * `operator`, whose grant adds to a skill without a `run`; or `none`, for a script that the
   * skill's `run` does not name, and for Python of tier `untrusted` in WebAssembly.
   */
  readonly requestedBy: 'sidecar' | 'operator' | 'none';
  /** The Python module to run, whose file is the entry. Absent: the entry itself runs. */
  readonly module?: string;
}

/** Whether models may be offered a skill and may call it. */
export function isForModels({ hiddenFrom = [] }: Pick<Skill, 'hiddenFrom'>): boolean {
  return !hiddenFrom.includes('models');
}

/** The names that the instructions of a skill can have. The first that its folder has counts. */
export const skillFileNames: readonly string[] = ['SKILL.md', 'skill.md'];

/** The name of a skill's instructions. */
export function skillFileOf({ files }: { files: readonly Pick<SkillFile, 'path'>[] }): string {
  const found = skillFileNames.find((name) => files.some(({ path }) => path === name));
  return found ?? 'SKILL.md';
}

/** The absolute path of a skill's instructions. */
export function skillLocation(skill: Pick<Skill, 'root' | 'files'>): string {
  return `${skill.root.replace(/\/+$/, '')}/${skillFileOf(skill)}`;
}

/** Whether a skill has something to run: a `run` in the sidecar, or scripts that lists name. */
export function isExecutable(skill: Pick<Skill, 'sidecar' | 'scripts'>): boolean {
  return hasRun(skill.sidecar) || listedScripts(skill).length > 0;
}

/** Every run in the sidecar, the unnamed one first. */
export function declaredRuns({ sidecar }: Pick<Skill, 'sidecar'>): { name?: string; run: Run }[] {
  const named = Object.entries(sidecar.namedRuns).map(([name, { run }]) => ({ name, run }));
  return sidecar.run === undefined ? named : [{ run: sidecar.run }, ...named];
}

/** Scripts without a run in the sidecar. Each gets its interpreter and a workspace. */
export function otherScripts(skill: Pick<Skill, 'sidecar' | 'scripts'>): readonly Script[] {
  const described = declaredRuns(skill).map(({ run }) => run.entry);
  return skill.scripts.filter(({ path }) => !described.includes(path));
}

/**
 * The scripts without a run in the sidecar that lists name, the usual ones first. Tests, templates and the like are left
 * out, and so are programs outside `scripts/` of a skill that describes its runs. A call can name them too.
 */
export function listedScripts(skill: Pick<Skill, 'sidecar' | 'scripts'>): readonly Script[] {
  const describesRuns = hasRun(skill.sidecar);
  const others = otherScripts(skill).map((script) => ({ script, rank: scriptRank(script.path) }));
  return others
    .filter(({ script: { path }, rank }) => (describesRuns ? path.startsWith('scripts/') : rank < 2))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ script }) => script);
}

/** Whether the sidecar names something to run. */
export function hasRun({ run, namedRuns }: Sidecar): boolean {
  return run !== undefined || Object.keys(namedRuns).length > 0;
}

/**
 * The text whose SHA-256 is a skill's digest: one line `path NUL size NUL sha256` for each file,
 * ordered by the paths' code units. Paths contain neither NUL nor newline, so
 * two folders never share a text.
 */
export function digestText(files: readonly SkillFile[]): string {
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path, bytes, sha256 }) => `${path}\0${bytes}\0${sha256}\n`)
    .join('');
}
