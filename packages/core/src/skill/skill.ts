import type { Tier } from '../capability/tier.ts';
import { SkillError } from '../execute/skill-error.ts';
import type { SkillManifest } from './manifest.ts';
import { Run, type Sidecar } from './sidecar.ts';

/** One file of a skill. */
export interface SkillFile {
  /** Relative to the skill's folder, with forward slashes. */
  path: string;
  bytes: number;
  /** SHA-256 of the content, hex. */
  sha256: string;
}

/** A file in `scripts/` that can be run by itself. */
export interface Script {
  /** Relative to the skill's folder. */
  path: string;
  /** The program that runs it, by its shebang or ending; `null` for a compiled program. */
  interpreter: string | null;
}

/** A skill as it was read from its folder, at one moment. */
export interface Skill {
  /** Its name where that is a valid one, else its folder's. Unique in a catalog. */
  id: string;
  manifest: SkillManifest;
  sidecar: Sidecar;
  /** The Markdown below the frontmatter. */
  body: string;
  /** `sha256:…` over its sorted list of files; see `digestText`. */
  digest: string;
  files: readonly SkillFile[];
  /** In order of path. What makes a skill executable that has no `run` of its own. */
  scripts: readonly Script[];
  tier: Tier;
  /** Where it lies: an absolute path. */
  root: string;
  warnings: readonly string[];
}

/** A skill that can be executed. */
export interface ToolSkill extends Skill {
  readonly run: Run;
  /**
   * Who says what it needs beside its interpreter and a workspace: its `sidecar`; the `operator`, whose grant adds to a skill
   * without a `run`.
   */
  readonly requestedBy: 'sidecar' | 'operator';
}

/** Whether there is anything to run: a `run` in the sidecar, or scripts. */
export function isExecutable({ sidecar, scripts }: Pick<Skill, 'sidecar' | 'scripts'>): boolean {
  return sidecar.run !== undefined || scripts.length > 0;
}

/**
 * The skill as a tool; `undefined` for one that only has instructions. Published skills come with `scripts/` and
 * without a sidecar: each of those can be called, with protocol `command`, its interpreter, and a workspace. `script`
 * says which; without it `run.sh` is taken, then `run.py`, then the only one that there is.
 *
 * Throws `INPUT_INVALID` when `script` names none of them, the choice is open, or the sidecar has made it.
 */
export function asToolSkill(skill: Skill, script?: string): ToolSkill | undefined {
  if (skill.sidecar.run !== undefined) {
    if (script === undefined) return { ...skill, run: skill.sidecar.run, requestedBy: 'sidecar' };
    throw new SkillError(
      'INPUT_INVALID',
      `${skill.id} runs ${skill.sidecar.run.entry}, as its ambit.yaml says; leave "script" out`,
    );
  }
  if (skill.scripts.length === 0) return undefined;
  return { ...skill, run: runOf(chosen(skill, script)), requestedBy: 'operator' };
}

function chosen({ id, scripts }: Skill, asked: string | undefined): Script {
  const known = scripts.map(({ path }) => path).join(', ');
  if (asked !== undefined) {
    const found = scripts.find(({ path }) => path === asked || path === `scripts/${asked}`);
    if (found !== undefined) return found;
    throw new SkillError(
      'INPUT_INVALID',
      `${id} has no script ${JSON.stringify(asked.slice(0, 200))}; it has ${known}`,
    );
  }
  const usual = ['scripts/run.sh', 'scripts/run.py'].map((path) =>
    scripts.find((each) => each.path === path),
  );
  const found = usual.find((each) => each !== undefined) ?? (scripts.length === 1 ? scripts[0] : undefined);
  if (found !== undefined) return found;
  throw new SkillError('INPUT_INVALID', `${id} has several scripts; say which with "script": ${known}`);
}

const shells = ['sh', 'bash', 'dash', 'ksh', 'zsh'];

function runOf({ path, interpreter }: Script): Run {
  const exec = interpreter === null ? [] : [interpreter];
  return Run.parse({
    runtime: 'process',
    entry: path,
    protocol: 'command',
    capabilities: {
      filesystem: { write: ['workspace'] },
      exec: exec.some((name) => shells.includes(name)) ? [...exec, '@posix'] : exec,
    },
  });
}

/**
 * The text whose SHA-256 is a skill's digest: one line `path NUL size NUL sha256` for each file, in the order of the
 * paths' code units (design, section 3). NUL and newline cannot stand in a path that is listed here, so that no two
 * folders share a text.
 */
export function digestText(files: readonly SkillFile[]): string {
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path, bytes, sha256 }) => `${path}\0${bytes}\0${sha256}\n`)
    .join('');
}
