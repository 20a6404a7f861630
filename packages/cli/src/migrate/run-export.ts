import { resolve } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { type ExportKind, exportSkills } from '@ambit/migrate';
import type { CommandContext } from '../command/define-command.ts';
import type { ExportFlags } from '../command/migrate-options.ts';
import { plural } from '../output/plural.ts';
import { printableLine } from '../output/printable.ts';
import { whileWaiting } from '../output/progress-line.ts';
import { reportText } from './report-text.ts';

/** Runs `ambit export`. */
export async function runExport(
  context: CommandContext,
  flags: ExportFlags,
  { kind, ids }: { kind: ExportKind; ids: readonly string[] },
): Promise<void> {
  const { print } = context;
  const config = await context.loadConfig(flags);
  const { catalogOf } = await import('@ambit/server/local');
  const { phases, agents } = config;
  const skills = chosen(await catalogOf(config, context.terminal.env).list(), ids);
  const { force = false } = flags;
  const out = resolve(context.terminal.cwd(), flags.out);
  const report = await whileWaiting(context.terminal, print, 'export', () =>
    exportSkills({ kind, skills, settings: { phases, agents }, out, force }),
  );
  const [first] = report.existing;
  if (first !== undefined && !force)
    throw new UsageError(
      `${out} already contains ${first}; choose another folder with --out, or replace files with --force`,
    );
  context.exitCode = report.written.length === 0 ? 3 : 0;
  if (print.json) print.document(report);
  else
    print.lines(
      ...reportText(print, report.lines),
      `${plural(skills.length, 'skill')} in ${plural(report.written.length, 'file')} written to ${printableLine(flags.out)}; ${plural(report.lines.length, 'note')} above`,
    );
}

function chosen(skills: readonly Skill[], ids: readonly string[]): readonly Skill[] {
  if (ids.length === 0) return skills;
  const unknown = ids.filter((id) => !skills.some((skill) => skill.id === id));
  if (unknown.length === 0) return skills.filter(({ id }) => ids.includes(id));
  throw new SkillError(
    'SKILL_NOT_FOUND',
    `unknown skill: ${unknown.join(', ')}; "ambit skills list" shows all skills`,
  );
}
