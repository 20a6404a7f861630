import { dirname, relative } from 'node:path';
import { isExecutable } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import type { ExcludedItem, Proposal, ProposedItem } from '@ambit/core/policy';
import { declaredRuns } from '@ambit/core/skill';
import type { LocalProposal } from '@ambit/server/local';
import { type ChangedFile, type ChangedText, unifiedDiff } from '@ambit/server/propose';
import { decisionText, shellWord } from '@ambit/server/trust';
import { type AnsweredCall, outcomeText } from '@ambit/server/wire';
import type { CommandContext } from '../../command/define-command.ts';
import { nextCommand } from '../../output/next-command.ts';
import { plural } from '../../output/plural.ts';
import { printable, printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { table } from '../../output/table.ts';

/** A proposal to print. */
interface Printed {
  /** The trial, if it ran. */
  ran: AnsweredCall | undefined;
  found: LocalProposal;
  patch: Patch;
  /** The effects of the change; absent: nothing was changed. */
  done: readonly string[] | undefined;
}

/** Prints the change as a patch, and explains it. */
export function printProposal(
  context: Pick<CommandContext, 'terminal' | 'flags' | 'configFile' | 'print'>,
  { ran, found, patch, done }: Printed,
  { broad }: { broad: boolean },
): void {
  const { print } = context;
  if (print.json) {
    print.document({
      ...found.proposal,
      files: patch.files,
      review: found.changes.length > 0 ? found.review : undefined,
      written: done !== undefined,
      upstream: found.upstream.length > 0 ? found.upstream.map(upstreamDiff) : undefined,
      trial: ran && { executionId: ran.executionId, outcome: ran.outcome, unmet: found.unmet },
    });
    return;
  }
  if (ran !== undefined) {
    print.skillLog(errorsOf(ran));
    print.note(...trialLines(ran, found));
  }
  print.note(...explanation(print, found.proposal), ...upstreamLines(found));
  if (done === undefined) print.skillOutput(patch.files.map(({ diff }) => diff).join(''));
  print.note(...nextLines(context, found, { patch, broad, done }));
}

function upstreamDiff({ before, after }: ChangedFile): { path: string; diff: string } {
  return { path: 'ambit.yaml', diff: unifiedDiff({ name: 'ambit.yaml', before, after }) };
}

/** The request that an installed skill lacks. */
function upstreamLines({ skill: { id }, upstream }: LocalProposal): string[] {
  if (upstream.length === 0) return [];
  return [
    '',
    `${id} is installed, so its ambit.yaml stays as it was approved. Send this change to its author, or install a copy with it:`,
    ...upstream.flatMap((each) => printable(upstreamDiff(each).diff).trimEnd().split('\n')),
  ];
}

/** The stderr of a run. stdout of the command has the patch alone. */
function errorsOf({ outcome, log }: AnsweredCall): string {
  return 'stderr' in outcome && outcome.stderr !== undefined ? outcome.stderr : log;
}

/** Describes the end of the trial, and what it cannot show. */
function trialLines({ outcome, hint }: AnsweredCall, { skill: { id }, unmet }: LocalProposal): string[] {
  const ended =
    outcome.status === 'succeeded'
      ? [`${id} succeeded with nothing granted.`]
      : [
          ...outcomeText(id, outcome, { hint }).map(printableLine),
          'It ran with nothing granted, and may have stopped at the first thing that it lacked. After the change, call it; if it lacks more, repeat this command without --trial.',
        ];
  return [
    ...ended,
    ...(unmet.length === 0
      ? []
      : [
          'It also requests the following, and the trial did not show that it needs it. Calls are refused until you grant each, or remove it from its request:',
          ...unmet.map((each) => `  ${printableLine(each)}`),
        ]),
    '',
  ];
}

/** The change as patches below one folder. */
interface Patch {
  folder: string;
  files: readonly { path: string; diff: string }[];
}

/** Throws `USAGE_INVALID` for a path that could change the patch. */
export function patchOf(changes: readonly ChangedFile[], cwd: string): Patch {
  let folder = cwd;
  // `patch` refuses absolute paths and paths with "..".
  while (changes.some(({ path }) => nameIn(folder, path).startsWith('../'))) folder = dirname(folder);
  const odd = changes.find(({ path }) => /["\\\p{Cc}]/u.test(path));
  if (odd !== undefined)
    throw new UsageError(
      `cannot write a patch for ${JSON.stringify(odd.path)}: rename its folder, without quotes, backslashes and control characters`,
    );
  return {
    folder,
    files: changes.map(({ path, before, after }) => {
      const text: ChangedText = { name: nameIn(folder, path), before, after };
      return { path, diff: unifiedDiff(text) };
    }),
  };
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path);
}

function explanation(print: Printer, { skill, records, items, excluded, unused }: Proposal): string[] {
  if (records.count === 0) return [`The log has no calls of ${skill}.`];
  const { count, refused, first, last, more, cut } = records;
  const older = more ? ', and left out older ones' : '';
  const lines = [
    `Read ${plural(count, 'record')} of ${skill}, from ${first} to ${last}${older}.`,
    items.length + excluded.length === 0
      ? 'Its current grant covers everything that these calls needed.'
      : `${plural(refused, 'call')} lacked something.`,
  ];
  return [
    ...lines,
    ...(cut ? ['More than 100 different refusals: the oldest are left out.'] : []),
    ...(items.length === 0 ? [] : ['', ...itemLines(print, items)]),
    ...(excluded.length === 0 ? [] : ['', 'Not proposed:', ...excluded.map(excludedLine)]),
    ...(unused.length === 0
      ? []
      : [
          '',
          'Granted, but used by none of these calls. Consider removing each here and in the request of the skill:',
          ...unused.map(({ capability, item }) => `  ${printableLine(`${capability} ${item}`)}`),
        ]),
  ];
}

function itemLines(print: Printer, items: readonly ProposedItem[]): string[] {
  const rows = items.map((each) => [
    String(each.calls),
    each.first,
    each.last,
    { refusal: 'refused', output: 'printed', script: 'named' }[each.from],
    [...(each.grant ? ['grant'] : []), ...each.scripts.map(requestName)].join(', '),
    `${each.capability} ${each.item}`,
  ]);
  const [head = '', ...lines] = table(
    [['CALLS', 'FIRST', 'LAST', 'HOW', 'MISSING IN', 'ITEM'], ...rows],
    print.width,
    Number.POSITIVE_INFINITY,
  );
  const warned = items.flatMap(({ capability, item, warning, broad }) =>
    warning === null
      ? []
      : [printableLine(`warning: ${capability} ${item} ${warning}${broad ? ' (broad)' : ''}`)],
  );
  return [
    'Each item is a decision: a skill can cause refusals on purpose. Grant only what its work explains.',
    ...(items.some(({ from }) => from === 'output')
      ? ['"printed" items come from error messages of the skill, which can print anything.']
      : []),
    ...(items.some(({ from }) => from === 'script')
      ? ['"named" items are programs that the text of its scripts names and this machine has.']
      : []),
    print.style('bold', head),
    ...lines,
    ...warned,
  ];
}

function requestName(script: string | null): string {
  return script === null ? 'request' : `request of ${script}`;
}

function excludedLine({ capability, item, reason, remedy, calls, last }: ExcludedItem): string {
  const what = `${capability} ${item} ${reason} (${plural(calls, 'call')}, last ${last})`;
  return `  ${printableLine(`${what}. To change that: ${remedy}`)}`;
}

/** Describes the next step, and the command for it. */
function nextLines(
  context: Pick<CommandContext, 'terminal' | 'flags' | 'configFile'>,
  { skill, proposal, changes }: LocalProposal,
  { patch, broad, done }: Pick<Printed, 'patch' | 'done'> & { broad: boolean },
): string[] {
  const { flags } = context;
  const command = (text: string): string => nextCommand(text, flags, { isLocal: true });
  const { id } = skill;
  if (proposal.records.count === 0) {
    if (!isExecutable(skill)) return [`${id} has only instructions, so it needs no grant.`];
    const input = declaredRuns(skill)[0]?.run.protocol === 'json' ? ' --input FILE' : ' -- ARGUMENTS';
    return [
      'Run it once. If Ambit refuses something, repeat this command.',
      `Next: ${nextCommand(`ambit run ${id}`, flags)}${input}`,
    ];
  }
  const left = proposal.items.filter(({ broad }) => broad).length;
  const broadLines =
    left === 0 || broad
      ? []
      : ['', `The change leaves out ${plural(left, 'broad item')}. To include broad items, add --broad.`];
  if (changes.length === 0) {
    return [...broadLines, `Next: ${command(`ambit audit --skill ${id}`)}`];
  }
  const again = ['ambit skills propose', id, ...(broad ? ['--broad'] : [])].join(' ');
  if (done === undefined)
    return [
      ...broadLines,
      '',
      decisionText(
        context.terminal,
        `To apply the change, add --write, or pipe it to: patch -p0 -d ${shellWord(patch.folder)}\nNext: ${command(`${again} --write`)}`,
        'A person decides, in a terminal, whether to apply the change.',
      ),
    ];
  return [
    ...broadLines,
    '',
    ...done,
    ...(proposal.requests.length === 0 || skill.isInstalled === true
      ? []
      : [`${id} has a new digest, because its ambit.yaml changed.`]),
    `Next: ${nextCommand(`ambit run ${id}`, flags)}`,
  ];
}
