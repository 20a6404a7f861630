import type { Skill } from '../skill/skill.ts';
import { anyOf, folderPlaceholders, pathsInSkill } from '../skill/skill-path.ts';
import { foldersOf } from '../workspace/workspace-file.ts';

/** Instructions with values in place of placeholders, not yet escaped. */
export interface FilledBody {
  text: string;
  /** The first ten placeholders that have no value here. */
  left: readonly string[];
}

const leftMax = 10;

/** `${CLAUDE_PLUGIN_ROOT}`, with the path behind it; `$ARGUMENTS`, `$ARGUMENTS[1]`, `$1`; variables of other agents. */
const others = [
  '\\$\\{?CLAUDE_[A-Z_]+\\}?(?:/[\\w.-]*[\\w-])*',
  '\\$ARGUMENTS(?:\\[\\d\\]|(?!\\w))',
  '\\$[1-9](?!\\w|[.,]\\d)',
];
const own = folderPlaceholders.filter((each) => !each.includes('CLAUDE_PLUGIN_ROOT'));
/** `${baseDir}` is JavaScript, and `$SKILL_DIRECTORY` is another variable. */
const pattern = new RegExp(`(?<![$\\w])(?:${[anyOf(own), ...others].join('|')})(?!\\w)`, 'g');
const code = /```[\s\S]*?(?:```|$)|`[^`\n]+`|[^`]+|`/g;

/** The most characters of a task, in all places together: a long text and a long task would be too much for any memory. */
const insertedCharactersMax = 256 * 1024;

/**
 * The instructions of a skill for a model. Placeholders for the skill's folder become `folder`, by default where it is.
 * `$ARGUMENTS` becomes the whole of `task`, and outside of code `$1` its first word; there, code has variables of its own.
 * Placeholders beyond `insertedCharactersMax` stay. A name to which the instructions assign a value is their own. Each value is inserted once, and not searched again.
 */
export function filledBody(
  skill: Pick<Skill, 'id' | 'manifest' | 'root' | 'files' | 'body'>,
  { folder = skill.root, task }: { folder?: string | undefined; task?: string | undefined } = {},
): FilledBody {
  const { body } = skill;
  if (!/[${<]/.test(body)) return { text: body, left: [] };
  const words =
    task?.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replace(/^(["'])(.*)\1$/s, '$2')) ?? [];
  const left = new Set<string>();
  const assigned = new Set(Array.from(body.matchAll(/(?<![\w$])([A-Za-z_]\w*)=/g), ([, name]) => name));
  const paths = new Set(skill.files.flatMap(({ path }) => [path, ...foldersOf(path)]));
  const place = folder.replace(/\/$/, '');
  const leave = (found: string, name = found): string => {
    left.add(name);
    return found;
  };
  let charactersLeft = insertedCharactersMax;
  const insert = (found: string, value = ''): string => {
    if (value.length > charactersLeft) return leave(found);
    charactersLeft -= value.length;
    return value;
  };
  const fill = (found: string, isCode: boolean): string => {
    if (/^\$[1-9]$/.test(found))
      return isCode || task === undefined ? found : insert(found, words[Number(found[1]) - 1]);
    const position = /^\$ARGUMENTS\[(\d)\]$/.exec(found)?.[1];
    if (task === undefined && found.startsWith('$ARGUMENTS')) return leave(found);
    if (position !== undefined) return insert(found, words[Number(position)]);
    if (found === '$ARGUMENTS') return insert(found, task);
    const name = /\w+/.exec(found)?.[0] ?? '';
    if (assigned.has(name)) return found;
    if (own.includes(found)) return place;
    const path = pathsInSkill(skill, found).find((each) => each !== '' && paths.has(each));
    if (path !== undefined) return `${place}/${path}`;
    return leave(found, /^\$\{?\w+\}?/.exec(found)?.[0]);
  };
  const text = body.replace(code, (part) =>
    part.replace(pattern, (found) => fill(found, part.length > 1 && part.startsWith('`'))),
  );
  return { text, left: [...left].slice(0, leftMax) };
}
