import { tierCeilings } from '../capability/tier.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { moduleOf } from './python-module.ts';
import { isPython, Run } from './run.ts';
import { readCommand, shells } from './script-command.ts';
import { scriptRank } from './script-rank.ts';
import {
  declaredRuns,
  hasRun,
  listedScripts,
  otherScripts,
  type Script,
  type Skill,
  type ToolSkill,
} from './skill.ts';
import { pathsInSkill } from './skill-path.ts';

/**
 * The skill as a tool; `undefined` for a skill with only instructions.
 *
 * `script` is a name in `run.scripts` of the sidecar, a program by its path or unique file name (`pathOf`), or a Python module as
 * `-m package.module`. Files and modules that the sidecar does not describe run with protocol
 * `command`, their interpreter and a workspace; at tier `untrusted`, Python runs in WebAssembly. Without `script`, the
 * first of these runs: the sidecar's `entry`, `run.sh`, `run.py`, the only script.
 *
 * Throws `INPUT_INVALID` if `script` names none of them, or the choice is ambiguous.
 */
export function asToolSkill(skill: Skill, script?: string): ToolSkill | undefined {
  const module = script === undefined ? undefined : moduleOf(skill, script);
  if (module !== undefined) {
    return { ...undeclared(skill, { path: module.path, interpreter: 'python3' }), module: module.name };
  }
  if (!hasRun(skill.sidecar) && (script === undefined ? listedScripts(skill) : skill.scripts).length === 0)
    return undefined;
  const path = script === undefined ? undefined : pathOf(skill, script);
  const declared = declaredRun(skill, script, path);
  if (declared !== undefined) return { ...skill, run: declared, requestedBy: 'sidecar' };
  return undeclared(skill, chosen(skill, script, path));
}

/** Whether the sidecar says nothing about the script, so a caller may send JSON: no author says what it takes. */
export function isPlainScript({ requestedBy }: Pick<ToolSkill, 'requestedBy'>): boolean {
  return requestedBy !== 'sidecar';
}

/** Whether it is Python of tier `untrusted`, which Ambit runs in WebAssembly, with a workspace and nothing else. */
export function isUnapprovedPython({ run, requestedBy }: Pick<ToolSkill, 'run' | 'requestedBy'>): boolean {
  return requestedBy === 'none' && isPython(run);
}

/** A script without a run in the sidecar. */
function undeclared(skill: Skill, script: Script): ToolSkill {
  const run = runOf(skill, script);
  const requestedBy = hasRun(skill.sidecar) || isPython(run) ? 'none' : 'operator';
  return { ...skill, run, requestedBy };
}

/**
 * The call that a reader should try first: the default, or one of several scripts by name. `undefined`: it has only
 * instructions.
 */
export function firstCall(skill: Skill): { script: string | null; protocol: Run['protocol'] } | undefined {
  const names = [...Object.keys(skill.sidecar.namedRuns), ...listedScripts(skill).map(({ path }) => path)];
  for (const script of [undefined, ...names])
    try {
      const tool = asToolSkill(skill, script);
      return tool && { script: script ?? null, protocol: tool.run.protocol };
    } catch (error) {
      // Several scripts: a call has to name one.
      if (!(error instanceof SkillError)) throw error;
    }
  return undefined;
}

/**
 * The file that a caller names: by its path however it is spelled (`pathsInSkill`), as a file of `scripts/`, by the end of its
 * path, or by one of these without its extension. `undefined`: none. Throws `INPUT_INVALID` if several of the same rank match.
 */
function pathOf(skill: Skill, asked: string): string | undefined {
  if (Object.hasOwn(skill.sidecar.namedRuns, asked)) return undefined;
  const entries = declaredRuns(skill).map(({ run }) => run.entry);
  const paths = [...new Set([...entries, ...skill.scripts.map(({ path }) => path)])];
  const meanings = pathsInSkill(skill, asked).filter((each) => each !== '');
  for (const named of [(path: string) => path, withoutExtension])
    for (const [matches, each] of [isSame, isInScripts, isEnd].flatMap((way) =>
      meanings.map((path) => [way, path] as const),
    )) {
      const matching = paths.filter((path) => matches(named(path), each));
      const lowest = Math.min(...matching.map(scriptRank));
      const [path, ...others] = matching.filter((each) => scriptRank(each) === lowest);
      if (others.length === 0 && path !== undefined) return path;
      if (path === undefined) continue;
      throw new SkillError(
        'INPUT_INVALID',
        `${skill.id} has several scripts called ${JSON.stringify(asked.slice(0, 200))}; name one by its path: ${listed([path, ...others])}`,
      );
    }
  return undefined;
}

const isSame = (path: string, asked: string): boolean => path === asked;
const isInScripts = (path: string, asked: string): boolean => path === `scripts/${asked}`;
const isEnd = (path: string, asked: string): boolean => path.endsWith(`/${asked}`);

function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.[a-z]+$/i, '');
}

/**
 * The script and the arguments of a call, if it gives them as a `command`; see `readCommand`. Throws `INPUT_INVALID` for a
 * command that is more than a script and its arguments, or beside them.
 */
export function calledScript(skill: Skill, call: ScriptSpelling): Pick<ScriptSpelling, 'script' | 'args'> {
  const { command, script, args } = call;
  if (command === undefined) return { script, args };
  if (script !== undefined || args !== undefined)
    throw new SkillError('INPUT_INVALID', 'send either "command", or "script" and "args", not both');
  const interpreterOf = (name: string): string | null | undefined => {
    const { namedRuns } = skill.sidecar;
    const entry = Object.hasOwn(namedRuns, name) ? namedRuns[name]?.run.entry : pathOf(skill, name);
    return skill.scripts.find(({ path }) => path === entry)?.interpreter;
  };
  return readCommand(skill, command, interpreterOf, knownScripts(skill) || 'no scripts');
}

/** A caller's spelling of a script and its arguments: apart, or as a command. */
interface ScriptSpelling {
  script?: string | undefined;
  args?: readonly string[] | undefined;
  command?: string | undefined;
}

/** A run of the sidecar: by name, by file, or the default. */
function declaredRun(skill: Skill, script: string | undefined, path: string | undefined): Run | undefined {
  const { run, namedRuns } = skill.sidecar;
  const runs = declaredRuns(skill);
  if (script === undefined) return run ?? (runs.length === 1 ? runs[0]?.run : undefined);
  if (Object.hasOwn(namedRuns, script)) return namedRuns[script]?.run;
  return runs.find((each) => each.run.entry === path)?.run;
}

/** The scripts that run when a call names none, if the skill has several. */
const usualPaths = ['scripts/run.sh', 'run.sh', 'scripts/run.py', 'run.py'];

function chosen(skill: Skill, asked: string | undefined, path: string | undefined): Script {
  const { id, sidecar, scripts } = skill;
  const others = listedScripts(skill);
  const known = knownScripts(skill);
  if (asked !== undefined) {
    const found = scripts.find((each) => each.path === path);
    if (found !== undefined) return found;
    const choice =
      known === ''
        ? '; it has no scripts to choose from. To run its entry, leave the script out'
        : `; it has ${known}`;
    throw new SkillError(
      'INPUT_INVALID',
      `${id} has no script ${JSON.stringify(asked.slice(0, 200))}${choice}${asked === '-m' ? '. Name a module in the same argument: "-m package.module"' : ''}`,
    );
  }
  if (!hasRun(sidecar)) {
    const usual = usualPaths.map((each) => scripts.find((script) => script.path === each));
    const first = others.filter(({ path: each }) => scriptRank(each) === 0);
    const only = [first, others].find(({ length }) => length === 1);
    const found = usual.find((each) => each !== undefined) ?? only?.[0];
    if (found !== undefined) return found;
  }
  throw new SkillError(
    'INPUT_INVALID',
    `${id} has several scripts; name one with "script", or --script on the command line: ${known}`,
  );
}

/** The scripts that a caller can name, in words. */
function knownScripts(skill: Skill): string {
  return listed([...Object.keys(skill.sidecar.namedRuns), ...listedScripts(skill).map(({ path }) => path)]);
}

/** Longer lists are cut: a model may read them. */
const listedMax = 20;

function listed(names: readonly string[]): string {
  return names.slice(0, listedMax).join(', ') + (names.length > listedMax ? ', …' : '');
}

/** Every run of a skill: those in the sidecar, and one for each other script. */
export function everyRun(skill: Skill): Run[] {
  const others = otherScripts(skill).map((script) => runOf(skill, script));
  return [...declaredRuns(skill).map(({ run }) => run), ...others];
}

/** Whether the tier of a skill lets a run start. */
export function mayStart({ tier }: Pick<Skill, 'tier'>, { runtime }: Pick<Run, 'runtime'>): boolean {
  return runtime === 'wasm' || tierCeilings[tier].processSkills;
}

/** Returns the runtime, at the tier of its skill, of a script without a run in the sidecar. */
export function runtimeOf({ tier }: Pick<Skill, 'tier'>, script: Script): Run['runtime'] {
  return tier === 'untrusted' && isPythonScript(script) ? 'wasm' : 'process';
}

/** The listed scripts that the tier of their skill lets start. */
export function callableScripts(skill: Pick<Skill, 'sidecar' | 'scripts' | 'tier'>): Script[] {
  return listedScripts(skill).filter((script) => mayStart(skill, { runtime: runtimeOf(skill, script) }));
}

function runOf({ tier, sidecar }: Skill, { path, interpreter }: Script): Run {
  const common = { entry: path, protocol: 'command' };
  const filesystem = { write: ['workspace'] };
  if (runtimeOf({ tier }, { path, interpreter }) === 'wasm')
    return Run.parse({ ...common, runtime: 'wasm', interpreter: 'python', capabilities: { filesystem } });
  const exec = interpreter === null ? [] : [interpreter];
  return Run.parse({
    ...common,
    runtime: 'process',
    cwd: sidecar.cwd,
    capabilities: {
      filesystem,
      exec: exec.some((name) => shells.includes(name)) ? [...exec, '@posix'] : exec,
    },
  });
}

/** In WebAssembly, `.wasm` is always a module, and `.js` and `.mjs` are JavaScript. */
function isPythonScript({ path, interpreter }: Script): boolean {
  return (
    interpreter !== null && /^python(?:3(?:\.\d+)?)?$/.test(interpreter) && !/\.(?:wasm|m?js)$/.test(path)
  );
}
