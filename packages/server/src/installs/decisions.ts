import { Tier } from '@ambit/core/execute';
import { z } from 'zod';
import { programActor } from '../auth/reserved-actors.ts';
import type { StoredApproval, StoredDecisions } from '../store/operations/decisions.ts';
import type { Store } from '../store/store.ts';

/** The facts that an approval is bound to. A change of any of them ends the approval. */
export const Approval = z.strictObject({
  requests: z.array(z.string()).describe('What it asks for, a line each.'),
  publisher: z.string().nullable().describe('Who signed it; `null`: it is not signed.'),
  identity: z.string().nullable().describe('The key or the workflow that signed it.'),
  dependencies: z.string().nullable().describe('The digest of its locked packages; `null`: it has none.'),
  source: z.string().nullable().describe('Where it came from; `null`: unknown.'),
  tier: Tier.exclude(['untrusted']).describe('The tier that it runs with.'),
  by: z.string().describe('Who approved it.'),
  at: z.iso.datetime(),
  sequence: z.number().describe('Of the event in the audit log.'),
  until: z.iso.datetime().exactOptional().describe('When it ends. Absent: never.'),
  isEnded: z.literal(true).exactOptional().describe('The audit log has the event of its end.'),
});
export type Approval = z.output<typeof Approval>;

/** The revocation of a version or a publisher. */
const Revocation = z.strictObject({
  reason: z.string().nullable(),
  by: z.string(),
  at: z.iso.datetime(),
});
type Revocation = z.output<typeof Revocation>;

/** The operator's decisions about installed skills. */
export interface Decisions {
  revision: number;
  /** By `approvalKey`. */
  approvals: ReadonlyMap<string, Approval>;
  /** Approvals that have ended by themselves. */
  expired: ReadonlyMap<string, Approval>;
  /** By digest, or `publisher:` and a name. */
  revocations: ReadonlyMap<string, Revocation>;
}

export const noDecisions: Decisions = {
  revision: 0,
  approvals: new Map(),
  expired: new Map(),
  revocations: new Map(),
};

/** Returns the key under which the approval of a version is listed; see `versionKey`. */
export function approvalKey(id: string, version: string): string {
  return `${id} ${version}`;
}

/** Returns the key of a stored approval, beside the id of its skill: the digests of its files and its locked packages. */
export function versionKey(digest: string, dependencies: string | null): string {
  return dependencies === null ? digest : `${digest} ${dependencies}`;
}

/** Returns the subject under which a revocation of a publisher is stored. */
export function publisherSubject(name: string): string {
  return `publisher:${name}`;
}

/** Reads the decisions of a store. Rejects with `STORE_UNAVAILABLE`. */
export async function readDecisions(store: Pick<Store, 'run'>, now = Date.now()): Promise<Decisions> {
  return decisionsOf(await store.run('listDecisions'), now);
}

/** Stored decisions, as of now. A damaged row approves nothing; a damaged revocation revokes. */
export function decisionsOf(
  { revision, approvals, revocations }: StoredDecisions,
  now = Date.now(),
): Decisions {
  const approved = approvals.flatMap(({ id, digest, record }) => {
    const approval = approvalIn(record);
    return approval === undefined ? [] : [[approvalKey(id, digest), approval] as const];
  });
  const revoked = revocations.map(({ subject, record }) => {
    const read = Revocation.safeParse(objectIn(record));
    return [
      subject,
      read.success ? read.data : { reason: null, by: programActor.unknown, at: '1970-01-01T00:00:00.000Z' },
    ] as const;
  });
  const all = { revision, approvals: new Map(approved), expired: new Map(), revocations: new Map(revoked) };
  return withoutExpired(all, now);
}

/** The decisions with the approvals that have ended until now among `expired`. The same object if none has. */
export function withoutExpired(decisions: Decisions, now: number): Decisions {
  const ended = [...decisions.approvals].filter(([, approval]) => isExpired(approval, now));
  if (ended.length === 0) return decisions;
  const approvals = new Map(decisions.approvals);
  for (const [key] of ended) approvals.delete(key);
  return { ...decisions, approvals, expired: new Map([...decisions.expired, ...ended]) };
}

/** Whether an approval has ended by itself. */
export function isExpired({ until }: Pick<Approval, 'until'>, now: number): boolean {
  return until !== undefined && Date.parse(until) <= now;
}

/** Whether an approval ends by itself, or has and is not recorded yet. */
export function canEnd(decisions: Decisions | Error): boolean {
  if (decisions instanceof Error) return true;
  return (
    hasUnrecordedEnd(decisions) || [...decisions.approvals.values()].some(({ until }) => until !== undefined)
  );
}

/** Whether the end of an approval is not recorded yet. */
export function hasUnrecordedEnd(decisions: Decisions | Error): boolean {
  return (
    !(decisions instanceof Error) && [...decisions.expired.values()].some(({ isEnded }) => isEnded !== true)
  );
}

/** A stored approval; `undefined` if it is damaged. */
export function approvalIn(record: string): Approval | undefined {
  return Approval.safeParse(objectIn(record)).data;
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
