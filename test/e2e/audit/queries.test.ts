import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Daemon, sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';

const shared = sharedDaemon(async () => ({}));

test('HTTP queries return a page, one record, a count and statistics', async () => {
  const daemon = shared();
  const called = await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } });
  await daemon.execute('no-such', { input: {} });
  const [denied, ran] = await daemon.audit('?via=http&since=1h');
  expect([denied.skill, ran.skill.id, ran.executionId]).toEqual([
    { id: 'no-such' },
    'text-diff',
    called.body.executionId,
  ]);
  expect((await daemon.request('GET', `/audit/${ran.executionId}`)).body).toEqual(ran);
  expect((await daemon.request('GET', '/audit/count?outcome=denied&skill=no-such')).body).toEqual({
    count: 1,
  });
  expect((await daemon.request('GET', '/audit/stats?skill=text-diff')).body).toMatchObject({
    all: { calls: 1, errors: 0, denied: 0, running: 0, durationMs: { p50: ran.usage.durationMs } },
    bySkill: [{ skill: 'text-diff', calls: 1, lastAt: Date.parse(ran.startedAt) }],
    overTime: [],
  });
});

test('HTTP exports the log, oldest first, as JSON lines or CSV', async () => {
  const daemon = shared();
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
  expect(lines.map((line) => line.split(',')[skill])).toEqual(['text-diff', 'no-such', "'=1+1"]);
});

test('a follower of the log gets each event and can resume', async () => {
  const daemon = shared();
  const gone = new AbortController();
  const events = follow(daemon, {}, gone.signal);
  expect(await events.next()).toMatchObject({ value: ': following' });
  await daemon.execute('no-such', { input: {} });
  const first = await nextEvent(events);
  expect(first).toMatchObject({ event: { kind: 'call.started', skill: { id: 'no-such' } } });
  expect(await nextEvent(events)).toMatchObject({ event: { kind: 'call.denied' } });
  gone.abort();
  const again = follow(daemon, { 'last-event-id': String(first.sequence) });
  expect(await nextEvent(again)).toMatchObject({
    sequence: first.sequence + 1,
    event: { kind: 'call.denied' },
  });
});

test('the command line prints the same with and without a daemon, whose shutdown ends the streams of followers', async () => {
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
  await follow(daemon).next();
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
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

/** The non-empty lines of the stream. */
async function* follow(
  daemon: Daemon,
  headers = {},
  signal: AbortSignal | null = null,
): AsyncGenerator<string, void> {
  const response = await fetch(`${daemon.url}/audit/follow`, {
    headers: { authorization: `Bearer ${daemon.key}`, accept: 'text/event-stream', ...headers },
    signal,
  });
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

async function nextEvent(lines: AsyncGenerator<string, void>): Promise<{ sequence: number; event: unknown }> {
  for (;;) {
    const { value } = await lines.next();
    if (value === undefined) throw new Error('the stream has ended');
    if (value.startsWith('data: ')) return JSON.parse(value.slice('data: '.length));
  }
}
