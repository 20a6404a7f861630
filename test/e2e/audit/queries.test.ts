import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ambitClient, type FollowedEntry } from '../../../packages/client/src/index.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';

const shared = sharedDaemon(async () => ({}));

test('HTTP exports the log, oldest first, as JSON lines or CSV', async () => {
  const daemon = shared();
  await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  await daemon.execute('=1+1', { input: {} });
  const records = (await daemon.audit()).reverse();
  const json = await exported(daemon, 'ndjson');
  expect(json.type).toBe('application/x-ndjson; charset=utf-8');
  expect(
    json.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(records);
  const csv = await exported(daemon, 'csv');
  expect(csv.type).toBe('text/csv; charset=utf-8; header=present');
  const [head = '', ...lines] = csv.text.trimEnd().split('\r\n');
  const skill = head.split(',').indexOf('skill');
  expect(lines.map((line) => line.split(',')[skill])).toEqual(['text-diff', "'=1+1"]);
});

test('a follower of the log gets each event and can resume', async () => {
  const { url, key, execute } = shared();
  const follow = async (after: number, count: number) => {
    const followed: FollowedEntry[] = [];
    for await (const entry of ambitClient({ url, key }).audit.follow({ after })) {
      followed.push(entry);
      if (followed.length === count) break;
    }
    return followed;
  };
  const { body } = await execute('text-diff', { input: { before: 'a', after: 'b' } });
  const following = follow(body.audit.sequence, 2);
  await execute('no-such', { input: {} });
  const denied = { sequence: body.audit.sequence + 2, event: { kind: 'call.denied' } };
  expect(await following).toMatchObject([
    { event: { kind: 'call.started', skill: { id: 'no-such' } } },
    denied,
  ]);
  expect(await follow(body.audit.sequence + 1, 1)).toMatchObject([denied]);
});

test('the command line prints the same of ambit serve and of a daemon on demand, and a shutdown ends the streams of followers', async () => {
  const daemon = await startDaemon();
  await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  await daemon.execute('no-such', { input: {} });
  const [, ran] = await daemon.audit();
  const commands = [
    ['audit', '--json', '--skill', 'text-diff'],
    ['audit', 'stats', '--by', 'skill'],
    ['audit', 'show', ran.executionId],
    ['audit', 'export', '--format', 'csv', '--outcome', 'denied'],
  ];
  const run = async () => {
    const answers = [];
    for (const command of commands) answers.push(await ambit([...command, '--data-dir', daemon.dataDir]));
    return answers;
  };
  const beside = await run();
  const headers = { authorization: `Bearer ${daemon.key}` };
  const { body: stream } = await fetch(`${daemon.url}/audit/follow`, { headers });
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  await stream?.cancel();
  expect(await run()).toEqual(beside);
  expect(beside.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    commands.map(([, command]) => ({ code: 0, stderr: command === 'show' ? 'Used no capabilities.\n' : '' })),
  );
  expect(JSON.parse(beside[0]?.stdout ?? '')).toEqual({ records: [ran], next: null });
  expect((await readFile(join(daemon.dataDir, 'audit-index.db'))).subarray(0, 15).toString()).toBe(
    'SQLite format 3',
  );
});

async function exported(daemon: Daemon, format: string): Promise<{ type: string | null; text: string }> {
  const response = await fetch(`${daemon.url}/audit/export?format=${format}`, {
    headers: { authorization: `Bearer ${daemon.key}` },
  });
  return { type: response.headers.get('content-type'), text: await response.text() };
}
