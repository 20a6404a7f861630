import type { SkillSummary } from '@ambit/api';
import { isExecutable, type Skill } from '@ambit/core';
import { missingRoots } from '../../../config/skill-warnings.ts';
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
  async run({ actions, print }, flags) {
    const config = await actions.loadConfig(flags);
    const library = await actions.connectLibrary(config);
    if (library !== undefined) {
      const answer = await library.skills();
      if (print.json) print.document(answer);
      else print.lines(...listText(print, answer.skills.map(remoteRow), answer, flags));
      return;
    }
    const catalog = actions.catalog(config);
    const [skills, broken] = [await catalog.list(), await catalog.broken()];
    const brokenCount = broken.length;
    if (print.json) print.document({ skills: skills.map(summary), broken, brokenCount });
    else print.lines(...listText(print, skills.map(row), { skills, broken, brokenCount }, flags));
    print.note(...(await missingRoots(config.skills)).map((warning) => printableLine(`warning: ${warning}`)));
  },
});

function summary({ id, alias, manifest, sidecar, scripts, tier, digest, root, warnings }: Skill): object {
  const { run } = sidecar;
  return {
    id,
    alias: alias ?? null,
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

function row({ id, alias, sidecar, scripts, tier, manifest }: Skill): string[] {
  const { version, run } = sidecar;
  const without = isExecutable({ sidecar, scripts }) ? 'scripts' : 'prompt';
  const kind = run === undefined ? without : `${run.runtime}/${run.protocol}`;
  return [id, alias ?? '-', version ?? '-', tier, kind, manifest.description];
}

/** A daemon's list only says whether a skill is executable; `skills show` has the runtime. */
function remoteRow({ id, alias, version, tier, executable, description }: SkillSummary): string[] {
  return [id, alias ?? '-', version ?? '-', tier, executable ? 'tool' : 'prompt', description];
}

function listText(
  print: Printer,
  rows: readonly string[][],
  found: {
    skills: readonly Pick<Skill, 'id' | 'warnings'>[];
    broken: readonly { root?: string; problem: string }[];
    brokenCount: number;
  },
  flags: RepeatedFlags,
): string[] {
  const { skills, broken, brokenCount } = found;
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
    ...broken.map(({ root = '', problem }) => `  ${printableLine(root)}: ${printableLine(problem)}`),
    ...(brokenCount > broken.length ? [`  … and ${brokenCount - broken.length} more`] : []),
    ...(warnings.length === 0 ? [] : ['', print.style('yellow', 'Warnings:'), ...warnings]),
  ];
}
