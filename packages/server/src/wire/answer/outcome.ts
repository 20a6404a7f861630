import type { Outcome } from '@ambit/core/execute';
import type { AuditPosition, Failure, OutcomeStatus, Usage } from '@ambit/core/internal';
import { z } from 'zod';

const stderr = z.string().describe('What the program wrote there, bounded.');
const written = {
  stdout: z.string().describe('For protocol `command`: what it had written there.').exactOptional(),
  stderr: z.string().describe('For protocol `command`: what it had written there.').exactOptional(),
};

/** In what way a program said no. */
export const AnsweredFailure = z
  .union([
    z.strictObject({ exitCode: z.number() }),
    z.strictObject({ signal: z.string() }),
    z.strictObject({ trap: z.string().describe("The engine's or the plug-in's own message.") }),
  ])
  .meta({ id: 'Failure', description: 'In what way a program said no.' }) satisfies z.ZodType<Failure>;

/** How a run ended. */
export const AnsweredOutcome = z
  .union([
    z.strictObject({
      status: z.literal('succeeded'),
      output: z
        .unknown()
        .describe("The skill's JSON; for protocol `command` an object of `exitCode`, `stdout`, `stderr`."),
    }),
    z.strictObject({
      status: z.literal('failed'),
      failure: AnsweredFailure,
      stdout: z.string().exactOptional(),
      stderr,
    }),
    z.strictObject({ status: z.literal('timed-out'), timeoutMs: z.number(), ...written }),
    z.strictObject({ status: z.literal('timed-out'), cpuMs: z.number(), ...written }),
    z.strictObject({ status: z.literal('out-of-memory'), memoryBytes: z.number(), ...written }),
    z.strictObject({ status: z.literal('out-of-fuel'), fuel: z.number(), ...written }),
    z.strictObject({ status: z.literal('output-too-large'), outputBytes: z.number(), ...written }),
    z.strictObject({ status: z.literal('output-invalid'), detail: z.string(), stderr }),
    z.strictObject({
      status: z.literal('capability-violated'),
      capability: z.string(),
      detail: z.string(),
      ...written,
    }),
    z.strictObject({ status: z.literal('canceled'), reason: z.string(), ...written }),
    z.strictObject({ status: z.literal('interrupted') }),
  ])
  .meta({
    id: 'Outcome',
    description: 'How a run ended; `status` says which of these it is.',
  }) satisfies z.ZodType<Outcome>;

export const AnsweredOutcomeStatus = z
  .enum([
    'succeeded',
    'failed',
    'timed-out',
    'out-of-memory',
    'out-of-fuel',
    'output-too-large',
    'output-invalid',
    'capability-violated',
    'canceled',
    'interrupted',
  ])
  .meta({ id: 'OutcomeStatus', description: 'How a run ended.' }) satisfies z.ZodType<OutcomeStatus>;

const measured = z.number().nullable();

/** What a run consumed. */
export const AnsweredUsage = z
  .strictObject({
    durationMs: z.number().describe('From the start of the sandbox to its end.'),
    queueMs: z.number().describe('From joining the queue to having a place to run in.'),
    cpuMs: measured,
    memoryPeakBytes: measured,
    fuelConsumed: measured,
  })
  .meta({
    id: 'Usage',
    description: 'What a run consumed, as it was measured; `null` where nobody can tell.',
  }) satisfies z.ZodType<Usage>;

/** Where an event stands in the log. */
export const AnsweredPosition = z
  .strictObject({
    sequence: z.number(),
    hash: z.string().describe("The chain's hash up to here: `sha256:…`."),
  })
  .meta({
    id: 'AuditPosition',
    description: 'Where an event stands in the log.',
  }) satisfies z.ZodType<AuditPosition>;
