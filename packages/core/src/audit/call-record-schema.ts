import { z } from 'zod';
import { RecordedCapabilities } from '../capability/capabilities.ts';
import { Denial } from '../capability/denial.ts';
import { Limits } from '../capability/limits.ts';
import { EgressConnection } from '../egress/egress-connection.ts';
import { HostCalls } from '../outcome/host-calls.ts';
import { Failure, Usage } from '../outcome/outcome.ts';
import { recordOutcomes } from '../outcome/outcome-statuses.ts';
import { UsedCapabilities } from '../outcome/used.ts';
import { ContentDigest, entryPoints, RecordedSkill, RecordedWorkspace } from './event-parts.ts';

const storedText = z
  .strictObject({ text: z.string(), isCut: z.boolean().describe('Whether more was sent than is stored.') })
  .exactOptional();

/** A call in the log: its joined events. Times are ISO 8601, UTC. */
export const CallRecord = z
  .strictObject({
    sequence: z.number().describe('The sequence number of its first event. Records are ordered by it.'),
    node: z
      .string()
      .exactOptional()
      .describe('The node of the cluster that recorded it. Absent without a cluster.'),
    place: z
      .number()
      .exactOptional()
      .describe(
        'Only in a cluster: the place among the records of all nodes, which are ordered by it. `sequence` is the one in the log of `node`.',
      ),
    executionId: z.string(),
    parentId: z.string().exactOptional().describe('The chain or batch that the call belongs to.'),
    via: z.enum(entryPoints),
    actor: z.string().nullable().describe('The name of the key, or the user of the command line.'),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().describe('`null` while it runs.'),
    skill: RecordedSkill.nullable().describe('`null` if the request was refused before it named a skill.'),
    policyDigest: z.string().nullable(),
    capabilities: z.strictObject({
      requested: RecordedCapabilities.nullable(),
      added: RecordedCapabilities.exactOptional().describe(
        "The part of `requested` that the operator's grant adds, for a skill without a sidecar.",
      ),
      granted: RecordedCapabilities.nullable(),
      denied: z.array(Denial).readonly(),
    }),
    connections: z.array(EgressConnection).readonly(),
    hostCalls: HostCalls.exactOptional().describe('Absent if the call called no host function.'),
    redactions: z
      .number()
      .exactOptional()
      .describe(
        'How often a secret of the skill was redacted in what the run received, wrote and returned; a text counts each time that it is shown. Absent: never.',
      ),
    missingPrograms: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe(
        'Programs that its scripts name or tried to start, that the machine had and the grant lacked. Absent: none.',
      ),
    used: UsedCapabilities.exactOptional().describe('Absent if the call did not finish.'),
    limits: Limits.nullable(),
    sandbox: z.string().nullable().describe('The sandbox that the call ran in.'),
    workspace: RecordedWorkspace.extend({
      before: RecordedWorkspace.shape.before.exactOptional(),
      after: RecordedWorkspace.shape.after.exactOptional(),
    })
      .exactOptional()
      .describe('The workspace that the call names, with digests of its contents before and after the run.'),
    input: ContentDigest.nullable(),
    output: ContentDigest.nullable(),
    stored: z
      .strictObject({ input: storedText, output: storedText })
      .describe('The stored part of the input and the output, until it is pruned.'),
    outcome: z
      .enum(recordOutcomes)
      .describe(
        'The outcome of the run; `denied` if the call was refused or could not start; `running` until it ends.',
      ),
    /** Absent for every other outcome. */
    reason: z.string().exactOptional().describe('Who or what canceled the call.'),
    remedy: z
      .string()
      .exactOptional()
      .describe('For the operator: what raises the limit that ended the run. Absent: no limit did.'),
    failure: Failure.nullable(),
    usage: Usage.nullable(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    request: z.string().nullable().describe('Method and path of a request that the HTTP transport refused.'),
  })
  .meta({ id: 'CallRecord', description: 'One call as recorded in the log.' });
export type CallRecord = z.output<typeof CallRecord>;
