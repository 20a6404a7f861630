import { Tier } from '@ambit/core/execute';
import { z } from 'zod';
import type { StoredApproval, StoredDecisions } from '../store/operations/decisions.ts';
import type { Store } from '../store/store.ts';

/** What an approval is bound to. A change of any of it ends the approval. */
export const Approval = z.strictObject({
  requests: z.array(z.string()).describe('What it asks for, a line each.'),
  publisher: z.string().nullable().describe('Who signed it; `null`: it is not signed.'),
  identity: z.string().nullable().default(null).describe('The key or the workflow that signed it.'),
  dependencies: z
    .string()
    .nullable()
    .default(null)
    .describe('The digest of its locked packages; `null`: it has none.'),
  source: z.string().nullable().default(null).describe('Where it came from; `null`: unknown.'),
  tier: Tier.exclude(['untrusted']).describe('The tier that it runs with.'),
  by: z.string().describe('Who approved it.'),
  at: z.iso.datetime(),
  sequence: z.number().describe('Of the event in the audit log.'),
});
export type Approval = z.output<typeof Approval>;

/** The revocation of a version or a publisher. */
const Revocation = z.strictObject({
  reason: z.string().nullable(),
  by: z.string(),
  at: z.iso.datetime(),
});
type Revocation = z.output<typeof Revocation>;

/** What the operator decided about installed skills. */
export interface Decisions {
  revision: number;
  /** By `approvalKey`. */
  approvals: ReadonlyMap<string, Approval>;
  /** By digest, or `publisher:` and a name. */
  revocations: ReadonlyMap<string, Revocation>;
}

export const noDecisions: Decisions = { revision: 0, approvals: new Map(), revocations: new Map() };

/** What the approval of a version is listed under; see `versionKey`. */
export function approvalKey(id: string, version: string): string {
  return `${id} ${version}`;
}

/** What the approval of a version is stored under, beside its id: the digests of its files and of its locked packages. */
export function versionKey(digest: string, dependencies: string | null): string {
  return dependencies === null ? digest : `${digest} ${dependencies}`;
}

/** What a revocation of a publisher is stored under. */
export function publisherSubject(name: string): string {
  return `publisher:${name}`;
}

/** Reads the decisions of a store. Rejects with `STORE_UNAVAILABLE`. */
export async function readDecisions(store: Pick<Store, 'run'>): Promise<Decisions> {
  return decisionsOf(await store.run('listDecisions'));
}

/** Stored decisions. A damaged row approves nothing; a damaged revocation revokes. */
export function decisionsOf({ revision, approvals, revocations }: StoredDecisions): Decisions {
  const approved = approvals.flatMap(({ id, digest, record }) => {
    const read = Approval.safeParse(objectIn(record));
    return read.success ? [[approvalKey(id, digest), read.data] as const] : [];
  });
  const revoked = revocations.map(({ subject, record }) => {
    const read = Revocation.safeParse(objectIn(record));
    return [
      subject,
      read.success ? read.data : { reason: null, by: 'unknown', at: '1970-01-01T00:00:00.000Z' },
    ] as const;
  });
  return { revision, approvals: new Map(approved), revocations: new Map(revoked) };
}

function objectIn(json: string): object {
  try {
    return Object(JSON.parse(json)) as object;
  } catch {
    return {};
  }
}

/** An approval as it is stored. */
export function storedApproval(id: string, digest: string, approval: Approval): StoredApproval {
  return { id, digest: versionKey(digest, approval.dependencies), record: JSON.stringify(approval) };
}
