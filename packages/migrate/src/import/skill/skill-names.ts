import { SkillName } from '@ambit/core/skill';
import { quote, type ReportLine } from './imported.ts';

/**
 * Maps each name of a source to a unique skill name: itself if it is valid, else its letters and digits,
 * with a number if that name is taken. Each change is reported in a line.
 */
export function skillNames(lines: ReportLine[]): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    const name = SkillName.safeParse(wanted).success ? wanted : slug(wanted);
    const free = numbered(name, taken);
    taken.add(free);
    if (name !== wanted) line(`is not a valid skill name; the skill is named ${free}`);
    else if (free !== name) line(`is already taken by another skill; this skill is named ${free}`);
    return free;

    function line(text: string): void {
      lines.push({ kind: 'changed', about: quote(wanted), text });
    }
  };
}

const lengthMax = 64;

function slug(text: string): string {
  const words = text
    .slice(0, 1000)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return cut(words.join('-'), lengthMax) || 'skill';
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) {
    free = `${cut(name, lengthMax - String(number).length - 1)}-${number}`;
  }
  return free;
}

function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/-+$/, '');
}
