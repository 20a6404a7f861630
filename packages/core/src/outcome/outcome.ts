import { z } from 'zod';
import { outcomeStatuses } from './outcome-statuses.ts';

const stderr = z.string().describe('What the program wrote to stderr, truncated.');

/**
 * The output of a command until it was ended, up to `outputBytes` of each stream. Both are absent
 * for protocol `json`, whose stdout is unchecked, and for a run that never began.
 */
const Written = z.strictObject({
  stdout: z.string().describe('Protocol `command`: what it had written to stdout.').exactOptional(),
  stderr: z.string().describe('Protocol `command`: what it had written to stderr.').exactOptional(),
});
export type Written = z.output<typeof Written>;

/** The failure that a program reported. `trap` is the message of the engine or the plug-in. */
export const Failure = z
  .union([
    z.strictObject({ exitCode: z.number() }),
    z.strictObject({ signal: z.string() }),
    z.strictObject({ trap: z.string().describe('The message of the engine or the plug-in.') }),
  ])
  .meta({ id: 'Failure', description: 'How a program reported failure.' });
export type Failure = z.output<typeof Failure>;

/**
 * The end of a run. A failed run is a value, not an exception: the caller gets one of these and the audit
 * log records it.
 *
 * `stderr` is the program's output there, bounded, with undecodable bytes replaced. A run with protocol
 * `command` that was ended includes its output so far (`Written`).
 */
export const Outcome = z
  .union([
    z.strictObject({
      status: z.literal('succeeded'),
      /** For protocol `command` a `CommandOutput`. */
      output: z
        .unknown()
        .describe(
          "The skill's JSON. For protocol `command`: an object with `exitCode`, `stdout` and `stderr`, and `encoding` if `stdout` is in base64; after `input`, its stdout.",
        ),
      notJson: z
        .string()
        .describe(
          'Present if a script without a sidecar got `input`, and `output` is its text: why it is not JSON.',
        )
        .exactOptional(),
      encoding: z
        .literal('base64')
        .describe('Present if `output` is not JSON and its bytes are not UTF-8: it is in base64.')
        .exactOptional(),
    }),
    /** A non-zero exit, death by a signal, or a WebAssembly trap or plug-in error. */
    z.strictObject({
      status: z.literal('failed'),
      failure: Failure,
      stdout: z.string().exactOptional(),
      stderr,
    }),
    /** It exceeded its wall time, or its processor time. */
    z.strictObject({ status: z.literal('timed-out'), timeoutMs: z.number(), ...Written.shape }),
    z.strictObject({ status: z.literal('timed-out'), cpuMs: z.number(), ...Written.shape }),
    z.strictObject({ status: z.literal('out-of-memory'), memoryBytes: z.number(), ...Written.shape }),
    z.strictObject({ status: z.literal('out-of-fuel'), fuel: z.number(), ...Written.shape }),
    z.strictObject({ status: z.literal('output-too-large'), outputBytes: z.number(), ...Written.shape }),
    /**
     * The output is not JSON or does not match the skill's `output` schema, or the state that the
     * run left cannot be saved.
     */
    z.strictObject({ status: z.literal('output-invalid'), detail: z.string(), stderr }),
    z.strictObject({
      status: z.literal('capability-violated'),
      capability: z.string(),
      detail: z.string(),
      ...Written.shape,
    }),
    /** The caller, or a shutdown, ended the run. */
    z.strictObject({ status: z.literal('canceled'), reason: z.string(), ...Written.shape }),
    /** The daemon died during the run. Only found in the audit log. */
    z.strictObject({ status: z.literal('interrupted') }),
  ])
  .meta({ id: 'Outcome', description: 'How a run ended; `status` names the variant.' });
export type Outcome = z.output<typeof Outcome>;

/** The end of a run, in one word. */
export const OutcomeStatus = z
  .enum(outcomeStatuses)
  .meta({ id: 'OutcomeStatus', description: 'How a run ended.' }) satisfies z.ZodType<Outcome['status']>;
export type OutcomeStatus = Outcome['status'];

/** The output of a skill with protocol `command` that exits with 0. */
export interface CommandOutput {
  exitCode: 0;
  stdout: string;
  stderr: string;
  /** The encoding of `stdout`, whose bytes are not UTF-8. Absent: it is text. */
  encoding?: 'base64';
}

/** `null` if it could not be measured. */
const measured = z.number().nullable();

/** The resources that a run consumed; `null` where the platform cannot measure it. */
export const Usage = z
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
  });
export type Usage = z.output<typeof Usage>;
