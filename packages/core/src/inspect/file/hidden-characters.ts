import { hiddenRuns } from '../../model-text/visible-text.ts';
import { excerptOf } from '../excerpt.ts';
import type { FoundPlace } from '../finding.ts';
import type { InspectionPorts, TextFile } from '../inspected-skill.ts';

/** More characters than this in a row can carry a message. */
const honestRun = 4;

/** One mark of direction, soft hyphen or joiner. */
const typography = /^(?:[\u00AD\u200E\u200F\u061C\uFEFF\u2060\u200B-\u200D]|\uFE0E|\uFE0F)$/;

/** Bell, backspace and the beginnings of escape sequences, which change what a terminal shows. */
const terminalControls = ['\u0007', '\u0008', '\u001B', '\u009B'];

function isHarmless(run: string): boolean {
  return (
    typography.test(run) ||
    (/^\p{Cc}{1,2}$/u.test(run) && !terminalControls.some((each) => run.includes(each)))
  );
}

type At = Pick<FoundPlace, 'file' | 'line' | 'excerpt'>;

/** Text that people do not see and models read, or that is displayed in another order. */
export function* hiddenCharacterFindings(
  file: TextFile,
  lineOf: (index: number) => number,
  { redact }: InspectionPorts,
): Generator<FoundPlace> {
  const { path, text } = file;
  const place = (index: number, length: number): At => ({
    file: path,
    line: lineOf(index),
    excerpt: () => excerptOf(text, index, length, redact),
  });
  for (const { index, text: run } of hiddenRuns(text)) {
    yield { ...findingOf(run, index, file), ...place(index, run.length) };
  }
  for (const { index, length } of lookAlikes(text)) {
    yield {
      rule: 'unicode-look-alike',
      ...place(index, Math.min(length, 60)),
      sentence:
        'A word mixes Latin and Cyrillic letters that look the same, so it is not the word that you read. Compare it with the word that it imitates.',
    };
  }
}

function findingOf(
  run: string,
  index: number,
  { text, language }: TextFile,
): Pick<FoundPlace, 'rule' | 'sentence' | 'severity'> {
  if (/[\u{E0000}-\u{E007F}]/u.test(run)) {
    return {
      rule: 'unicode-tags',
      sentence: `${count(run)} invisible tag characters: models read them as letters, people see nothing. Refused: no honest skill needs them.`,
    };
  }
  if (/[\u202A-\u202E\u2066-\u2069]/.test(run)) {
    const isSpoken =
      language === undefined && /[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(lineAround(text, index));
    const isOverride = /[\u202D\u202E]/.test(run);
    return {
      rule: 'unicode-bidi',
      severity: isSpoken && !isOverride ? 'note' : 'high',
      sentence:
        'Bidirectional controls: the text is displayed in another order than programs read it (CVE-2021-42574). Read it with a tool that shows them.',
    };
  }
  return {
    rule: 'unicode-invisible',
    severity: run.length > honestRun ? 'high' : isHarmless(run) ? 'note' : 'medium',
    sentence: `Invisible or control characters (${count(run)} in a row): they can hide text from people, or split a word that a check looks for. Remove them.`,
  };
}

function count(run: string): number {
  return [...run].length;
}

/** Returns the line around a place, at most 200 characters on each side. */
function lineAround(text: string, index: number): string {
  const before =
    text
      .slice(Math.max(0, index - 200), index)
      .split('\n')
      .at(-1) ?? '';
  return before + (text.slice(index, index + 200).split('\n', 1)[0] ?? '');
}

/** Words of Latin letters with a Cyrillic one, which looks the same. */
function* lookAlikes(text: string): Generator<{ index: number; length: number }> {
  if (!/\p{Script=Cyrillic}/u.test(text)) return;
  for (const { index, 0: word } of text.matchAll(/[\p{L}\p{M}\d_]+/gu)) {
    const isMixed = /[a-z]{2}/i.test(word) && imitates.test(word);
    if (isMixed) yield { index, length: word.length };
  }
}

/** All Cyrillic letters of the word look Latin. In `APIшный`, which is Russian, one does not. */
const imitates = /^(?=.*\p{Script=Cyrillic})(?:[АВЕКМНОРСТХІЈЅаеорсухіјѕԁһ]|\P{Script=Cyrillic})+$/u;
