import { z } from 'zod';
import { RecordedCapabilities } from '../capability/capabilities.ts';
import { OutcomeStatus } from '../outcome/outcome.ts';
import { AuditPosition } from './audit-log.ts';
import { ContentDigest, RecordedSkill } from './event-parts.ts';

/**
 * A statement with its signature: Ed25519 (RFC 8032) over the canonical JSON (RFC 8785) of
 * `statement`, in base64. `keyId` is the SHA-256 of the public key's DER, hex.
 */
export interface Signed<Statement> {
  statement: Statement;
  keyId: string;
  signature: string;
}

/**
 * The end of the log at one time. A copy stored elsewhere proves that earlier events are unchanged.
 */
export interface Checkpoint {
  type: 'ambit/checkpoint/1';
  logId: string;
  sequence: number;
  /** The hash of the event at `sequence`: `sha256:…`. */
  hash: string;
  /** ISO 8601, UTC. */
  time: string;
}

/** The result of one execution, as proof for others who do not have the log. */
export const Receipt = z
  .strictObject({
    type: z.literal('ambit/receipt/1'),
    logId: z.string(),
    executionId: z.string(),
    skill: RecordedSkill,
    actor: z.string().nullable(),
    policyDigest: z.string(),
    /** `null` if it was not recorded because the daemon died during the call. */
    decision: z.enum(['granted', 'denied']).nullable(),
    requested: RecordedCapabilities.nullable(),
    granted: RecordedCapabilities.nullable(),
    input: ContentDigest,
    output: ContentDigest.nullable(),
    outcome: z.union([OutcomeStatus, z.literal('denied')]),
    error: z.string().nullable().describe('The code of a refusal.'),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    /** Its events, by their place in the chain. */
    events: z.array(AuditPosition).readonly(),
  })
  .meta({
    id: 'Receipt',
    description: 'What one execution did, for readers without access to the log.',
  });
export type Receipt = z.output<typeof Receipt>;

/** One event outside calls, as proof for others who do not have the log. */
export const EventReceipt = z
  .strictObject({
    type: z.literal('ambit/event-receipt/1'),
    logId: z.string(),
    /** Its place in the chain. */
    sequence: z.number(),
    hash: z.string(),
    event: z
      .looseObject({ kind: z.string(), time: z.number().describe('Milliseconds since the epoch.') })
      .describe('The event as in the log.'),
  })
  .meta({
    id: 'EventReceipt',
    description: 'One event outside calls, such as an approval, for readers without access to the log.',
  });
export type EventReceipt = z.output<typeof EventReceipt>;

/** A receipt of an event with its signature. */
export const SignedEventReceipt = z
  .strictObject({
    statement: EventReceipt,
    keyId: z.string().describe("SHA-256 of the public key's DER, hex."),
    signature: z.string().describe('Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64.'),
  })
  .meta({
    id: 'SignedEventReceipt',
    description: 'A receipt of an event with its signature.',
  }) satisfies z.ZodType<Signed<EventReceipt>>;

/** Proof that the tree of a cluster has a checkpoint that covers the events of a receipt. */
const Inclusion = z
  .strictObject({
    leaf: z.string().describe('The leaf of the tree, with the signed checkpoint. Hash this text unchanged.'),
    index: z.number().describe('Of the leaf.'),
    head: z.string().describe('The signed head of the tree: a C2SP checkpoint.'),
    signer: z
      .strictObject({
        node: z.number().describe('The id of the node that signed the head.'),
        certificate: z.string().describe('Of that node, from the authority of the cluster, PEM.'),
      })
      .describe('Who signed the head.'),
    proof: z
      .array(z.string())
      .readonly()
      .describe('The hashes from the leaf to the root (RFC 6962), base64.'),
  })
  .meta({ id: 'Inclusion', description: 'Proof that the tree of a cluster covers the events of a receipt.' });
export type Inclusion = z.output<typeof Inclusion>;

/** A receipt with its signature. */
export const SignedReceipt = z
  .strictObject({
    statement: Receipt,
    keyId: z.string().describe("SHA-256 of the public key's DER, hex."),
    signature: z.string().describe('Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64.'),
    inclusion: Inclusion.exactOptional().describe(
      'Only in a cluster, once a checkpoint that covers the call is in its tree.',
    ),
  })
  .meta({ id: 'SignedReceipt', description: 'A receipt with its signature.' }) satisfies z.ZodType<
  Signed<Receipt>
>;
export type SignedReceipt = z.output<typeof SignedReceipt>;
