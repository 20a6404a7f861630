import { SkillError } from '../outcome/skill-error.ts';
import type { Skill } from './skill.ts';
import { anyOf, folderPlaceholders, pathsInSkill } from './skill-path.ts';

/** A call that a command means. */
export interface ScriptCall {
  /** As `asToolSkill` takes it. */
  script: string;
  args: string[];
}

/** Calls have no more, however they are written. */
const wordsMax = 1000;

/** Every shell takes the scripts of another one; each script runs with its own. */
export const shells: readonly string[] = ['sh', 'bash', 'dash', 'ksh', 'zsh'];
const families: readonly (readonly string[])[] = [
  ['python', 'python3', 'py', 'uv', 'uvx'],
  ['node', 'tsx', 'ts-node', 'bun'],
  shells,
  ['perl'],
  ['ruby'],
];

/**
 * Reads a command as a model types it: `python3 scripts/x.py --a 1`. It is split into words as a shell does, and no shell
 * runs. It may begin with `cd` to a folder of the skill and `&&`, and with programs that only start an interpreter. They
 * choose nothing: the script runs with its own interpreter.
 *
 * Throws `INPUT_INVALID` for everything else: operators, variables, options of an interpreter other than `-u` and `-B`, code
 * in the command. The refusal names the script that the command mentions, or else `known`, the scripts of the skill.
 * `interpreterOf` finds the interpreter of a script, `null` for a compiled program and `undefined` for an unknown one.
 */
export function readCommand(
  skill: Pick<Skill, 'id' | 'manifest' | 'root' | 'files' | 'scripts'>,
  command: string,
  interpreterOf: (script: string) => string | null | undefined,
  known: string,
): ScriptCall {
  const refused = (why: string): SkillError => {
    const mentioned = mentionedScript(skill, command);
    const right = mentioned === undefined ? `${skill.id} has ${known}` : `Send: ${mentioned} ARGUMENTS`;
    return new SkillError(
      'INPUT_INVALID',
      `${skill.id} does not run the command ${JSON.stringify(command.slice(0, 200))}: ${why}. A command is one script of the skill and its arguments, not code. ${right}`,
    );
  };
  const split = splitCommand(skill, command);
  if ('problem' in split) throw refused(split.problem);
  let { words } = split;
  let folder = '';
  if (split.after !== undefined) {
    const [program, place, ...rest] = split.after;
    const known = place === undefined || rest.length > 0 ? undefined : folderOf(skill, place);
    if (program !== 'cd') throw refused('"&&" may only follow a cd');
    if (known === undefined)
      throw refused(`cd may only name the skill's folder or a folder in it, not ${quoted(place ?? '')}`);
    folder = known;
  }
  if (words.length > wordsMax) throw refused(`it has more than ${wordsMax} words`);
  const start = starterOf(words);
  if ('problem' in start) throw refused(start.problem);
  words = start.rest;
  const [first, ...args] = words;
  if (first === undefined || first === '') throw refused('it names no script');
  if (start.isModule) {
    if (folder !== '') throw refused("a module is called from the skill's folder");
    return { script: `-m ${first}`, args };
  }
  if (first.startsWith('-'))
    throw refused(
      start.program === undefined
        ? 'it names no script'
        : `${quoted(first)} is an option of ${start.program}, and a command takes none that chooses code, packages or a version`,
    );
  const script =
    folder === '' || first.startsWith('/') ? first : `${folder}/${first.replace(/^(?:\.\/)+/, '')}`;
  const own = interpreterOf(script);
  if (start.program !== undefined && own !== undefined && familyOf(own ?? '') !== familyOf(start.program))
    throw refused(
      own === null
        ? `${quoted(first)} is a compiled program; leave ${start.program} out`
        : `${quoted(first)} runs with ${own}, not with ${start.program}`,
    );
  return { script, args };
}

/** Paths in skills are not longer. */
const partsMax = 16;

/** The script of the skill that a refused command mentions first, as a word of a command. */
function mentionedScript({ scripts }: Pick<Skill, 'scripts'>, command: string): string | undefined {
  const words = command.slice(0, 4096).split(/[\s"'`;|&()=]+/);
  const byName = new Map(scripts.map(({ path }) => [path.slice(path.lastIndexOf('/') + 1), path]));
  for (const { path } of scripts) byName.set(path, path);
  for (const word of words) {
    const parts = word.split('/').slice(-partsMax);
    // The beginning of a path may be a variable, or a folder of an agent.
    const found = parts.map((_, from) => byName.get(parts.slice(from).join('/'))).find((path) => path);
    if (found !== undefined) return shellWord(found);
  }
  return undefined;
}

function shellWord(word: string): string {
  return /^[\w@%+,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function quoted(word: string): string {
  return JSON.stringify(word.slice(0, 100));
}

/** A folder of the skill, relative to it. */
function folderOf(skill: Parameters<typeof readCommand>[0], path: string): string | undefined {
  const has = (folder: string): boolean =>
    folder === '' || skill.files.some(({ path: file }) => file.startsWith(`${folder}/`));
  return pathsInSkill(skill, path).find(has);
}

/** The languages of interpreters: two of one family start the same scripts. */
function familyOf(program: string): string {
  const name = program.replace(/^(python3?)\.\d+$/, '$1').replace(/^python2$/, 'python');
  return families.find((family) => family.includes(name))?.[0] ?? name;
}

interface Start {
  /** The interpreter that the command names; `undefined`: it begins with the script. */
  program: string | undefined;
  isModule: boolean;
  rest: string[];
}

/** Skips what only starts an interpreter: `uv run`, `npx tsx`, `/usr/bin/env python3`, and the options that change nothing. */
function starterOf(words: readonly string[]): Start | { problem: string } {
  const rest = [...words];
  const plain = (word = ''): string => word.replace(/^(?:\/usr(?:\/local)?)?\/bin\//, '');
  const skip = (options: readonly string[]): void => {
    while (options.includes(rest[0] ?? '')) rest.shift();
  };
  let program: string | undefined;
  if (plain(rest[0]) === 'env') rest.shift();
  if (/^[A-Za-z_]\w*\+?=/.test(rest[0] ?? '')) return { problem: 'it sets a variable' };
  if (plain(rest[0]) === 'uv') {
    program = 'uv';
    rest.shift();
    skip(quiet);
    if (rest.shift() !== 'run') return { problem: 'of uv, only "uv run" starts a script' };
    skip([...quiet, ...uvRun]);
  } else if (plain(rest[0]) === 'uvx') {
    rest.shift();
    if (!isPython(rest[0])) return { problem: 'of uvx, only "uvx python" starts a script' };
  } else if (plain(rest[0]) === 'npx' || plain(rest[0]) === 'bunx') {
    rest.shift();
    skip(['-y', '--yes']);
    if (!['tsx', 'ts-node'].includes(rest[0] ?? ''))
      return { problem: 'of npx, only "npx tsx" starts a script' };
  }
  const name = plain(rest[0]);
  const isInterpreter = isPython(name) || families.some((family) => family.includes(name));
  if (isInterpreter && name !== 'uv' && name !== 'uvx') {
    program = name;
    rest.shift();
    if (name === 'bun') skip(['run']);
    if (isPython(name)) skip(['-u', '-B']);
    if (isPython(name) && rest[0] === '-m') return { program, isModule: true, rest: rest.slice(1) };
  }
  return { program, isModule: false, rest };
}

const quiet = ['-q', '--quiet'];
/** Options of `uv run` that say where it looks for packages. Ambit has locked them, whatever uv would do. */
const uvRun = [
  '--script',
  '-s',
  '--no-project',
  '--no-config',
  '--no-sync',
  '--isolated',
  '--frozen',
  '--locked',
  '--offline',
];

function isPython(word = ''): boolean {
  return /^python(?:3(?:\.\d{1,2})?)?$/.test(word);
}

type SplitCommand = { words: string[]; after: string[] | undefined } | { problem: string };

/**
 * Words as POSIX describes them, with quotes, backslashes and comments. `after` has the words before the only `&&`. A path of
 * the skill in a folder of an agent, `~/.claude/skills/NAME/x.py`, becomes its path in the sandbox. Anything else
 * that a shell would do, such as replacing variables and patterns, is a problem.
 */
function splitCommand(skill: Parameters<typeof pathsInSkill>[0], command: string): SplitCommand {
  let after: string[] | undefined;
  let words: string[] = [];
  let word: string | undefined;
  const text = command.trim();
  if (/[^\P{Cc}\t\n]/u.test(text)) return { problem: 'it has a control character' };
  const plain = /[\w@%+=:,./-]+/y;
  for (let at = 0; at < text.length; at += 1) {
    plain.lastIndex = at;
    const run = plain.exec(text)?.[0];
    if (run !== undefined) {
      word = (word ?? '') + run;
      at += run.length - 1;
      continue;
    }
    const character = text[at] ?? '';
    const own = ownPathAt(skill, text, at, word === undefined);
    if (own !== undefined) {
      word = (word ?? '') + own.path;
      at += own.length - 1;
    } else if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return { problem: "a ' is not closed" };
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (character === '"') {
      const inside = doubleQuoted(skill, text, at + 1, word === undefined);
      if ('problem' in inside) return inside;
      word = (word ?? '') + inside.text;
      at = inside.end;
    } else if (character === '\\') {
      at += 1;
      if (at >= text.length) return { problem: 'it ends with a backslash' };
      // A backslash and a line break continue the line.
      if (text[at] !== '\n') word = (word ?? '') + text[at];
    } else if (text.startsWith('&&', at) && after === undefined) {
      if (word !== undefined) words.push(word);
      after = words;
      words = [];
      word = undefined;
      at += 1;
    } else if (character === '#' && word === undefined) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end - 1;
    } else if (character === '\n') {
      // A shell ignores empty lines and comments before a command.
      if (word !== undefined || words.length > 0 || after !== undefined)
        return { problem: 'it has several lines' };
    } else {
      const problem = shellProblem(text, at, word === undefined);
      if (problem !== undefined) return { problem };
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return { words, after };
}

/** Says why a character outside of quotes is not part of a word, as a shell reads it. */
function shellProblem(text: string, at: number, startsWord: boolean): string | undefined {
  const character = text[at] ?? '';
  const stands = /^(?:<[\p{L}\p{N}][^<>\n]{0,80}>|\[[^\]\n]{1,80}\])/u.exec(text.slice(at, at + 83))?.[0];
  if (stands !== undefined)
    return `${stands} stands for a value: write the value, or leave it out if it is optional`;
  if (/[;|&<>()$`]/.test(character))
    return `${character} is for a shell, and none runs; quote it with ' if it belongs to a word`;
  if (/[*?[]/.test(character) || /^\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}/.test(text.slice(at, at + 4096)))
    return `${character} is a pattern, which no shell replaces here; name the files, or quote it`;
  if (character === '~' && startsWord)
    return `${character} means something else in a shell; quote it with ' if it belongs to a word`;
  return undefined;
}

/** The text up to the closing quote, and where that is. */
function doubleQuoted(
  skill: Parameters<typeof pathsInSkill>[0],
  text: string,
  from: number,
  startsWord: boolean,
): { text: string; end: number } | { problem: string } {
  let inside = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    const own = ownPathAt(skill, text, at, startsWord && at === from && character === '$');
    if (own !== undefined) {
      inside += own.path;
      at += own.length - 1;
    } else if (character === '"') return { text: inside, end: at };
    else if (character === '$' || character === '`')
      return { problem: `a shell would replace ${character} within "; use ' in place of "` };
    else if (character === '\\' && /["\\$`\n]/.test(text[at + 1] ?? '')) {
      at += 1;
      if (text[at] !== '\n') inside += text[at];
    } else inside += character;
  }
  return { problem: 'a " is not closed' };
}

/** The skill's folder in every sandbox. */
const skillFolder = '/skill';

const placeholderStart = new RegExp(`^(?:${anyOf(folderPlaceholders)})(?=["'/\\s]|$)`);

/** The start of a word with a variable or `~`, and the path behind it. */
const rootedPath = /^(?:~|\$\w+|\$\{\w+\})((?:\/[\w@+.-]+)+)/;

/**
 * The path in the sandbox of what `text` has at a position: a placeholder for the skill's folder, or, where a word starts, a
 * path of the skill in an agent's folder of skills.
 */
function ownPathAt(
  skill: Parameters<typeof pathsInSkill>[0],
  text: string,
  at: number,
  startsWord: boolean,
): { path: string; length: number } | undefined {
  if (!/[$~{<]/.test(text[at] ?? '')) return undefined;
  const placeholder = placeholderStart.exec(text.slice(at, at + 32))?.[0];
  if (placeholder !== undefined) return { path: skillFolder, length: placeholder.length };
  const [found, below] = (startsWord && rootedPath.exec(text.slice(at, at + 4096))) || [];
  // `~` in place of a variable: that can be any folder, so the path has to name the skill.
  const path = below === undefined ? undefined : pathsInSkill(skill, `~${below}`)[0];
  if (found === undefined || path === undefined) return undefined;
  return { path: path === '' ? skillFolder : `${skillFolder}/${path}`, length: found.length };
}
