import type { Outcome } from '@ambit/core/execute';
import type { AuditPosition, Failure, OutcomeStatus, Usage } from '@ambit/core/internal';
import { z } from 'zod';

const stderr = z.string().describe('What the program wrote to stderr, truncated.');
const written = {
  stdout: z.string().describe('Protocol `command`: what it had written to stdout.').exactOptional(),
  stderr: z.string().describe('Protocol `command`: what it had written to stderr.').exactOptional(),
};

/** How a program reported failure. */
export const AnsweredFailure = z
  .union([
    z.strictObject({ exitCode: z.number() }),
    z.strictObject({ signal: z.string() }),
    z.strictObject({ trap: z.string().describe('The message of the engine or the plug-in.') }),
  ])
  .meta({ id: 'Failure', description: 'How a program reported failure.' }) satisfies z.ZodType<Failure>;

/** How a run ended. */
export const AnsweredOutcome = z
  .union([
    z.strictObject({
      status: z.literal('succeeded'),
      output: z
        .unknown()
        .describe(
          "The skill's JSON. For protocol `command`: an object with `exitCode`, `stdout` and `stderr`.",
        ),
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
    description: 'How a run ended; `status` names the variant.',
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

/** Resources that a run used. */
export const AnsweredUsage = z
  .strictObject({
    durationMs: z.number().describe('From the start of the sandbox to its end.'),
    queueMs: z.number().describe('From joining the queue to getting a slot.'),
    cpuMs: measured,
    memoryPeakBytes: measured,
    fuelConsumed: measured,
  })
  .meta({
    id: 'Usage',
    description: 'Measured resource usage of a run; `null` if it cannot be measured.',
  }) satisfies z.ZodType<Usage>;

/** The position of an event in the log. */
export const AnsweredPosition = z
  .strictObject({
    sequence: z.number(),
    hash: z.string().describe("The chain's hash up to this event: `sha256:…`."),
  })
  .meta({
    id: 'AuditPosition',
    description: 'The position of an event in the log.',
  }) satisfies z.ZodType<AuditPosition>;
