import type { SkillList, SkillSummary } from '@ambit/api';
import { missingRoots } from '@ambit/server/config';
import { allSkills } from '../../command/all-skills.ts';
import { defineCommand } from '../../command/define-command.ts';
import { nextCommand, type RepeatedFlags } from '../../output/next-command.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { table } from '../../output/table.ts';

/** `ambit skills list` */
export const skillsList = defineCommand({
  name: 'skills list',
  summary: 'list skills',
  description:
    'List the skills of all configured folders. KIND is runtime/protocol for an executable skill, and prompt for one with only instructions. Unusable folders and warnings follow.',
  remote: true,
  examples: {
    'ambit skills list': 'as a table',
    [`ambit skills list --json | jq -r '.broken[].root'`]: 'the unusable folders',
  },
  async run({ client, loadConfig, print }, flags) {
    const config = await loadConfig(flags);
    const answer = await allSkills(await client(config));
    if (print.json) print.document(answer);
    else print.lines(...listText(print, answer, flags));
    // A daemon at --url has folders of its own.
    const missing = config.daemon?.url === undefined ? await missingRoots(config.skills) : [];
    print.note(...missing.map((warning) => printableLine(`warning: ${warning}`)));
  },
});

function row({ id, alias, version, tier, executable, run, description }: SkillSummary): string[] {
  const without = executable ? 'scripts' : 'prompt';
  const kind = run === null ? without : `${run.runtime}/${run.protocol}`;
  return [id, alias ?? '-', version ?? '-', tier, kind, description];
}

function listText(
  print: Printer,
  { skills, broken, brokenCount }: Omit<SkillList, 'next'>,
  flags: RepeatedFlags,
): string[] {
  const rows = skills.map(row);
  const all = [['ID', 'ALIAS', 'VERSION', 'TIER', 'KIND', 'DESCRIPTION'], ...rows];
  const hasAliases = rows.some(([, alias]) => alias !== '-');
  const shown = hasAliases ? all : all.map(([id = '', , ...others]) => [id, ...others]);
  const [head = '', ...lines] = table(shown, print.width);
  const warnings = skills.flatMap(({ id, warnings }) =>
    warnings.map((warning) => `  ${printableLine(id)}: ${printableLine(warning)}`),
  );
  return [
    ...(skills.length === 0
      ? [
          nextCommand('No skills in the configured folders. To see the folders, run: ambit config', flags, {
            isLocal: true,
          }),
        ]
      : [print.style('bold', head), ...lines]),
    ...(broken.length === 0 ? [] : ['', print.style('red', 'Unusable folders:')]),
    ...broken.map(({ root, problem }) => `  ${printableLine(root)}: ${printableLine(problem)}`),
    ...(brokenCount > broken.length ? [`  … and ${brokenCount - broken.length} more`] : []),
    ...(warnings.length === 0 ? [] : ['', print.style('yellow', 'Warnings:'), ...warnings]),
  ];
}
