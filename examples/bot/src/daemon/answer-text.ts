import { AmbitError, AmbitProblem, type Denial, type ExecuteAnswer, type FileChange } from '@ambit/client';

/** A skill may answer megabytes; a model has no use for them. */
const charactersMax = 50_000;

/**
 * What the model is told of a call that ran: the output, or in words why there is none. A denial comes with the line of
 * configuration that grants what is missing, which the model passes on and cannot write itself.
 */
export function answerText(skillId: string, answer: ExecuteAnswer): string {
  return [...ranLines(skillId, answer), ...denialLines(answer.denials)].join('\n');
}

/** What it is told of one that did not: refused, or without an answer. Throws what is neither, as that the user stopped. */
export function refusalText(skillId: string, error: unknown): string {
  if (error instanceof AmbitProblem) {
    const said = `${skillId} was not run (${error.code}): ${error.message}`;
    return [said, ...denialLines(error.denials)].join('\n');
  }
  if (!(error instanceof AmbitError)) throw error;
  return `${skillId} has no answer: ${error.message}. Tell the user to start the daemon with: npm start`;
}

function ranLines(skillId: string, { outcome, files = [] }: ExecuteAnswer): string[] {
  if (outcome.status === 'succeeded') return [cut(JSON.stringify(outcome.output)), ...files.map(fileText)];
  return [`${skillId} ran and did not succeed: ${cut(JSON.stringify(outcome))}`, ...files.map(fileText)];
}

function fileText({ path, change, bytes, text }: FileChange): string {
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
        `- ${capability}${requested === 'granted' ? '' : ` ${requested}`} ${reason}. To grant it: ${remedy}`,
    ),
  ];
}
