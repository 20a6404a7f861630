import { AmbitError, AmbitProblem, type Denial, type ExecuteAnswer, type FileChange } from '@ambit/client';

/** Skills can return megabytes, which no model can use. */
const charactersMax = 50_000;

/**
 * The text for the model about a call that ran: the output, or why there is none. A denial includes
 * the configuration that grants what is missing; the model passes it on and cannot apply it.
 */
export function answerText(skillId: string, answer: ExecuteAnswer): string {
  return [...ranLines(skillId, answer), ...denialLines(answer.denials)].join('\n');
}

/**
 * The text for the model about a call that did not run. Rethrows other errors, such as the user's
 * cancellation.
 */
export function refusalText(skillId: string, error: unknown): string {
  if (error instanceof AmbitProblem) {
    const message = `${skillId} was not run (${error.code}): ${error.message}`;
    return [message, ...denialLines(error.denials)].join('\n');
  }
  if (!(error instanceof AmbitError)) throw error;
  return `${skillId} has no answer (${error.code}): ${error.message}. You cannot change this: tell the user.`;
}

function ranLines(skillId: string, { outcome, files = [] }: ExecuteAnswer): string[] {
  if (outcome.status === 'succeeded') return [cut(outputText(outcome.output)), ...files.map(fileText)];
  return [`${skillId} ran and did not succeed: ${cut(JSON.stringify(outcome))}`, ...files.map(fileText)];
}

/** The output as JSON; of a command, its two streams without the JSON around them, which is clearer to a model. */
function outputText(output: unknown): string {
  const { stdout, stderr, exitCode } = (output ?? {}) as Record<string, unknown>;
  if (typeof stdout !== 'string' || typeof stderr !== 'string' || exitCode !== 0)
    return JSON.stringify(output);
  return stderr === '' ? stdout : `${stdout}\n[stderr]\n${stderr}`;
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
    'Not granted, and you cannot grant it. Tell the user what is missing and how to grant it:',
    ...denials.map(
      ({ capability, requested, reason, remedy }) =>
        `- ${capability}${requested === 'granted' ? '' : ` ${requested}`} ${reason}. To grant it: ${remedy}`,
    ),
  ];
}
