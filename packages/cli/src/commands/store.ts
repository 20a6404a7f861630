import { defineCommand } from '../command/define-command.ts';
import { table } from '../output/table.ts';

const examples = { 'ambit store copy': 'copy into an empty database' };

/** `ambit store copy`: moves from SQLite to PostgreSQL. */
export const storeCommands = [
  defineCommand({
    name: 'store',
    summary: 'copy the store to PostgreSQL',
    description:
      'Move stored responses, workspaces, the state of skills, and keys from SQLite to PostgreSQL.',
    examples,
  }),
  defineCommand({
    name: 'store copy',
    summary: 'copy store.db and keys.db into the database of store.postgres',
    description:
      'Copy store.db and keys.db of the data directory into the database that store.postgres names. Stop the daemon before. The database must be empty. The files stay unchanged, and are not used while store.postgres is set.',
    examples,
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const { copyToPostgres } = await import('@ambit/server/local');
      const copied = await copyToPostgres(config, terminal.env);
      if (print.json) return print.document({ copied });
      const rows = Object.entries(copied).map(([name, count]) => [name, String(count)]);
      print.lines(...table(rows, print.width));
      print.note(
        `Copied. store.db and keys.db in ${config.dataDir} are unchanged, and not used while store.postgres is set.`,
      );
    },
  }),
];
