import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { SkillName } from '@ambit/core/skill';
import { isThere } from '@ambit/runtime';
import { defineCommand } from '../../command/define-command.ts';
import {
  type SkeletonKind,
  type SkeletonLanguage,
  skeleton,
  skeletonKinds,
  skeletonLanguages,
} from './skeleton.ts';

/** `ambit skills new` */
export const skillsNew = defineCommand({
  name: 'skills new',
  summary: 'create a skill from a template',
  description:
    'Create a folder with a working skill, to change as you need. The new skill passes validate and lint, and runs.',
  args: { name: { text: 'a name of a-z, 0-9 and single hyphens' } },
  options: {
    runtime: {
      value: 'kind',
      text: 'create instructions (prompt, the default), a program (process) or a JavaScript skill (wasm)',
      choices: skeletonKinds,
    },
    language: {
      value: 'name',
      text: 'write the tool in bash, node or python (the default) for process, or in js for wasm',
      choices: skeletonLanguages,
    },
    dir: { value: 'folder', text: 'create the skill in this folder', default: './skills' },
    description: { value: 'text', text: 'set what it does and when to use it' },
  },
  examples: {
    'ambit skills new release-notes': 'instructions in ./skills/release-notes',
    'ambit skills new word-count --language python': 'a tool in Python',
    'ambit skills new word-count --language js': 'a tool in JavaScript on WebAssembly',
  },
  async run({ terminal, print }, flags, { name }) {
    checkName(name);
    checkDescription(flags.description);
    const cwd = terminal.cwd();
    const dir = resolve(cwd, flags.dir);
    const folder = join(dir, name);
    const { runtime, language } = chosenKind(flags.runtime, flags.language);
    const files = skeleton(name, language, flags.description);
    await createFolder(folder, files);
    const paths = Object.keys(files);
    if (print.json) print.document({ name, runtime, folder, files: paths });
    else print.lines(...nextSteps(name, language, folder, paths, relative(cwd, dir) || '.'));
  },
});

/** A language implies its runtime, and a runtime its default language. Throws `USAGE_INVALID` if they contradict. */
function chosenKind(
  runtime: SkeletonKind | undefined,
  language: SkeletonLanguage | undefined,
): { runtime: SkeletonKind; language?: SkeletonLanguage } {
  if (language === undefined) {
    if (runtime === undefined || runtime === 'prompt') return { runtime: 'prompt' };
    return { runtime, language: runtime === 'wasm' ? 'js' : 'python' };
  }
  const fits = skeletonLanguages[language];
  if (runtime === undefined || runtime === fits) return { runtime: fits, language };
  throw new UsageError(`--language ${language} needs --runtime ${fits}, not ${runtime}; omit --runtime`);
}

function firstRun(name: string, language: SkeletonLanguage): string {
  return language === 'bash'
    ? `echo one two | ambit run ${name} --stdin -`
    : `ambit run ${name} --input '{"text":"one two"}'`;
}

function checkName(name: string): void {
  if (SkillName.safeParse(name).success) return;
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
  const hint = near === '' ? 'such as word-count' : `such as ${near}`;
  throw new UsageError(
    `${JSON.stringify(name.slice(0, 100))} is not a valid skill name: use 1 to 64 of a-z, 0-9 and single hyphens, ${hint}`,
  );
}

function checkDescription(text: string | undefined): void {
  if (text === undefined || (text.trim() !== '' && text.length <= 1024)) return;
  throw new UsageError(
    'the description must have 1 to 1024 characters: say what the skill does and when to use it',
  );
}

/**
 * Creates a folder with these files atomically. Files below `scripts/` are executable.
 *
 * Throws `USAGE_INVALID` if the path exists or cannot be written.
 */
async function createFolder(place: string, files: Readonly<Record<string, string>>): Promise<void> {
  if (await isThere(place)) {
    throw new UsageError(`${place} already exists; choose another name or --dir, or move it away`);
  }
  let draft: string | undefined;
  try {
    await mkdir(dirname(place), { recursive: true });
    draft = await mkdtemp(join(dirname(place), '.new-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await writeFile(join(draft, path), text, { mode: path.startsWith('scripts/') ? 0o755 : 0o644 });
    }
    await chmod(draft, 0o755);
    await rename(draft, place);
  } catch (error) {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
    throw new UsageError(`cannot create ${place}: ${(error as Error).message}`, { cause: error });
  }
}

function nextSteps(
  name: string,
  language: SkeletonLanguage | undefined,
  folder: string,
  paths: readonly string[],
  dir: string,
): string[] {
  const place = dir.startsWith('.') || dir.startsWith('/') ? dir : `./${dir}`;
  return [
    `Created ${folder}`,
    ...paths.map((path) => `  ${path}`),
    '',
    'Next:',
    '  1. In SKILL.md, describe what it does and when to use it. Models choose skills by their description.',
    `  2. ambit skills validate ${place}/${name} && ambit skills lint ${place}/${name}`,
    '  3. If ambit.config.yaml does not include its folder yet, add it:',
    `       skills: [{ path: ${place}, tier: local }]`,
    ...(language === undefined ? [] : ['  4. Run it:', `       ${firstRun(name, language)}`]),
  ];
}
