import { plainLine } from '@ambit/core/skill';
import type { ReportLine } from './imported.ts';

const charactersMax = 1024;

/** A description that fits the Agent Skills specification: one line of at most 1024 characters. */
export function fitDescription(text: string, about: string, lines: ReportLine[]): string {
  const line = plainLine(text);
  if (line.length <= charactersMax) return line;
  lines.push({
    kind: 'changed',
    about,
    text: `has a description of ${line.length} characters, cut to ${charactersMax}`,
  });
  return `${line.slice(0, charactersMax - 1).trimEnd()}…`;
}
