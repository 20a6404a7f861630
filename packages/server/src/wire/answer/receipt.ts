import type { Receipt, Signed } from '@ambit/core/internal';
import { z } from 'zod';
import { AnsweredCapabilities, AnsweredTier } from './capability.ts';
import { AnsweredOutcomeStatus, AnsweredPosition } from './outcome.ts';

/** SHA-256 and size of bytes that are not kept. */
export const AnsweredDigest = z
  .strictObject({ digest: z.string().describe('`sha256:…`'), bytes: z.number() })
  .meta({ id: 'ContentDigest', description: 'What bytes that are not kept were.' });

/** The skill of a call as it was found, or only the name that was asked for. */
export const AnsweredSkill = z
  .union([
    z.strictObject({ id: z.string() }),
    z.strictObject({
      id: z.string(),
      version: z.string().nullable(),
      digest: z.string(),
      tier: AnsweredTier,
    }),
  ])
  .meta({
    id: 'RecordedSkill',
    description: 'The skill as it was found, or only the name that was asked for.',
  });

const AnsweredReceipt = z
  .strictObject({
    type: z.literal('ambit/receipt/1'),
    logId: z.string(),
    executionId: z.string(),
    skill: AnsweredSkill,
    actor: z.string().nullable(),
    policyDigest: z.string(),
    decision: z.enum(['granted', 'denied']).nullable(),
    requested: AnsweredCapabilities.nullable(),
    granted: AnsweredCapabilities.nullable(),
    input: AnsweredDigest,
    output: AnsweredDigest.nullable(),
    outcome: z.union([AnsweredOutcomeStatus, z.literal('denied')]),
    error: z.string().nullable().describe('The code of a refusal.'),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    events: z.array(AnsweredPosition).readonly(),
  })
  .meta({
    id: 'Receipt',
    description: 'What came of one execution, for somebody who does not have the log.',
  });

/** A receipt with its signature. */
export const SignedReceipt = z
  .strictObject({
    statement: AnsweredReceipt,
    keyId: z.string().describe("SHA-256 of the public key's DER, hex."),
    signature: z.string().describe('Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64.'),
  })
  .meta({ id: 'SignedReceipt', description: 'A receipt with its signature.' }) satisfies z.ZodType<
  Signed<Receipt>
>;
