import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Printer } from '../printer.ts';
import { printableLine } from '../text/printable.ts';
import { skillFolders, type ValidatedFolder, validateFolder } from '../validate-folder.ts';
import { type CommandContext, examples, flagsOf, type GlobalFlags } from './command-context.ts';

/** `ambit skills validate` */
export function addSkillsValidate(skills: Command, context: CommandContext): void {
  skills
    .command('validate')
    .summary('check skill folders strictly')
    .description(
      'Checks skill folders strictly, and shows every mistake at once: SKILL.md by the Agent Skills specification, ambit.yaml by its schema. Ambit itself is more lenient when it loads a skill.',
    )
    .argument('[folders...]', 'skill folders, or folders of them (default: those that are configured)')
    .addHelpText(
      'after',
      examples(
        ['ambit skills validate', 'every configured skill'],
        ['ambit skills validate ./my-skill', 'one folder'],
      ),
    )
    .action(async (folders: string[], _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const places =
        folders.length > 0
          ? folders.map((folder) => resolve(context.terminal.cwd(), folder))
          : await configured(context, flags);
      const found = await Promise.all(places.map(skillFolders));
      const checked = await Promise.all(found.flat().map(validateFolder));
      const valid = checked.every(({ errors }) => errors.length === 0);
      if (print.json) print.document({ valid, folders: checked });
      else print.lines(...checked.flatMap((folder) => folderText(print, folder)), totals(checked));
      context.exitCode = valid ? 0 : 3;
    });
}

async function configured({ actions }: CommandContext, flags: GlobalFlags): Promise<string[]> {
  return (await actions.loadConfig(flags)).skills.map(({ path }) => path);
}

function folderText(print: Printer, { folder, errors, warnings }: ValidatedFolder): string[] {
  const verdict = errors.length === 0 ? print.style('green', 'valid  ') : print.style('red', 'invalid');
  return [
    `${verdict}  ${printableLine(folder)}`,
    ...errors.map((error) => `         ${printableLine(error)}`),
    ...warnings.map((warning) => `         ${print.style('yellow', 'warning:')} ${printableLine(warning)}`),
  ];
}

function totals(checked: readonly ValidatedFolder[]): string {
  const invalid = checked.filter(({ errors }) => errors.length > 0).length;
  return `${checked.length - invalid} valid, ${invalid} invalid`;
}
