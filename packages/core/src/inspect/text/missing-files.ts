import { skillFileNames } from '../../skill/skill.ts';
import { safeText } from '../excerpt.ts';
import type { FoundPlace } from '../finding.ts';
import type { TextFile } from '../inspected-skill.ts';

/** A path in a folder that skills have. Part of a longer path, it may be a file of something else. */
const named =
  /(?<![\w./-])(?:\.\/|(?:\$\{\w{1,40}\}|\{\w{1,40}\}|<\w{1,40}>)\/)?((?:scripts|references?|assets|templates)(?:\/[\w.-]{1,100}){1,8}\.[A-Za-z0-9]{1,8})(?![\w/-])/g;

const namesMax = 8;

/** Files that the instructions name and the skill does not have: they were forgotten, or are elsewhere in its repository. */
export function missingFiles(
  file: TextFile,
  paths: ReadonlySet<string>,
  lineOf: (index: number) => number,
): FoundPlace[] {
  if (!skillFileNames.includes(file.path)) return [];
  const missing = new Map<string, number>();
  for (const { index, 1: path = '' } of file.text.matchAll(named))
    if (!paths.has(path) && !path.split('/').includes('..') && !missing.has(path)) missing.set(path, index);
  const [first] = missing.values();
  if (first === undefined) return [];
  const names = [...missing.keys()].slice(0, namesMax).map((name) => safeText(name));
  const more = missing.size > namesMax ? ` and ${missing.size - namesMax} more` : '';
  return [
    {
      rule: 'file-missing',
      file: file.path,
      line: lineOf(first),
      sentence: `The text names ${names.join(', ')}${more}, which the skill does not have. What uses ${missing.size === 1 ? 'it' : 'them'} fails; ask its author, or install the skill from its whole repository.`,
    },
  ];
}
