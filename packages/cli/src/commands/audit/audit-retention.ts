import { resolve } from 'node:path';
import type { LogBackup, PrunedPart } from '@ambit/server/local';
import { defineCommand } from '../../command/define-command.ts';
import { printable } from '../../output/printable.ts';
import { whileWaiting } from '../../output/progress-line.ts';

/** `ambit audit prune` and `ambit audit backup`. */
export const auditRetentionCommands = [
  defineCommand({
    name: 'audit prune',
    summary: 'remove parts of the log beyond its retention',
    description:
      'Remove the parts of the log beyond audit.retentionDays and audit.retentionBytes of the configuration. The log records the removal, and the rest still verifies. A daemon prunes the log at its start and every hour.',
    options: { dryRun: { text: 'show what would be removed' } },
    examples: { 'ambit audit prune --dry-run': 'what would be removed now' },
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const dryRun = flags.dryRun === true;
      const { pruneAudit } = await import('@ambit/server/local');
      const gone = await whileWaiting(terminal, print, 'prune', () =>
        pruneAudit(config, { dryRun }, terminal.env),
      );
      if (print.json) print.document({ dryRun, gone });
      else if (gone.length === 0) print.lines('Nothing to remove.');
      else print.lines(...gone.map((part) => pruneText(part, dryRun)));
    },
  }),
  defineCommand({
    name: 'audit backup',
    summary: 'copy the log',
    description: 'Copy a snapshot of the log into a new file, even while a daemon writes to the log.',
    args: { file: { text: 'the new file, readable only by its owner (mode 600)' } },
    examples: { 'ambit audit backup /mnt/backups/audit-2026-05-01.db': 'a copy that can be verified' },
    async run({ loadConfig, terminal, print }, flags, { file }) {
      const config = await loadConfig(flags);
      const { backupAudit } = await import('@ambit/server/local');
      const backup = await whileWaiting(terminal, print, 'backup', () =>
        backupAudit(config, resolve(terminal.cwd(), file)),
      );
      if (print.json) print.document(backup);
      else print.lines(...backupText(backup, config.dataDir).map(printable));
    },
  }),
];

function pruneText({ what, through, count }: PrunedPart, dryRun: boolean): string {
  const which = what === 'payloads' ? `the stored parts of ${count} inputs and outputs` : `${count} events`;
  return `${dryRun ? 'Would remove' : 'Removed'} ${which}, up to event ${through}.`;
}

function backupText({ file, bytes, sequence, hash }: LogBackup, dataDir: string): string[] {
  return [
    `Copied the log up to event ${sequence}${hash === null ? '' : ` (${hash})`} to ${file}, ${bytes} bytes.`,
    `To restore it: stop Ambit, remove audit.db, audit.db-wal, audit.db-shm and audit-index.db from ${dataDir},`,
    'copy the file there as audit.db, and start Ambit.',
  ];
}
