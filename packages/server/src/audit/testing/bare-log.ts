import { type AuditEvent, isCallEvent } from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import { openLogFile } from '../log/open-log-file.ts';

/** One event as parameters. */
interface BareRow {
  executionId: string | null;
  opens: number;
  body: string;
  hash: Buffer;
}

/** The tables of a log without its checks: the minimum cost of a log. */
export interface BareLog {
  prepare(events: readonly AuditEvent[]): BareRow[];
  /** One transaction. */
  commit(rows: readonly BareRow[]): void;
  close(): void;
}

export function bareLog(file: string): BareLog {
  const database = openLogFile(file);
  const insert = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const open = database.prepare('INSERT INTO open_records (execution_id, sequence) VALUES (?, ?)');
  const close = database.prepare('DELETE FROM open_records WHERE execution_id = ?');
  let sequence = 0;
  return {
    prepare: (events) =>
      events.map((event) => ({
        executionId: isCallEvent(event) ? event.executionId : null,
        opens: event.kind === 'call.started' ? 1 : 0,
        body: canonicalJson(event),
        hash: Buffer.alloc(32),
      })),
    commit: database.transaction((rows: readonly BareRow[]) => {
      for (const { executionId, opens, body, hash } of rows) {
        insert.run(++sequence, executionId, opens, body, hash);
        if (opens === 1) open.run(executionId, sequence);
        else close.run(executionId);
      }
    }),
    close: () => void database.close(),
  };
}
