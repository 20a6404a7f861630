import type { ExportKind } from '@ambit/migrate';
import { defineCommand } from '../command/define-command.ts';
import { exportOptions } from '../command/migrate-options.ts';

/** Listed here, so the package is loaded only when the command runs. */
const kinds: Record<ExportKind, true> = { wreckit: true, agentium: true, isdlc: true };

/** `ambit export` */
export const exportCommand = defineCommand({
  name: 'export',
  summary: "write skills in another system's format",
  description:
    "Write skills in another system's format. Print one line for each thing that the format cannot store. If one of the files exists, nothing is written without --force.",
  args: {
    kind: { text: 'the format to export', choices: kinds },
    id: { text: 'skills (default: every configured one)', optional: true, variadic: true },
  },
  options: exportOptions,
  examples: {
    'ambit export wreckit --out exported': 'every skill',
    'ambit export agentium plan test --out exported': 'two of them',
  },
  async run(context, flags, { kind, id: ids }) {
    const { runExport } = await import('../migrate/run-export.ts');
    await runExport(context, flags, { kind, ids });
  },
});
