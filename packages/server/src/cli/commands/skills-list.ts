import type { BrokenSkill, Skill } from '@ambit/core';
import type { Command } from 'commander';
import type { Printer } from '../printer.ts';
import { printableLine } from '../text/printable.ts';
import { table } from '../text/table.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

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
      const catalog = context.actions.catalog(await context.actions.loadConfig(flags));
      const found = await catalog.list();
      const broken = await catalog.broken();
      if (print.json) print.document({ skills: found.map(summary), broken });
      else print.lines(...listText(print, found, broken));
    });
}

function summary({ id, manifest, sidecar, tier, digest, root, warnings }: Skill): object {
  const { run } = sidecar;
  return {
    id,
    version: sidecar.version ?? null,
    tier,
    run: run === undefined ? null : { runtime: run.runtime, protocol: run.protocol },
    description: manifest.description,
    digest,
    root,
    warnings,
  };
}

function listText(print: Printer, skills: readonly Skill[], broken: readonly BrokenSkill[]): string[] {
  const rows = skills.map(({ id, sidecar, scripts, tier, manifest }) => [
    id,
    sidecar.version ?? '-',
    tier,
    sidecar.run === undefined
      ? scripts.length > 0
        ? 'scripts'
        : 'prompt'
      : `${sidecar.run.runtime}/${sidecar.run.protocol}`,
    manifest.description,
  ]);
  const [head = '', ...lines] = table(
    [['ID', 'VERSION', 'TIER', 'KIND', 'DESCRIPTION'], ...rows],
    print.width,
  );
  const warnings = skills.flatMap(({ id, warnings }) =>
    warnings.map((warning) => `  ${id}: ${printableLine(warning)}`),
  );
  return [
    ...(skills.length === 0
      ? ['There are no skills in the configured folders; ambit config shows which those are.']
      : [print.style('bold', head), ...lines]),
    ...(broken.length === 0 ? [] : ['', print.style('red', 'Cannot be used:')]),
    ...broken.map(({ root, problem }) => `  ${printableLine(root)}: ${printableLine(problem)}`),
    ...(warnings.length === 0 ? [] : ['', print.style('yellow', 'Warnings:'), ...warnings]),
  ];
}
