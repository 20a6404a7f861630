import { z } from 'zod';
import { RecordedTier } from '../capability/tier.ts';

/** Every entry point of a call. */
export const entryPoints = ['http', 'mcp', 'cli', 'library'] as const;

/** The entry point of a call. */
export type EntryPoint = (typeof entryPoints)[number];

/** The caller: the name of its key, or the user of the command line. Never a key itself. */
export type Actor = string;

/** SHA-256 and size of bytes that are not stored. */
export const ContentDigest = z
  .strictObject({ digest: z.string().describe('`sha256:…`'), bytes: z.number() })
  .meta({ id: 'ContentDigest', description: 'SHA-256 and size of a payload.' });
export type ContentDigest = z.output<typeof ContentDigest>;

/** A skill as it was found. */
const FoundSkill = z.strictObject({
  id: z.string(),
  version: z.string().nullable(),
  digest: z.string(),
  tier: RecordedTier,
  dependencies: z
    .string()
    .exactOptional()
    .describe('Of its locked packages: `sha256:…`, as in the lock file. Absent: it has none.'),
});
export type FoundSkill = z.output<typeof FoundSkill>;

/** The skill that was found, or only the requested name. */
export const RecordedSkill = z.union([z.strictObject({ id: z.string() }), FoundSkill]).meta({
  id: 'RecordedSkill',
  description: 'The skill of a call, or only the requested name if no such skill was found.',
});
export type RecordedSkill = z.output<typeof RecordedSkill>;

/**
 * The stored text of an input or output. It is stored beside the event, so that it can be pruned.
 * `text` is already redacted and truncated; the event has its digest.
 */
export interface RecordedPayload {
  of: 'input' | 'output';
  text: string;
  /** Whether the text was truncated. */
  isCut: boolean;
}

/** The files of a run that no workspace can store, while the rest was stored. */
export const LeftOut = z
  .array(z.strictObject({ path: z.string(), why: z.string() }))
  .describe('What the run left and no workspace can store; at most 20. The rest is stored.');
export type LeftOut = z.output<typeof LeftOut>;

/**
 * The workspace of a call: digests (hex) of its content before and after. Nothing was saved if they
 * are equal.
 */
export const RecordedWorkspace = z.strictObject({
  id: z.string(),
  before: z.string(),
  after: z.string(),
  leftOut: LeftOut.exactOptional(),
});
export type RecordedWorkspace = z.output<typeof RecordedWorkspace>;
