import { resolve } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import { type ExportKind, exportKinds, exportSkills } from '@ambit/runtime';
import { Argument, type Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { whileWaiting } from '../live/while-waiting.ts';
import { printableLine } from '../text/printable.ts';
import { reportText } from '../text/report-text.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

interface ExportFlags {
  out: string;
  force?: boolean;
}

/** `ambit export` */
export function addExport(program: Command, context: CommandContext): void {
  program
    .command('export')
    .summary("write skills in another system's format")
    .description(
      "Writes skills in another system's format, and prints what that cannot hold, one line each. Nothing is written where one of the files is there already, unless --force.",
    )
    .addArgument(new Argument('<kind>', 'what it is exported to').choices(exportKinds))
    .argument('[id...]', 'skills (default: every configured one)')
    .requiredOption('--out <dir>', 'the folder that gets the files')
    .option('--force', 'replace what is there')
    .addHelpText(
      'after',
      examples(
        ['ambit export wreckit --out exported', 'every skill'],
        ['ambit export agentium plan test --out exported', 'two of them'],
      ),
    )
    .action(async (kind: ExportKind, ids: string[], _options, command: Command) => {
      const { flags, print } = flagsOf<ExportFlags>(context, command);
      const config = await context.actions.loadConfig(flags);
      const { phases, agents } = config;
      const skills = chosen(await context.actions.catalog(config).list(), ids);
      const { force = false } = flags;
      const out = resolve(context.terminal.cwd(), flags.out);
      const report = await whileWaiting(context.terminal, print, 'export', () =>
        exportSkills({ kind, skills, settings: { phases, agents }, out, force }),
      );
      const [first] = report.kept;
      if (first !== undefined && !force)
        throw new CliError(
          'USAGE_INVALID',
          `${out} has ${first} already; name another folder with --out, or replace what is there with --force`,
        );
      context.exitCode = report.written.length === 0 ? 3 : 0;
      if (print.json) print.document(report);
      else
        print.lines(
          ...reportText(print, report.lines),
          `${skills.length} skills in ${report.written.length} files written to ${printableLine(flags.out)}; ${report.lines.length} lines above`,
        );
    });
}

function chosen(skills: readonly Skill[], ids: readonly string[]): readonly Skill[] {
  if (ids.length === 0) return skills;
  const unknown = ids.filter((id) => !skills.some((skill) => skill.id === id));
  if (unknown.length === 0) return skills.filter(({ id }) => ids.includes(id));
  throw new SkillError(
    'SKILL_NOT_FOUND',
    `there is no skill ${unknown.join(', ')}; ambit skills list shows those that there are`,
  );
}
