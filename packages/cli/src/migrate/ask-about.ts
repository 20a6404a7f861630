import type { PlannedMerge } from '@ambit/migrate';
import { Refusal } from '@ambit/server/errors';
import { onInterrupt } from '@ambit/server/signals';
import { linesOf } from '../command/ask.ts';
import type { Printer } from '../output/printer.ts';
import type { Terminal } from '../output/terminal.ts';
import { mergeText } from './merge-text.ts';

/**
 * Asks on stderr about each merge of kind `ask`: y takes the learned skill, n preserves the existing
 * one, all takes this and the rest. Resolves to `undefined` for quit and at the end of input: nothing
 * may change. Throws `INTERRUPTED` at Ctrl-C.
 */
export async function askAbout(
  merges: readonly PlannedMerge[],
  terminal: Pick<Terminal, 'stdin' | 'stderr' | 'on' | 'off'>,
  print: Printer,
): Promise<PlannedMerge[] | undefined> {
  const { stdin, stderr } = terminal;
  const answers = linesOf(stdin);
  let isInterrupted = false;
  // The default handler would leave the staging folder behind.
  const ignoreInterrupt = onInterrupt(terminal, () => {
    isInterrupted = true;
    stdin.destroy();
  });
  const answered: PlannedMerge[] = [];
  let all = false;
  try {
    for (const merge of merges) {
      if (merge.action.kind !== 'ask') {
        answered.push(merge);
        continue;
      }
      if (!all) print.note(...mergeText(print, merge));
      const answer: Answer = all ? 'y' : await ask(answers, stderr);
      if (isInterrupted) break;
      if (answer === 'quit') return undefined;
      all ||= answer === 'all';
      const { id, phases } = merge.action;
      answered.push({
        ...merge,
        action: answer === 'n' ? { kind: 'keep', id, why: 'declined' } : { kind: 'replace', id, phases },
      });
    }
  } catch (error) {
    if (!isInterrupted) throw error;
  } finally {
    await answers.return(undefined).catch(() => undefined);
    ignoreInterrupt();
  }
  if (isInterrupted) throw new Refusal('INTERRUPTED', 'interrupted: nothing was changed');
  return answered;
}

type Answer = 'y' | 'n' | 'all' | 'quit';

async function ask(answers: AsyncGenerator<string, undefined>, stderr: Terminal['stderr']): Promise<Answer> {
  for (;;) {
    stderr.write('Replace it with the learned skill? (y)es, (n)o, (a)ll, (q)uit: ');
    const { done, value } = await answers.next();
    const answer = done === true ? 'quit' : known[(value ?? '').trim().toLowerCase()];
    if (answer !== undefined) return answer;
  }
}

const known: Readonly<Record<string, Answer>> = {
  y: 'y',
  yes: 'y',
  n: 'n',
  no: 'n',
  a: 'all',
  all: 'all',
  q: 'quit',
  quit: 'quit',
};
