import {
  type AuditStats,
  type CallRecord,
  callRecord,
  type EventReceipt,
  type Receipt,
  type Signed,
  type Verification,
} from '@ambit/core/audit';
import { usedNothing } from '@ambit/core/outcome';
import { noCapabilities } from '@ambit/core/policy';

const digest = { digest: 'sha256:i', bytes: 2 };
const skill = { id: 'counter', version: '1.0.0', digest: 'sha256:s', tier: 'local' } as const;

/** A record of a successful call of the skill `counter` by `tester`. */
export const aRecord: CallRecord = callRecord([
  {
    sequence: 1,
    event: {
      kind: 'call.started',
      executionId: 'e1',
      time: 0,
      via: 'http',
      actor: 'tester',
      skill,
      policyDigest: 'sha256:p',
      requested: noCapabilities,
      input: digest,
    },
  },
  {
    sequence: 2,
    event: {
      kind: 'call.finished',
      executionId: 'e1',
      time: 5,
      granted: noCapabilities,
      sandbox: 'none',
      limits: {
        timeoutMs: 1,
        memoryBytes: 1,
        cpuMs: 1,
        processes: 1,
        fileBytes: 1,
        outputBytes: 1,
        fuel: null,
      },
      outcome: 'succeeded',
      failure: null,
      output: digest,
      denied: [],
      used: usedNothing,
      usage: { durationMs: 5, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    },
  },
]);

const calls = { calls: 1, errors: 0, denied: 0, running: 0, durationMs: { p50: 5, p95: 5, p99: 5 } };

export const someStats: AuditStats = {
  all: calls,
  bySkill: [{ ...calls, skill: 'counter', lastAt: 0 }],
  overTime: [{ ...calls, since: 0, durationMs: null }],
};

export const aVerification: Verification = {
  logId: 'l',
  first: 1,
  last: { sequence: 2, hash: 'sha256:h' },
  events: 2,
  checkpoints: 1,
  signedThrough: 2,
  trustedKeyId: null,
  indexedThrough: 2,
  intact: true,
};

export const anEventReceipt: Signed<EventReceipt> = {
  statement: {
    type: 'ambit/event-receipt/1',
    logId: 'l',
    sequence: 1,
    hash: 'sha256:h',
    event: { kind: 'skill.approved', time: 1 },
  },
  keyId: 'k',
  signature: 's',
};

export const aReceipt: Signed<Receipt> = {
  statement: {
    type: 'ambit/receipt/1',
    logId: 'l',
    executionId: 'e1',
    skill,
    actor: 'tester',
    policyDigest: 'sha256:p',
    decision: 'granted',
    requested: noCapabilities,
    granted: noCapabilities,
    input: digest,
    output: digest,
    outcome: 'succeeded',
    error: null,
    startedAt: aRecord.startedAt,
    endedAt: aRecord.startedAt,
    events: [{ sequence: 1, hash: 'sha256:h' }],
  },
  keyId: 'k',
  signature: 's',
};
