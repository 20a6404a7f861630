import type { Denial } from '@ambit/core';
import type { AnsweredFile, DaemonAnswer } from './daemon.ts';

/** A skill may answer megabytes; a model has no use for them. */
const charactersMax = 50_000;

/**
 * What the model is told of a call: the output, or in words why there is none. A denial comes with the line of
 * configuration that grants what is missing, which the model passes on and cannot write itself.
 */
export function answerText(skillId: string, answer: DaemonAnswer): string {
  switch (answer.kind) {
    case 'ran':
      return [...ranLines(skillId, answer), ...denialLines(answer.denials)].join('\n');
    case 'refused':
      return [
        `${skillId} was not run (${answer.code}): ${answer.detail}`,
        ...denialLines(answer.denials),
      ].join('\n');
    case 'unreachable':
      return `${skillId} was not run: ${answer.reason}. Tell the user to start the daemon with: npm start`;
    default:
      return answer satisfies never;
  }
}

function ranLines(
  skillId: string,
  { outcome, files = [] }: Extract<DaemonAnswer, { kind: 'ran' }>,
): string[] {
  if (outcome.status === 'succeeded') return [cut(JSON.stringify(outcome.output)), ...files.map(fileText)];
  return [`${skillId} ran and did not succeed: ${cut(JSON.stringify(outcome))}`, ...files.map(fileText)];
}

function fileText({ path, change, bytes, text }: AnsweredFile): string {
  const what = `${change} ${JSON.stringify(path)}, ${bytes} bytes`;
  return text === undefined ? `It ${what}.` : `It ${what}:\n${cut(text)}`;
}

function cut(text: string): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax)}\n[cut here: ${text.length - charactersMax} more characters]`;
}

function denialLines(denials: readonly Denial[] = []): string[] {
  if (denials.length === 0) return [];
  return [
    'Not granted, and you cannot grant it. Tell the user what is missing and how it is granted:',
    ...denials.map(
      ({ capability, requested, reason, remedy }) =>
        `- ${capability} ${requested}: ${reason}. To grant it: ${remedy}`,
    ),
  ];
}
