import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MergeMode } from '@ambit/core';
import { type Command, Option } from 'commander';
import { CliError } from '../../cli-error.ts';
import { applyMerge, keptAt } from '../../merge/apply-merge.ts';
import { askAbout } from '../../merge/ask-about.ts';
import type { RefusedFolder } from '../../merge/copy-learned.ts';
import { mergeText } from '../../merge/merge-text.ts';
import { type MergePlan, type PlannedMerge, planMerge } from '../../merge/plan-merge.ts';
import type { Printer } from '../../printer.ts';
import { printableLine } from '../../text/printable.ts';
import { type CommandContext, examples, flagsOf } from '../command-context.ts';

interface MergeFlags {
  into: string;
  mode: MergeMode;
  dryRun?: boolean;
}

/** `ambit skills merge` */
export function addSkillsMerge(skills: Command, context: CommandContext): void {
  skills
    .command('merge')
    .summary('take learned skills over into a folder of skills')
    .description(
      'Takes skills that an agent has learned over into a folder of skills. New ones are added. Of one that is there, append keeps the definition and adds the learned phases, replace takes the learned one and keeps the old aside, and ask asks. Each is checked strictly first, nothing of it is executed, and one with a link in it is refused.',
    )
    .argument('<folder>', 'a learned skill, or a folder of them')
    .requiredOption('--into <dir>', 'the folder of skills; made if it is not there')
    .addOption(
      new Option('--mode <mode>', 'for skills that are there already')
        .choices(['append', 'replace', 'ask'])
        .default('append'),
    )
    .option('--dry-run', 'only show what would happen')
    .addHelpText(
      'after',
      examples(
        ['ambit skills merge ./learned --into ./skills --dry-run', 'see it first'],
        ['ambit skills merge ./learned --into ./skills --mode ask', 'decide each'],
      ),
    )
    .action(async (folder: string, _options, command: Command) => {
      const { flags, print } = flagsOf<MergeFlags>(context, command);
      const { terminal } = context;
      const { mode, dryRun = false } = flags;
      if (mode === 'ask' && !dryRun && terminal.stdin.isTTY !== true) {
        throw new CliError(
          'USAGE_INVALID',
          'mode ask needs a terminal to ask on; look with --dry-run, then give --mode append or --mode replace',
        );
      }
      const place = resolve(terminal.cwd(), flags.into);
      // Resolved, so that a skill's own place can be compared with it.
      const into = await realpath(place).catch(() => place);
      // Elsewhere until all is decided: whoever gives up at a question leaves nothing in the folder of skills.
      const staging = await stagingFolder();
      try {
        const plan = await planMerge(resolve(terminal.cwd(), folder), into, staging, mode);
        const merges = dryRun ? plan.merges : await askAbout(plan.merges, terminal, print);
        if (merges !== undefined && !dryRun) await applyMerge(merges, into);
        report(
          print,
          { merges: merges ?? [], refused: plan.refused },
          { dryRun, quit: merges === undefined },
        );
        context.exitCode = plan.refused.length > 0 ? 3 : 0;
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    });
}

async function stagingFolder(): Promise<string> {
  try {
    return await mkdtemp(join(await realpath(tmpdir()), 'ambit-merge-'));
  } catch (cause) {
    throw new CliError(
      'USAGE_INVALID',
      `the folder for temporary files, ${tmpdir()}, cannot be used (${(cause as Error).message}): make it, or set TMPDIR to another`,
      { cause },
    );
  }
}

function report(
  print: Printer,
  { merges, refused }: MergePlan,
  { dryRun, quit }: { dryRun: boolean; quit: boolean },
): void {
  if (print.json) {
    print.document({ dryRun, quit, actions: merges.map(actionJson), refused });
    return;
  }
  print.lines(
    ...merges.flatMap((merge) => mergeText(print, merge)),
    ...refused.flatMap((folder) => refusedText(print, folder)),
    ...(quit || dryRun ? ['Nothing was changed.'] : []),
  );
}

function actionJson(merge: PlannedMerge): object {
  return { ...merge.action, keptAt: keptAt(merge) ?? null };
}

function refusedText(print: Printer, { id, problems }: RefusedFolder): string[] {
  return [
    `${print.style('red', 'refused ')} ${printableLine(id)}`,
    ...problems.map((problem) => `           ${printableLine(problem)}`),
  ];
}
