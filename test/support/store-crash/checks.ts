import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import type { Daemon } from '../daemon-process.ts';
import { sqlite } from '../sqlite.ts';
import type { Acknowledged, Counter, CrashReport } from './acknowledged.ts';
import { sendEffect, takeAnswer } from './load.ts';

/** Runs a query against the database of the store. */
export type Query = (statement: string) => Promise<readonly object[]>;

/** Compares what a new daemon has with what the killed one acknowledged; of `calls` and `keys` only those. */
export async function checkStored(
  daemon: Daemon,
  acknowledged: Acknowledged,
  report: CrashReport,
  { calls, keys }: { calls: readonly string[]; keys: readonly string[] },
): Promise<void> {
  for (const key of calls) {
    const answer = await sendEffect(daemon, key);
    takeAnswer(key, answer, acknowledged, report);
    if (answer.status === 503) report.wrong.push(`the store of the new daemon refuses: ${answer.text}`);
    if (answer.isUnstored) report.wrong.push(`the store of the new daemon does not store: ${answer.text}`);
  }
  for (const [key, counter] of acknowledged.state) {
    const { status, body } = await daemon.execute('count', { input: { key } });
    if (body.outcome?.status === 'succeeded')
      checkCounter(`the state ${key}`, counter, body.outcome.output, report);
    else report.wrong.push(`the state ${key} cannot be read: ${status} ${JSON.stringify(body)}`);
  }
  for (const [path, counter] of acknowledged.files) {
    const file = `${daemon.url}/workspaces/${acknowledged.workspace}/files/${path}`;
    const response = await fetch(file, { headers: { authorization: `Bearer ${daemon.key}` } });
    const text = await response.text();
    if (response.status === 200) checkCounter(`the file ${path}`, counter, Number(text), report);
    else if (response.status === 404 && counter.acknowledged === 0) continue;
    else if (response.status === 404) report.lost.push(`the file ${path}: ${text}`);
    else report.wrong.push(`the file ${path} cannot be read: ${response.status} ${text}`);
  }
  for (const name of keys) {
    const { key, isRevoked } = acknowledged.keys.get(name) ?? { key: '', isRevoked: 'maybe' };
    const { status, body } = await daemon.request('GET', '/skills', {
      headers: { authorization: `Bearer ${key}` },
    });
    if (status !== 200 && status !== 401)
      report.wrong.push(`the key ${name} cannot be checked: ${status} ${JSON.stringify(body)}`);
    else if (isRevoked !== 'maybe' && status !== (isRevoked ? 401 : 200))
      report.lost.push(`the ${isRevoked ? 'revocation' : 'creation'} of the key ${name}: ${status}`);
  }
}

function checkCounter(what: string, counter: Counter, found: unknown, report: CrashReport): void {
  const value = found ?? 0;
  if (typeof value !== 'number' || !(value >= counter.acknowledged && value <= counter.sent))
    report.lost.push(
      `${what}: ${counter.acknowledged} was acknowledged, ${counter.sent} sent, and there is ${JSON.stringify(found)}`,
    );
  else counter.acknowledged = value;
}

/** Counts the runs of each key by the files that they left. */
export async function checkRuns(
  runs: string,
  { calls }: Acknowledged,
  known: Set<string>,
  report: CrashReport,
): Promise<void> {
  const counts = new Map<string, string[]>();
  for (const name of await readdir(runs)) {
    const [key = '', executionId = ''] = name.split('.');
    counts.set(key, [...(counts.get(key) ?? []), executionId]);
  }
  for (const [key, executions] of counts)
    if (executions.length > 1 && !known.has(key)) {
      known.add(key);
      report.doubled.push(`the call of key ${key} ran as ${executions}`);
    }
  for (const [key, { executionId }] of calls)
    if (executionId !== undefined && !counts.get(key)?.includes(executionId))
      report.wrong.push(`the call ${executionId} of key ${key} was answered and did not run`);
}

/** Checks that the sums of the store match its rows, and that records name stored contents. */
export async function checkConsistency(query: Query, report: CrashReport): Promise<void> {
  const sums = await query(
    `SELECT skill FROM state_sizes z WHERE
       keys <> (SELECT count(*) FROM state s WHERE s.skill = z.skill) OR
       bytes <> (SELECT coalesce(sum(s.bytes), 0) FROM state s WHERE s.skill = z.skill)`,
  );
  for (const row of sums) report.wrong.push(`the sums of state are wrong: ${JSON.stringify(row)}`);
  const contents = (await query('SELECT workspace, sha256 FROM contents')) as Record<string, string>[];
  const stored = new Set(contents.map(({ workspace, sha256 }) => `${workspace} ${sha256}`));
  const records = (await query('SELECT id, record FROM workspaces')) as Record<string, string>[];
  for (const { id, record } of records)
    for (const { path, sha256 } of JSON.parse(record ?? '').files)
      if (!stored.has(`${id} ${sha256}`)) report.wrong.push(`the content of ${path} in ${id} is missing`);
}

/** Checks the files of SQLite as another program reads them. */
export function checkSqliteFile(file: string, report: CrashReport): void {
  const found = sqlite(file, 'SELECT integrity_check FROM pragma_integrity_check');
  if (found !== 'ok') report.wrong.push(`${file}: ${found}`);
}

/** Verifies the whole audit log. */
export function checkLog(dataDir: string, report: CrashReport): void {
  for (const flaw of walkLog(join(dataDir, 'audit.db')).flaws) report.wrong.push(`audit log: ${flaw}`);
}
