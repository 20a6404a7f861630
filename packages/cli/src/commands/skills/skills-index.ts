import { dirname, relative, resolve, sep } from 'node:path';
import type { BrokenSkill, Catalog } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { estimateTokens } from '@ambit/core/prompt';
import { skillIndex } from '@ambit/core/skill';
import { folderCatalog, writeAtomically } from '@ambit/runtime';
import { type CommandContext, defineCommand } from '../../command/define-command.ts';
import { printableLine } from '../../output/printable.ts';

/** `ambit skills index` */
export const skillsIndex = defineCommand({
  name: 'skills index',
  summary: 'write a catalog of skills as JSON',
  description:
    'Write a catalog of skills as one JSON document, with the description, phases, token counts and digest of each. The same skills produce the same document. Paths are relative to the output file, or to this folder.',
  args: {
    folders: {
      text: 'folders with skills, read as untrusted (default: the configured ones)',
      optional: true,
      variadic: true,
    },
  },
  options: { out: { value: 'file', text: 'write to this file instead of stdout' } },
  examples: {
    'ambit skills index': 'every configured skill',
    'ambit skills index ./skills --out skills/index.json': 'one folder, into a file',
  },
  async run(context, flags, { folders }) {
    const { print } = context;
    const cwd = context.terminal.cwd();
    const out = flags.out === undefined ? undefined : resolve(cwd, flags.out);
    const from = out === undefined ? cwd : dirname(out);
    const catalog = await chosenCatalog(context, folders);
    const index = skillIndex(await catalog.list(), {
      countTokens: estimateTokens,
      pathOf: ({ root }) => relative(from, root).split(sep).join('/') || '.',
    });
    print.note(...(await catalog.broken()).map(omittedText));
    if (out === undefined) print.document(index);
    else {
      await write(out, `${JSON.stringify(index, null, 2)}\n`);
      if (print.json) print.document({ file: out, skills: index.skills.length });
      else print.lines(`${out}: ${index.skills.length} skills`);
    }
  },
});

async function chosenCatalog(
  { loadConfig, terminal, flags }: CommandContext,
  folders: readonly string[],
): Promise<Catalog> {
  if (folders.length === 0) {
    const { catalogOf } = await import('@ambit/server/local');
    return catalogOf(await loadConfig(flags), terminal.env);
  }
  // Only a configuration can set a higher tier.
  return folderCatalog(
    folders.map((folder) => ({ path: resolve(terminal.cwd(), folder), tier: 'untrusted' })),
  );
}

function omittedText({ root, problem }: BrokenSkill): string {
  return `left out: ${printableLine(root)}: ${printableLine(problem)}`;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeAtomically(file, text);
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}
