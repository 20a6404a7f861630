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
    method: z.string().nullable().describe('`null` if it was not observed.'),
    path: z.string().nullable().describe('Without the query; `null` if it was not observed.'),
    bytesUp: z.number(),
    bytesDown: z.number(),
    decision: z.enum(['allowed', 'denied']),
    rule: z.string().nullable().describe('The rule that decided; `null` if no rule matched.'),
  })
  .meta({ id: 'Connection', description: 'A network connection that a call made or tried to make.' });

const storedPayload = z
  .strictObject({ text: z.string(), isCut: z.boolean().describe('Whether more was sent than is stored.') })
  .exactOptional();

/** One call as recorded in the log. */
export const AnsweredRecord = z
  .strictObject({
    sequence: z.number().describe('The sequence number of its first event. Records are ordered by it.'),
    executionId: z.string(),
    parentId: z.string().exactOptional().describe('The chain or batch that the call belongs to.'),
    via: z.enum(entryPoints),
    actor: z.string().nullable().describe('The name of the key, or the user of the command line.'),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().describe('`null` while it runs.'),
    skill: AnsweredSkill.nullable().describe('`null` if the request was refused before it named a skill.'),
    policyDigest: z.string().nullable(),
    capabilities: z.strictObject({
      requested: AnsweredCapabilities.nullable(),
      added: AnsweredCapabilities.exactOptional().describe(
        "The part of `requested` that the operator's grant adds, for a skill without a sidecar.",
      ),
      granted: AnsweredCapabilities.nullable(),
      denied: z.array(AnsweredDenial).readonly(),
    }),
    connections: z.array(Connection).readonly(),
    used: AnsweredUsed.exactOptional().describe(
      'Absent if the call did not finish, and in records made before this field existed.',
    ),
    limits: AnsweredLimits.nullable(),
    sandbox: z.string().nullable().describe('The sandbox that the call ran in.'),
    workspace: z
      .strictObject({
        id: z.string(),
        before: z.string().exactOptional(),
        after: z.string().exactOptional(),
      })
      .exactOptional()
      .describe('The workspace that the call names, with digests of its contents before and after the run.'),
    input: AnsweredDigest.nullable(),
    output: AnsweredDigest.nullable(),
    stored: z
      .strictObject({ input: storedPayload, output: storedPayload })
      .describe('The stored part of the input and the output, until it is pruned.'),
    outcome: z
      .enum(recordOutcomes)
      .describe(
        'The outcome of the run; `denied` if the call was refused or could not start; `running` until it ends.',
      ),
    reason: z.string().exactOptional().describe('Who or what canceled the call.'),
    failure: AnsweredFailure.nullable(),
    usage: AnsweredUsage.nullable(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    request: z.string().nullable().describe('Method and path of a request that the HTTP transport refused.'),
  })
  .meta({
    id: 'CallRecord',
    description: 'One call as recorded in the log.',
  }) satisfies z.ZodType<CallRecord>;

/** One page of records. */
export const AnsweredPage = z
  .strictObject({
    records: z.array(AnsweredRecord),
    next: z
      .number()
      .nullable()
      .describe('Pass it as `before` to get the next page; `null` on the last page.'),
    partial: z
      .literal(true)
      .exactOptional()
      .describe(
        'The page ended early because a longer search would have taken too long. Continue with `next`.',
      ),
  })
  .meta({
    id: 'AuditPage',
    description: 'One page of records, newest first.',
  }) satisfies z.ZodType<AuditPage>;

/** The number of matching records. */
export const AnsweredCount = z
  .strictObject({ count: z.number() })
  .meta({ id: 'Count', description: 'The number of matching records.' });

const stats = {
  calls: z.number(),
  errors: z.number().describe('Calls that ran and did not succeed.'),
  denied: z.number(),
  running: z.number(),
  durationMs: z
    .strictObject({ p50: z.number(), p95: z.number(), p99: z.number() })
    .nullable()
    .describe('Of calls that ran; `null` if none did.'),
};

/** Statistics of calls. */
export const AnsweredStats = z
  .strictObject({
    all: z.strictObject(stats),
    bySkill: z.array(z.strictObject({ ...stats, skill: z.string() })).readonly(),
    overTime: z
      .array(
        z.strictObject({
          ...stats,
          since: z.number().describe('Start of the bucket, in milliseconds since the epoch.'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'AuditStats', description: 'Statistics of calls.' }) satisfies z.ZodType<AuditStats>;

const extent = {
  logId: z.string(),
  first: z.number().nullable(),
  last: AnsweredPosition.nullable().describe('The last event that verified.'),
  events: z.number(),
  checkpoints: z.number().describe('The number of valid checkpoints.'),
  signedThrough: z.number(),
  trustedKeyId: z.string().nullable(),
  indexedThrough: z
    .number()
    .nullable()
    .describe(
      'The last event up to which the index was compared with the log; `null` if it was not compared.',
    ),
};

/** The result of verifying the whole log. */
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
    description: 'Whether the log is unchanged, and if not, the first flaw.',
  }) satisfies z.ZodType<Verification>;

/** The `data` of a followed event. */
export const FollowedEvent = z
  .strictObject({
    sequence: z.number(),
    hash: z.string(),
    event: z
      .looseObject({ kind: z.string(), time: z.number().describe('Milliseconds since the epoch.') })
      .describe('The event as written. Its other fields depend on its kind.'),
  })
  .meta({ id: 'FollowedEvent', description: 'An event of the log, as it was written.' });
