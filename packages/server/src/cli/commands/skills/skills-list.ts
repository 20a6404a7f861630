import { isExecutable, type Skill } from '@ambit/core';
import type { Command } from 'commander';
import type { SkillSummary } from '../../../wire/answer/skill.ts';
import type { Printer } from '../../printer.ts';
import { printableLine } from '../../text/printable.ts';
import { table } from '../../text/table.ts';
import { type CommandContext, examples, flagsOf } from '../command-context.ts';

/** `ambit skills list` */
export function addSkillsList(skills: Command, context: CommandContext): void {
  skills
    .command('list')
    .summary('list the skills of every configured folder')
    .description(
      'Lists the skills of every configured folder. KIND is runtime/protocol for a skill that can be executed, and prompt for one that only has instructions. Folders that cannot be used, and warnings, follow below.',
    )
    .addHelpText(
      'after',
      examples(
        ['ambit skills list', 'a table'],
        [`ambit skills list --json | jq -r '.broken[].root'`, 'the folders that cannot be used'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const config = await context.actions.loadConfig(flags);
      const library = await context.actions.connectLibrary(config);
      if (library !== undefined) {
        const answer = await library.skills();
        if (print.json) print.document(answer);
        else print.lines(...listText(print, answer.skills.map(remoteRow), answer));
        return;
      }
      const catalog = context.actions.catalog(config);
      const [skills, broken] = [await catalog.list(), await catalog.broken()];
      const brokenCount = broken.length;
      if (print.json) print.document({ skills: skills.map(summary), broken, brokenCount });
      else print.lines(...listText(print, skills.map(row), { skills, broken, brokenCount }));
    });
}

function summary({ id, manifest, sidecar, scripts, tier, digest, root, warnings }: Skill): object {
  const { run } = sidecar;
  return {
    id,
    version: sidecar.version ?? null,
    tier,
    executable: isExecutable({ sidecar, scripts }),
    run: run === undefined ? null : { runtime: run.runtime, protocol: run.protocol },
    description: manifest.description,
    digest,
    root,
    warnings,
  };
}

function row({ id, sidecar, scripts, tier, manifest }: Skill): string[] {
  const { version, run } = sidecar;
  const without = isExecutable({ sidecar, scripts }) ? 'scripts' : 'prompt';
  const kind = run === undefined ? without : `${run.runtime}/${run.protocol}`;
  return [id, version ?? '-', tier, kind, manifest.description];
}

/** A daemon's listing says whether there is anything to run, and `skills show` how. */
function remoteRow({ id, version, tier, executable, description }: SkillSummary): string[] {
  return [id, version ?? '-', tier, executable ? 'tool' : 'prompt', description];
}

function listText(
  print: Printer,
  rows: readonly string[][],
  found: {
    skills: readonly Pick<Skill, 'id' | 'warnings'>[];
    broken: readonly { root?: string; problem: string }[];
    brokenCount: number;
  },
): string[] {
  const { skills, broken, brokenCount } = found;
  const [head = '', ...lines] = table(
    [['ID', 'VERSION', 'TIER', 'KIND', 'DESCRIPTION'], ...rows],
    print.width,
  );
  const warnings = skills.flatMap(({ id, warnings }) =>
    warnings.map((warning) => `  ${printableLine(id)}: ${printableLine(warning)}`),
  );
  return [
    ...(skills.length === 0
      ? ['There are no skills in the configured folders; ambit config shows which those are.']
      : [print.style('bold', head), ...lines]),
    ...(broken.length === 0 ? [] : ['', print.style('red', 'Cannot be used:')]),
    ...broken.map(({ root = '', problem }) => `  ${printableLine(root)}: ${printableLine(problem)}`),
    ...(brokenCount > broken.length ? [`  … and ${brokenCount - broken.length} more`] : []),
    ...(warnings.length === 0 ? [] : ['', print.style('yellow', 'Warnings:'), ...warnings]),
  ];
}
