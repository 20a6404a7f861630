// Threat model: T253, T308, T309, T318

import type { AuditEvent } from '@ambit/core/audit';
import { noCapabilities } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { redactableText, redactedEvent } from './redacted-event.ts';

const secret = 'swordfish';
const redact = (text: string): string => text.replaceAll(secret, '*');
const denial = { capability: 'network', requested: secret, reason: secret, remedy: secret } as const;
const digest = 'sha256:d';
const limits = { timeoutMs: 1 } as never;
const usage = { durationMs: 1, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null };
const items = [{ item: `/${secret}`, count: 1 }];
const opening = { executionId: 'e', time: 1, via: 'http', actor: secret } as const;

/** Each kind of event, with the secret in every field that is not Ambit's own. */
const events = {
  'call.started': {
    kind: 'call.started',
    ...opening,
    skill: { id: secret },
    policyDigest: digest,
    requested: { ...noCapabilities, env: [secret], filesystem: { read: [`/${secret}`], write: [] } },
    input: { digest, bytes: 1 },
  },
  'call.finished': {
    kind: 'call.finished',
    executionId: 'e',
    time: 1,
    granted: { ...noCapabilities, network: [secret] },
    limits,
    sandbox: 'bubblewrap',
    outcome: 'failed',
    failure: { trap: secret },
    output: null,
    usage,
    denied: [denial],
    connections: [
      {
        host: secret,
        port: 1,
        method: secret,
        path: secret,
        bytesUp: 0,
        bytesDown: 0,
        decision: 'denied',
        rule: secret,
        at: 1,
        durationMs: 2,
        status: 200,
        secrets: [secret],
      },
    ],
    redactions: 1,
    hostCalls: { listed: [{ name: secret, at: 1, durationMs: 2, result: 'returned' }], unlisted: 0 },
    used: {
      filesystem: { read: items, write: items },
      network: items,
      env: items,
      secrets: items,
      exec: items,
      state: 'read',
      memory: 'none',
      functions: items,
      unlisted: [{ capability: 'network', uses: 1 }],
    },
  },
  'call.denied': {
    kind: 'call.denied',
    executionId: 'e',
    time: 1,
    code: 'INTERNAL',
    message: secret,
    denied: [denial],
  },
  'request.denied': {
    kind: 'request.denied',
    ...opening,
    code: 'ROUTE_NOT_FOUND',
    message: secret,
    request: secret,
  },
  'auth.rejected': {
    kind: 'auth.rejected',
    ...opening,
    code: 'UNAUTHENTICATED',
    message: secret,
    request: secret,
  },
  'call.interrupted': { kind: 'call.interrupted', executionId: 'e', time: 1 },
  'daemon.started': { kind: 'daemon.started', time: 1, version: secret, policyDigest: digest },
  'daemon.stopped': { kind: 'daemon.stopped', time: 1, reason: secret },
  'policy.changed': { kind: 'policy.changed', time: 1, from: null, to: digest },
  'config.reloaded': { kind: 'config.reloaded', time: 1, policyDigest: digest, changed: [secret] },
  'config.refused': { kind: 'config.refused', time: 1, message: secret },
  'skill.changed': {
    kind: 'skill.changed',
    time: 1,
    from: null,
    skill: { id: secret, version: secret, digest, tier: 'local' },
  },
  'log.pruned': {
    kind: 'log.pruned',
    time: 1,
    what: 'events',
    through: 1,
    hash: digest,
    count: 1,
    keyId: 'k',
    signature: 's',
  },
  'key.rotated': {
    kind: 'key.rotated',
    time: 1,
    from: 'a',
    to: 'b',
    publicKey: 'c',
    signature: null,
    acceptance: 's',
  },
  'workspace.created': {
    kind: 'workspace.created',
    time: 1,
    workspace: 'w',
    actor: secret,
    quotaBytes: 1,
    expiresAt: 2,
  },
  'workspace.written': {
    kind: 'workspace.written',
    time: 1,
    workspace: 'w',
    actor: secret,
    path: secret,
    content: { digest, bytes: 1 },
  },
  'workspace.deleted': { kind: 'workspace.deleted', time: 1, workspace: 'w', actor: secret },
  'workspace.expired': { kind: 'workspace.expired', time: 1, workspace: 'w', actor: secret },
  'skill.installed': {
    kind: 'skill.installed',
    time: 1,
    actor: secret,
    skill: { id: secret, digest },
    source: secret,
    resolved: null,
    from: null,
    waits: false,
  },
  'skill.approved': {
    kind: 'skill.approved',
    time: 1,
    actor: secret,
    skill: { id: secret, digest },
    tier: 'local',
    requests: [secret],
    publisher: secret,
    identity: secret,
    from: null,
    review: null,
  },
  'skill.expired': {
    kind: 'skill.expired',
    time: 1,
    skill: { id: secret, digest },
    until: 1,
    approved: 1,
  },
  'skill.revoked': {
    kind: 'skill.revoked',
    time: 1,
    actor: secret,
    subject: digest,
    skills: [secret],
    reason: secret,
  },
  'skill.restored': {
    kind: 'skill.restored',
    time: 1,
    actor: secret,
    subject: digest,
    skills: [secret],
    reason: secret,
  },
  'console.issued': {
    kind: 'console.issued',
    time: 1,
    actor: secret,
    purpose: 'sign-in',
    digest,
    expiresAt: 2,
  },
  'console.opened': {
    kind: 'console.opened',
    time: 1,
    actor: secret,
    scopes: [secret],
    expiresAt: 2,
    confirmation: { digest, issuedAt: 1 },
  },
  'console.unlocked': {
    kind: 'console.unlocked',
    time: 1,
    actor: secret,
    until: 2,
    confirmation: { digest, issuedAt: 1 },
  },
  'console.closed': { kind: 'console.closed', time: 1, actor: secret, session: secret, reason: secret },
  'skill.removed': { kind: 'skill.removed', time: 1, actor: secret, skill: { id: secret, digest } },
  'install.refused': {
    kind: 'install.refused',
    time: 1,
    actor: secret,
    subject: secret,
    refusals: [{ folder: secret, code: 'SKILL_INVALID', message: secret, skill: { id: secret, digest } }],
    count: 1,
  },
} satisfies Record<AuditEvent['kind'], AuditEvent>;

test.each<AuditEvent>(Object.values(events))('no field of $kind reveals a secret', (event) => {
  const written = redactedEvent(event, redact);
  expect(written).toEqual(JSON.parse(JSON.stringify(event).replaceAll(secret, '*')));
});

test.each<AuditEvent>(Object.values(events))(
  'the redactable text of $kind has every text that is redacted',
  (event) => {
    const count = (text: string): number => text.split(secret).length - 1;
    expect(count(redactableText(event))).toBe(count(JSON.stringify(event)));
  },
);

test("Ambit's own values are unchanged, even if a secret is part of them", () => {
  const everywhere = (text: string): string => text.replaceAll(/sha256:d|call|e$|http|local|failed/g, '*');
  const written = redactedEvent(
    { ...events['call.started'], skill: { id: 'x', version: null, digest, tier: 'local' } },
    everywhere,
  );
  expect(written).toMatchObject({
    kind: 'call.started',
    executionId: 'e',
    via: 'http',
    policyDigest: digest,
    input: { digest, bytes: 1 },
    skill: { digest, tier: 'local' },
  });
});
