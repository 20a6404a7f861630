// Threat model: T314

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEvent } from '@ambit/core/audit';
import { noCapabilities } from '@ambit/core/policy';
import { describe, expect, test } from 'vitest';
import { ending, openLog, rejection, started } from '../testing/audit-files.ts';
import { withLog } from '../verify/with-log.ts';
import { checkReceipt, compareReceipt } from './check-receipt.ts';
import { readPublicKey } from './signed.ts';

const content = { digest: `sha256:${'1'.repeat(64)}`, bytes: 2 };
const begun = started('e1', {
  skill: { id: 'a', version: null, digest: content.digest, tier: 'local' },
  input: content,
});
const denied: AuditEvent = { ...ending('e1'), code: 'OVERLOADED' };
const interrupted: AuditEvent = { kind: 'call.interrupted', executionId: 'e1', time: 2000 };

test("a receipt has the values of the call's events, and their positions in the chain", async () => {
  const { receipt, places } = await receipted(denied);
  expect(receipt).toEqual({
    keyId: expect.stringMatching(/^[0-9a-f]{64}$/),
    signature: expect.any(String),
    statement: {
      type: 'ambit/receipt/1',
      logId: expect.any(String),
      executionId: 'e1',
      skill: { id: 'a', version: null, digest: content.digest, tier: 'local' },
      actor: 'key',
      policyDigest: 'sha256:p',
      decision: 'denied',
      requested: noCapabilities,
      granted: null,
      input: content,
      output: null,
      outcome: 'denied',
      error: 'OVERLOADED',
      startedAt: '1970-01-01T00:00:01.000Z',
      endedAt: '1970-01-01T00:00:02.000Z',
      events: places,
    },
  });
});

test('the receipt of an interrupted call has no decision', async () => {
  const { receipt } = await receipted(interrupted);
  expect(receipt?.statement).toMatchObject({ outcome: 'interrupted', decision: null, error: null });
});

test('a running call, a request that named no skill and an unknown call have no receipt', async () => {
  const { log } = await receipted(denied);
  await log.append({ ...begun, executionId: 'running' });
  await log.append(rejection('stranger'));
  for (const id of ['running', 'stranger', 'x']) expect(await log.receipt(id)).toBeUndefined();
});

describe('a receipt', () => {
  test('is valid with the public key alone, and with its log', async () => {
    const { receipt, publicKey, file } = await receipted(denied);
    expect(checkReceipt(JSON.stringify(receipt), publicKey)).toEqual({
      valid: true,
      receipt: receipt?.statement,
      keyId: receipt?.keyId,
    });
    expect(
      withLog(file, (database) => receipt && compareReceipt(database, receipt.statement)),
    ).toBeUndefined();
  });

  test('is invalid if any of its members was changed', async () => {
    const { receipt, publicKey } = await receipted(denied);
    const { statement, ...rest } = receipt ?? { statement: {} };
    for (const [member, value] of Object.entries(statement)) {
      if (member === 'type') continue;
      const other =
        typeof value === 'string' ? `${value}x` : Array.isArray(value) ? value.slice(1) : { x: 1 };
      const text = JSON.stringify({ ...rest, statement: { ...statement, [member]: other } });
      expect({ member, ...checkReceipt(text, publicKey) }).toMatchObject({
        member,
        valid: false,
        reason: 'forged',
      });
    }
    const more = JSON.stringify({ ...rest, statement: { ...statement, more: 1 } });
    expect(checkReceipt(more, publicKey)).toMatchObject({ valid: false, reason: 'forged' });
  });

  test('is invalid if parsers can disagree on it', async () => {
    const { receipt, publicKey } = await receipted(denied);
    const text = JSON.stringify(receipt);
    for (const more of ['"outcome":"succeeded",', '"__proto__":{"outcome":"succeeded"},'])
      expect(checkReceipt(text.replace('"outcome"', `${more}"outcome"`), publicKey)).toMatchObject({
        valid: false,
        reason: 'malformed',
      });
  });

  test('is invalid if it is malformed, or signed by another key', async () => {
    const { receipt } = await receipted(denied);
    const { publicKey } = await receipted(denied);
    for (const text of ['', '{}', '[]', JSON.stringify(receipt?.statement)])
      expect(checkReceipt(text, publicKey)).toMatchObject({ valid: false, reason: 'malformed' });
    expect(checkReceipt(JSON.stringify(receipt), publicKey)).toMatchObject({ reason: 'key-unknown' });
  });

  test('is invalid for another log, and for a log with different events', async () => {
    const { receipt, file } = await receipted(denied);
    const other = await receipted(interrupted);
    if (receipt === undefined) throw new Error('there is a receipt');
    const against = (path: string, statement = receipt.statement) =>
      withLog(path, (database) => compareReceipt(database, statement));
    expect(against(other.file)).toMatchObject({ valid: false, reason: 'other-log' });
    const logId = other.receipt?.statement.logId ?? '';
    expect(against(other.file, { ...receipt.statement, logId })).toMatchObject({ reason: 'unlike-log' });
    const events = [{ sequence: 99, hash: '' }];
    expect(against(file, { ...receipt.statement, events })).toMatchObject({ reason: 'unlike-log' });
  });
});

describe('the receipt of an event outside calls', () => {
  const approved: AuditEvent = {
    kind: 'skill.approved',
    time: 3000,
    actor: 'ada',
    skill: { id: 'a:b', digest: content.digest },
    tier: 'verified',
    requests: ['run process'],
    publisher: null,
    identity: null,
    from: null,
    review: null,
  };

  test('has the whole event, and is valid with the public key alone and with its log', async () => {
    const { log, file, publicKey } = await receipted(denied);
    const { sequence, hash } = await log.append(approved);
    const receipt = await log.eventReceipt(sequence);
    const statement = {
      type: 'ambit/event-receipt/1',
      logId: expect.any(String),
      sequence,
      hash,
      event: approved,
    };
    expect(receipt?.statement).toEqual(statement);
    expect(checkReceipt(JSON.stringify(receipt), publicKey)).toMatchObject({
      valid: true,
      receipt: statement,
    });
    expect(
      withLog(file, (database) => receipt && compareReceipt(database, receipt.statement)),
    ).toBeUndefined();
  });

  test('does not exist for an event of a call, and for no event', async () => {
    const { log } = await receipted(denied);
    for (const sequence of [1, 2, 3, 0]) expect(await log.eventReceipt(sequence)).toBeUndefined();
  });

  test('is invalid if it was changed, with another log, and where the log has another event', async () => {
    const { log, file, publicKey } = await receipted(denied);
    const { sequence } = await log.append(approved);
    const receipt = await log.eventReceipt(sequence);
    if (receipt === undefined) throw new Error('there is a receipt');
    const event = { ...approved, tier: 'local' };
    const forged = JSON.stringify({ ...receipt, statement: { ...receipt.statement, event } });
    expect(checkReceipt(forged, publicKey)).toMatchObject({ reason: 'forged' });
    const against = (path: string, statement: typeof receipt.statement) =>
      withLog(path, (database) => compareReceipt(database, statement));
    const other = await receipted(denied);
    expect(against(other.file, receipt.statement)).toMatchObject({ reason: 'other-log' });
    for (const changed of [{ event }, { sequence: 1 }, { sequence: 99 }])
      expect(against(file, { ...receipt.statement, ...changed })).toMatchObject({ reason: 'unlike-log' });
  });
});

/** A log with a call of this outcome, and the call's receipt. */
async function receipted(end: AuditEvent) {
  const { log, file, folder } = await openLog();
  const places = [await log.append(begun), await log.append(end)];
  const publicKey = readPublicKey(readFileSync(join(folder, 'audit-key.pub'), 'utf8'));
  return { log, file, places, publicKey, receipt: await log.receipt('e1') };
}
