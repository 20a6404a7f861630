import { z } from 'zod';

/** The name of a publisher, as `publisher:NAME` names it. */
const PublisherName = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'write lower-case letters, digits and single hyphens')
  .max(64, 'the maximum is 64 characters');

const patternText = 'write a pattern for the whole text: * stands for anything without /, ** for anything';
const Pattern = z.string(patternText).min(1, patternText).max(500, 'the maximum is 500 characters');
const Patterns = listOf(Pattern, 'write a pattern, or a list of them');

/** The `publishers` of a configuration file. `path` is the schema of a path. */
export function publisherKeys(path: z.ZodType<string>) {
  return z.array(publisher(path)).superRefine((all, context) => {
    for (const [at, { name }] of all.entries())
      if (all.findIndex((each) => each.name === name) !== at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: `${name} is listed twice` });
  });
}

function publisher(path: z.ZodType<string>) {
  return z
    .strictObject({
      name: PublisherName,
      /** The sources whose skills it signs; see `canonicalSource`. */
      match: Patterns,
      /** Files with its public keys, in PEM. */
      ed25519: listOf(path, 'write the path of a public key, or a list of them').exactOptional(),
      /** Whose certificates sign, as their issuer has checked it. */
      sigstore: z
        .strictObject({
          issuer: z.url({ protocol: /^https$/, error: 'write an https:// URL' }),
          repository: Pattern,
          refs: Patterns,
          runner: z.enum(['github-hosted', 'self-hosted', 'gitlab-hosted']).default('github-hosted'),
          /** Absent: the one that comes with Ambit. */
          trustedRoot: path.exactOptional(),
        })
        .exactOptional(),
      /** The tier of an approval that names none, and the highest that an approval can have. */
      tier: z.enum(['verified', 'local']).exactOptional(),
    })
    .refine(
      ({ ed25519, sigstore }) => (ed25519 === undefined) !== (sigstore === undefined),
      'write either ed25519 or sigstore',
    );
}

/** A publisher that signs the skills of a source. */
export type Publisher = z.output<ReturnType<typeof publisher>>;

/** One value, or a list with at least one. */
function listOf<Item extends z.ZodType>(item: Item, message: string) {
  return z.union([item.transform((each) => [each]), z.array(item).min(1, message).max(100)], message);
}
