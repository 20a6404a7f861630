import type { ReportLine } from './imported.ts';

const charactersMax = 1024;

/** A description as the Agent Skills specification wants it: one line, of at most 1024 characters. */
export function fitDescription(text: string, about: string, lines: ReportLine[]): string {
  const line = plainLine(text);
  if (line.length <= charactersMax) return line;
  lines.push({
    kind: 'changed',
    about,
    text: `has a description of ${line.length} characters; it is cut to ${charactersMax}`,
  });
  return `${line.slice(0, charactersMax - 1).trimEnd()}…`;
}

/**
 * What a text that has no description says of itself: its first heading and its first sentence; `otherwise` when it has
 * neither. Headings and sentences inside of fenced code do not count.
 */
export function describeMarkdown(text: string, otherwise: string): string {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .split(/\r?\n/);
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line))?.replace(/^#+\s+/, '');
  const words = lines.find((line) => /^[\p{L}\p{N}*_`"'([]/u.test(line) && !/^[-*]{3,}\s*$/.test(line));
  const sentence = words === undefined ? undefined : /^.*?[.!?](?=\s|$)|^.*$/u.exec(words)?.[0];
  const found = [heading, sentence?.replace(/[*_`]+/g, '')]
    .map((part) => plainLine(part ?? ''))
    .filter(Boolean);
  return found.join(': ') || otherwise;
}

/**
 * As a skill folder's files have it: on one line, and what is no character is gone. Prompts have core's `oneLine`, which leaves a
 * mark where something was.
 */
export function plainLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
}
