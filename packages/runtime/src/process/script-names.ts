import { basename, extname } from 'node:path';
import type { ToolSkill } from '@ambit/core/execute';
import { type ScriptNames, scriptNames } from '@ambit/core/inspect';
import { onlyIfNamed } from '@ambit/core/policy';
import { readListedFile } from '../skills/open-listed-file.ts';
import { nextTurn } from '../stream/turns.ts';

/** The names in the programs of a skill, as far as their text shows them. */
export interface NamedInSkill {
  /** Python modules that do not come with Python, and packages of JavaScript. */
  imports: ReadonlySet<string>;
  /** The members of `onlyIfNamed` that occur as words; all if a program is too large to read. */
  tools: ReadonlySet<string>;
  /** Programs that a script or the skill's files that it names may start, in the order of the text. */
  programsOf(entry: string): readonly string[];
}

/** The text of a skill that is read. Names beyond it are not found. */
const bounds = { files: 200, fileBytes: 256 * 1024, bytes: 2 * 1024 * 1024 };

/** More programs than a script names. */
const programsMax = 64;

/** Skills whose names are remembered. */
const skillsMax = 1000;

/** Reads the programs of skills for the names in them, once for each version. */
export function skillNames(): (skill: ToolSkill) => Promise<NamedInSkill> {
  const known = new Map<string, Promise<NamedInSkill>>();
  return (skill) => {
    const names = known.get(skill.digest) ?? read(skill);
    known.delete(skill.digest);
    known.set(skill.digest, names);
    if (known.size > skillsMax) known.delete([...known.keys()][0] ?? '');
    return names;
  };
}

interface ReadProgram extends ScriptNames {
  path: string;
  /** Other programs of the skill, by path. */
  mentions: readonly string[];
}

async function read(skill: ToolSkill): Promise<NamedInSkill> {
  const files = skill.files.filter(({ path }) => isProgram(path));
  const read = new Map<string, ReadProgram>();
  const tools = new Set<string>();
  let bytes = 0;
  for (const file of files) {
    bytes += file.bytes;
    if (read.size >= bounds.files || file.bytes > bounds.fileBytes || bytes > bounds.bytes)
      return namesIn(read, onlyIfNamed);
    // The run reports a file that has changed since.
    const content = await readListedFile(skill, file).catch(() => undefined);
    if (content === undefined) continue;
    const text = content.toString();
    const words = new Set(text.match(/[\w-]+/g));
    for (const tool of onlyIfNamed) if (words.has(tool)) tools.add(tool);
    const mentions = files.filter(({ path }) => path !== file.path && words.has(stemOf(path)));
    const names = scriptNames({ path: file.path, text });
    read.set(file.path, { ...names, path: file.path, mentions: mentions.map(({ path }) => path) });
    await nextTurn();
  }
  return namesIn(read, tools);
}

function namesIn(read: ReadonlyMap<string, ReadProgram>, tools: ReadonlySet<string>): NamedInSkill {
  return {
    imports: new Set([...read.values()].flatMap(({ imports }) => imports)),
    tools,
    programsOf(entry) {
      const reached = new Set([entry]);
      // The loop also visits paths that it adds.
      for (const path of reached) for (const other of read.get(path)?.mentions ?? []) reached.add(other);
      const programs = [...reached].flatMap((path) => read.get(path)?.programs ?? []);
      return [...new Set(programs)].slice(0, programsMax);
    },
  };
}

/** Whether a file may be a program, by its name: programs without an extension have a shebang. */
function isProgram(path: string): boolean {
  return ['', '.py', '.sh', '.bash', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'].includes(extname(path));
}

function stemOf(path: string): string {
  return basename(path, extname(path));
}
