import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';

/** The contents of a log's file, read independently of the code that writes it. */
export interface WalkedLog {
  events: { sequence: number; event: Record<string, unknown> & { kind: string; executionId?: string } }[];
  /**
   * Violations of the chain, the numbering, the payloads, the open records and the file. Empty for
   * a valid log.
   */
  flaws: string[];
}

/** Reads a whole or pruned log and checks its invariants, with its own hashing and ordering. */
export function walkLog(file: string): WalkedLog {
  const database = new Sqlite(file, { readonly: true });
  try {
    return walk(database);
  } finally {
    database.close();
  }
}

function walk(database: Sqlite.Database): WalkedLog {
  const flaws: string[] = [];
  const must = (holds: boolean, flaw: string): void => {
    if (!holds) flaws.push(flaw);
  };
  must(database.pragma('integrity_check', { simple: true }) === 'ok', 'SQLite finds the file damaged');
  const id = database.prepare("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  const pruned = database.prepare<[], { through: number; hash: string }>(prunedEvents).get();
  let previous = createHash('sha256').update(`ambit audit log ${id}`).digest();
  if (pruned !== undefined) previous = Buffer.from(pruned.hash.replace('sha256:', ''), 'hex');
  const through = pruned?.through ?? 0;
  const [open, ended] = [new Set<string>(), new Set<string>()];
  const events: WalkedLog['events'] = [];
  const rows = database.prepare<
    [],
    { sequence: number; execution_id: string | null; body: string; hash: Buffer }
  >(`SELECT sequence, execution_id, body, hash FROM log WHERE sequence > ${through} ORDER BY sequence`);
  for (const { sequence, execution_id: id, body, hash } of rows.iterate()) {
    const at = `event ${sequence}`;
    const due = through + events.length + 1;
    must(sequence === due, `${at} is in the place of ${due}`);
    const text = `{"event":${body},"sequence":${sequence}}`;
    previous = createHash('sha256')
      .update(Buffer.concat([previous, Buffer.from(text)]))
      .digest();
    must(previous.equals(hash), `${at} does not continue the event before it`);
    const event = JSON.parse(body) as WalkedLog['events'][number]['event'];
    must((event.executionId ?? null) === id, `${at} belongs to another execution than its column says`);
    events.push({ sequence, event });
    if (id === null) continue;
    if (event.kind === 'call.started') {
      must(!open.has(id) && !ended.has(id), `${at} opens ${id} again`);
      open.add(id);
    } else if (event.kind === 'request.denied' || event.kind === 'auth.rejected') {
      must(!open.has(id) && !ended.has(id), `${at} opens ${id} again`);
      ended.add(id);
    } else {
      // Its beginning may have been pruned.
      must(open.delete(id) || (through > 0 && !ended.has(id)), `${at} ends ${id}, which is not open`);
      ended.add(id);
    }
  }
  const kept = database.prepare('SELECT execution_id FROM open_records ORDER BY execution_id').pluck().all();
  must(
    String(kept) === String([...open].sort()),
    `the open records are ${kept}, but the events say ${[...open]}`,
  );
  const lost = database.prepare(
    'SELECT count(*) FROM payloads WHERE sequence NOT IN (SELECT sequence FROM log)',
  );
  must(lost.pluck().get() === 0, 'there are payloads without their events');
  return { events, flaws };
}

const prunedEvents = `
  SELECT json_extract(body, '$.through') AS through, json_extract(body, '$.hash') AS hash FROM log
  WHERE json_extract(body, '$.kind') = 'log.pruned' AND json_extract(body, '$.what') = 'events'
  ORDER BY sequence DESC LIMIT 1`;
