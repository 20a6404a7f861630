import { join, relative, resolve } from 'node:path';
import { SkillName } from '@ambit/core';
import { type Command, Option } from 'commander';
import { CliError } from '../../cli-error.ts';
import { createFolder } from '../../new-skill/create-folder.ts';
import { type SkeletonKind, skeleton, skeletonKinds } from '../../new-skill/skeleton.ts';
import { type CommandContext, examples, flagsOf } from '../command-context.ts';

interface NewFlags {
  runtime: SkeletonKind;
  dir: string;
  description?: string;
}

/** `ambit skills new` */
export function addSkillsNew(skills: Command, context: CommandContext): void {
  skills
    .command('new')
    .summary('make a skill to start from')
    .description(
      'Makes a folder with a skill that is whole: it validates, lints without a finding, and a tool runs as it is. Change it into what you need.',
    )
    .argument('<name>', 'of a-z, 0-9 and single hyphens')
    .addOption(
      new Option('--runtime <kind>', 'prompt: instructions alone; process: Python; wasm: JavaScript')
        .choices(skeletonKinds)
        .default('prompt'),
    )
    .option('--dir <folder>', 'where the folder of that name is made', './skills')
    .option('--description <text>', 'what it does and when to use it')
    .addHelpText(
      'after',
      examples(
        ['ambit skills new release-notes', 'instructions, in ./skills/release-notes'],
        ['ambit skills new word-count --runtime wasm', 'a tool in JavaScript'],
      ),
    )
    .action(async (name: string, _options, command: Command) => {
      const { flags, print } = flagsOf<NewFlags>(context, command);
      checkName(name);
      checkDescription(flags.description);
      const cwd = context.terminal.cwd();
      const dir = resolve(cwd, flags.dir);
      const folder = join(dir, name);
      const files = skeleton(name, flags.runtime, flags.description);
      await createFolder(folder, files);
      const paths = Object.keys(files);
      if (print.json) print.document({ name, runtime: flags.runtime, folder, files: paths });
      else print.lines(...nextSteps(name, flags.runtime, folder, paths, relative(cwd, dir) || '.'));
    });
}

function checkName(name: string): void {
  if (SkillName.safeParse(name).success) return;
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
  const hint = near === '' ? 'such as word-count' : `such as ${near}`;
  throw new CliError(
    'USAGE_INVALID',
    `${JSON.stringify(name.slice(0, 100))} is no name of a skill: write 1–64 of a-z, 0-9 and single hyphens, ${hint}`,
  );
}

function checkDescription(text: string | undefined): void {
  if (text === undefined || (text.trim() !== '' && text.length <= 1024)) return;
  throw new CliError(
    'USAGE_INVALID',
    'a description has 1 to 1024 characters: say what it does and when to use it',
  );
}

function nextSteps(
  name: string,
  kind: SkeletonKind,
  folder: string,
  paths: readonly string[],
  dir: string,
): string[] {
  const place = dir.startsWith('.') || dir.startsWith('/') ? dir : `./${dir}`;
  return [
    `Made ${folder}`,
    ...paths.map((path) => `  ${path}`),
    '',
    'Next:',
    '  1. Write in SKILL.md what it does and when to use it: a model chooses by its description.',
    `  2. ambit skills validate ${place}/${name} && ambit skills lint ${place}/${name}`,
    '  3. Let Ambit find it, in ambit.config.yaml, unless this folder is there already:',
    `       skills: [{ path: ${place}, tier: local }]`,
    ...(kind === 'prompt'
      ? []
      : ['  4. Run it:', `       echo '{"text":"one two"}' | ambit run ${name} --input -`]),
  ];
}
