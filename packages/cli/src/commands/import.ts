import type { ImportKind } from '@ambit/migrate';
import { defineCommand } from '../command/define-command.ts';
import { importOptions } from '../command/migrate-options.ts';

/** Listed here, so the package is loaded only when the command runs. */
const kinds: Record<ImportKind, true> = { wreckit: true, agentium: true, isdlc: true, folder: true };

/** `ambit import` */
export const importCommand = defineCommand({
  name: 'import',
  summary: "convert another system's skills and install them",
  description:
    "Convert another system's skills to skill folders in ./imported, and install them from there like other people's skills: they are listed in ambit.lock, and untrusted until you approve them. Print one line for each change and each omission, and the settings to add to the configuration. Existing folders are replaced only with --force. With --out, only write skill folders.",
  args: {
    kind: { text: 'the format to import', choices: kinds },
    from: {
      text: 'a file or a folder; for wreckit and agentium also an https:// URL that imports.network allows',
      completes: 'files',
    },
  },
  options: importOptions,
  examples: {
    'ambit import wreckit .': 'as wreckit:NAME, to be approved',
    'ambit import wreckit .wreckit/skills.json --out ./skills': 'folders of your own',
    'ambit import folder .cursor/rules --dry-run': 'preview',
    'ambit import agentium https://example.com/manifest.yaml': 'through the allow-list',
  },
  async run(context, flags, { kind, from }) {
    const { runImport } = await import('../migrate/run-import.ts');
    await runImport(context, flags, { kind, from });
  },
});
