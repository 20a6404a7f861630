import type { CallRecord } from '@ambit/core/audit';
import {
  type AuditPage,
  type AuditStats,
  entryPoints,
  flawReasons,
  recordOutcomes,
  type Verification,
} from '@ambit/core/internal';
import { z } from 'zod';
import { AnsweredCapabilities, AnsweredDenial, AnsweredLimits } from './capability.ts';
import { AnsweredFailure, AnsweredPosition, AnsweredUsage } from './outcome.ts';
import { AnsweredDigest, AnsweredSkill } from './receipt.ts';
import { AnsweredUsed } from './used.ts';

const Connection = z
  .strictObject({
    host: z.string(),
    port: z.number(),
    method: z.string().nullable().describe('`null` where it was not seen.'),
    path: z.string().nullable().describe('Without the query; `null` where it was not seen.'),
    bytesUp: z.number(),
    bytesDown: z.number(),
    decision: z.enum(['allowed', 'denied']),
    rule: z.string().nullable().describe('The rule that decided; `null` when there was none.'),
  })
  .meta({ id: 'Connection', description: 'What a call reached on the network, or tried to.' });

const kept = z
  .strictObject({ text: z.string(), isCut: z.boolean().describe('Whether there was more than is kept.') })
  .exactOptional();

/** One call as the log tells it. */
export const AnsweredRecord = z
  .strictObject({
    sequence: z.number().describe('The position of its first event; records are ordered by it.'),
    executionId: z.string(),
    parentId: z.string().exactOptional().describe('The chain or the batch that it is part of.'),
    via: z.enum(entryPoints),
    actor: z.string().nullable().describe("The key's name, or the user of the command line."),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().describe('`null` while it runs.'),
    skill: AnsweredSkill.nullable().describe('`null` for a request that was refused before it named one.'),
    policyDigest: z.string().nullable(),
    capabilities: z.strictObject({
      requested: AnsweredCapabilities.nullable(),
      added: AnsweredCapabilities.exactOptional().describe(
        "The part of `requested` that the operator's grant adds, for a skill that requests nothing itself.",
      ),
      granted: AnsweredCapabilities.nullable(),
      denied: z.array(AnsweredDenial).readonly(),
    }),
    connections: z.array(Connection).readonly(),
    used: AnsweredUsed.exactOptional().describe(
      'Absent for a call that did not run to an end, and in records made before this field existed.',
    ),
    limits: AnsweredLimits.nullable(),
    sandbox: z.string().nullable().describe('The walls that stood.'),
    workspace: z
      .strictObject({
        id: z.string(),
        before: z.string().exactOptional(),
        after: z.string().exactOptional(),
      })
      .exactOptional()
      .describe('The one that it names, and digests of what was in it before and after the run.'),
    input: AnsweredDigest.nullable(),
    output: AnsweredDigest.nullable(),
    kept: z
      .strictObject({ input: kept, output: kept })
      .describe('What was kept of them, where something was and has not been pruned since.'),
    outcome: z
      .enum(recordOutcomes)
      .describe(
        'An outcome, `denied` when it was refused or could not start, `running` while it has no end.',
      ),
    reason: z.string().exactOptional().describe('Who or what canceled it.'),
    failure: AnsweredFailure.nullable(),
    usage: AnsweredUsage.nullable(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    request: z
      .string()
      .nullable()
      .describe('What a request that was refused before routing asked for: method and path.'),
  })
  .meta({ id: 'CallRecord', description: 'One call as the log has it.' }) satisfies z.ZodType<CallRecord>;

/** One page of records. */
export const AnsweredPage = z
  .strictObject({
    records: z.array(AnsweredRecord),
    next: z.number().nullable().describe('Pass it as `before` for the next page; `null` on the last.'),
    partial: z
      .literal(true)
      .exactOptional()
      .describe('Looking further would have taken long; `next` goes on from there.'),
  })
  .meta({
    id: 'AuditPage',
    description: 'One page of records, newest first.',
  }) satisfies z.ZodType<AuditPage>;

/** How many records fit. */
export const AnsweredCount = z
  .strictObject({ count: z.number() })
  .meta({ id: 'Count', description: 'How many records fit.' });

const stats = {
  calls: z.number(),
  errors: z.number().describe('Ran, and ended in any other way than succeeded.'),
  denied: z.number(),
  running: z.number(),
  durationMs: z
    .strictObject({ p50: z.number(), p95: z.number(), p99: z.number() })
    .nullable()
    .describe('Of calls that ran; `null` where none did.'),
};

/** How calls went. */
export const AnsweredStats = z
  .strictObject({
    all: z.strictObject(stats),
    bySkill: z.array(z.strictObject({ ...stats, skill: z.string() })).readonly(),
    overTime: z
      .array(z.strictObject({ ...stats, since: z.number().describe('Milliseconds since the epoch.') }))
      .readonly(),
  })
  .meta({ id: 'AuditStats', description: 'How calls went.' }) satisfies z.ZodType<AuditStats>;

const extent = {
  logId: z.string(),
  first: z.number().nullable(),
  last: AnsweredPosition.nullable().describe('The last event that was found as it was written.'),
  events: z.number(),
  checkpoints: z.number().describe('Those that hold.'),
  signedThrough: z.number(),
  trustedKeyId: z.string().nullable(),
  indexedThrough: z
    .number()
    .nullable()
    .describe('The last event up to which the index was compared with the log; `null` where it was not.'),
};

/** What came of reading a whole log again. */
export const AnsweredVerification = z
  .union([
    z.strictObject({ ...extent, intact: z.literal(true) }),
    z.strictObject({
      ...extent,
      intact: z.literal(false),
      reason: z.enum(flawReasons),
      sequence: z.number().nullable(),
      message: z.string(),
    }),
  ])
  .meta({
    id: 'Verification',
    description: 'Whether the log is what was written, and where it is not.',
  }) satisfies z.ZodType<Verification>;

/** What is in the `data` of an event that is followed. */
export const FollowedEvent = z
  .strictObject({
    sequence: z.number(),
    hash: z.string(),
    event: z
      .looseObject({ kind: z.string(), time: z.number().describe('Milliseconds since the epoch.') })
      .describe('What was written; what else it holds depends on its kind.'),
  })
  .meta({ id: 'FollowedEvent', description: 'An event of the log, as it was written.' });
