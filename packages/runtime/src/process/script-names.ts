import { extname } from 'node:path';
import type { ToolSkill } from '@ambit/core/execute';
import { scriptNames } from '@ambit/core/internal';
import { readListedFile } from '../skills/open-listed-file.ts';
import { nextTurn } from '../stream/turns.ts';

/** What the programs of a skill name, as far as their text shows it. */
export interface NamedInSkill {
  /** Python modules. */
  imports: ReadonlySet<string>;
}

/** The text of a skill that is read. Names beyond it are not found. */
const bounds = { files: 200, fileBytes: 256 * 1024, bytes: 2 * 1024 * 1024 };

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

async function read(skill: ToolSkill): Promise<NamedInSkill> {
  const imports = new Set<string>();
  let bytes = 0;
  const programs = skill.files.filter((file) => file.bytes <= bounds.fileBytes && isProgram(file.path));
  for (const file of programs.slice(0, bounds.files)) {
    bytes += file.bytes;
    if (bytes > bounds.bytes) break;
    // The run reports a file that has changed since.
    const content = await readListedFile(skill, file).catch(() => undefined);
    if (content === undefined) continue;
    for (const name of scriptNames({ path: file.path, text: content.toString() }).imports) imports.add(name);
    await nextTurn();
  }
  return { imports };
}

/** Whether a file may be a program, by its name: programs without an extension have a shebang. */
function isProgram(path: string): boolean {
  return ['', '.py', '.sh', '.bash', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'].includes(extname(path));
}
