import { join } from 'node:path';
import type { CallStarted } from '@ambit/core/audit';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { AuditObserver } from '../../audit/audit-observer.ts';
import { ending, opened, openLog, started } from '../../audit/testing/audit-files.ts';
import { walkLog } from '../../audit/testing/walk-log.ts';
import { openRecorder, type Recorder } from './recorder.ts';

test('records the start and stop of a daemon, and the policy if it has changed', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  await daemon(file, 'sha256:p');
  await daemon(file, 'sha256:p');
  await daemon(file, 'sha256:q');
  const [started, stopped] = [
    { kind: 'daemon.started', time: 5, version: '1.2.3', policyDigest: 'sha256:p' },
    { kind: 'daemon.stopped', time: 5, reason: 'stopped by a signal' },
  ];
  expect(told(file)).toEqual([
    ...[started, { kind: 'policy.changed', time: 5, from: null, to: 'sha256:p' }, stopped],
    ...[started, stopped],
    ...[{ ...started, policyDigest: 'sha256:q' }],
    ...[{ kind: 'policy.changed', time: 5, from: 'sha256:p', to: 'sha256:q' }, stopped],
  ]);
});

test('records a changed skill once before its call, also with concurrent calls and after a restart', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  await daemon(file, 'sha256:p', async ({ log }) => {
    await Promise.all(['a', 'b', 'c'].map((id) => log.append(call(id, 'sha256:1'))));
    await log.append(call('d', 'sha256:1'));
  });
  await daemon(file, 'sha256:p', async ({ log }) => {
    await log.append(call('e', 'sha256:1'));
    await Promise.all(['f', 'g'].map((id) => log.append(call(id, 'sha256:2'))));
    await log.append({ ...call('h', ''), skill: { id: 'no-such-skill' } });
  });
  const skill = { id: 'counter', version: null, digest: 'sha256:1', tier: 'local' };
  expect(told(file).filter(({ kind }) => kind === 'skill.changed')).toEqual([
    { kind: 'skill.changed', time: 7, skill, from: null },
    { kind: 'skill.changed', time: 7, skill: { ...skill, digest: 'sha256:2' }, from: 'sha256:1' },
  ]);
  const order = kinds(file).filter((kind) => kind === 'skill.changed' || kind === 'call.started');
  const calls = (many: number): string[] => Array(many).fill('call.started');
  expect(order).toEqual(['skill.changed', ...calls(5), 'skill.changed', ...calls(3)]);
});

test('the end of a call comes after its beginning, which waits for a change of its skill', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  await daemon(file, 'sha256:p', async ({ log }) => {
    const beginning = log.append(call('a', 'sha256:1'), undefined, { mayWait: true });
    await log.append(ending('a'));
    await beginning;
  });
  expect(kinds(file)).toEqual([
    ...['daemon.started', 'policy.changed', 'skill.changed'],
    ...['call.started', 'call.denied', 'daemon.stopped'],
  ]);
});

test('records a new policy once, even if calls start meanwhile', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  const event = { kind: 'config.reloaded', time: 6, policyDigest: 'sha256:q', changed: ['deny'] } as const;
  await daemon(file, 'sha256:p', async ({ log, reloaded }) => {
    const calls = (ids: string) => [...ids].map((id) => log.append(call(id, 'sha256:1')));
    await Promise.all([...calls('abc'), reloaded({ digest: 'sha256:q' }, event), ...calls('def')]);
    await Promise.all(calls('gh'));
  });
  expect(told(file).filter(({ kind }) => /^(policy|config)/.test(kind))).toEqual([
    { kind: 'policy.changed', time: 5, from: null, to: 'sha256:p' },
    event,
    { kind: 'policy.changed', time: 5, from: 'sha256:p', to: 'sha256:q' },
  ]);
});

test('records the new policy of a command before its call', async () => {
  const { log, file } = await openLog();
  const { log: recorder } = await openRecorder(log, options('sha256:p'));
  await recorder.append(call('a', 'sha256:1'));
  await log.close();
  expect(kinds(file)).toEqual(['policy.changed', 'skill.changed', 'call.started']);
});

const options = (digest: string, observers: readonly AuditObserver[] = []) => ({
  policy: { digest },
  observers,
  now: () => 5,
});

test('an observer gets each unredacted event once it is durable, and the log gets it redacted', async () => {
  const { log, file } = await openLog();
  const seen: unknown[] = [];
  const recorder = await openRecorder(
    log,
    options('sha256:p', [
      {
        onRecorded: (event) => seen.push([event.kind, kinds(file).length]),
        onFailed: () => seen.push('failed'),
      },
    ]),
  );
  await recorder.log.append(call('a', 'sha256:1'));
  await recorder.log.append(ending('a', 'no password=hunter2'));
  expect(seen).toEqual([
    ['policy.changed', 1],
    ['skill.changed', 2],
    ['call.started', 3],
    ['call.denied', 4],
  ]);
  expect(walkLog(file).events.at(-1)?.event).toMatchObject({ message: 'no password=[redacted]' });
});

test('an observer is notified of an event that cannot be written', async () => {
  const { log } = await openLog();
  const seen: unknown[] = [];
  const { started } = await openRecorder(
    log,
    options('sha256:p', [
      { onRecorded: ({ kind }) => seen.push(kind), onFailed: ({ kind }) => seen.push(`${kind} failed`) },
    ]),
  );
  await log.close();
  await expect(started({ version: '1.2.3' })).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
  expect(seen).toEqual(['daemon.started failed']);
});

/** A daemon's life, as the log records it. */
async function daemon(
  file: string,
  digest: string,
  serves: (recorder: Recorder) => Promise<void> = async () => undefined,
): Promise<void> {
  const log = await opened(file);
  const recorder = await openRecorder(log, options(digest));
  await recorder.started({ version: '1.2.3' });
  await serves(recorder);
  await recorder.stopped('stopped by a signal');
  await log.close();
}

function call(executionId: string, digest: string): CallStarted {
  return started(executionId, { time: 7, skill: { id: 'counter', version: null, digest, tier: 'local' } });
}

function told(file: string) {
  return walkLog(file)
    .events.map(({ event }) => event)
    .filter(({ executionId }) => executionId === undefined);
}

function kinds(file: string): string[] {
  const { events, flaws } = walkLog(file);
  expect(flaws).toEqual([]);
  return events.map(({ event }) => event.kind);
}
