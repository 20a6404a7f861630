import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { NewClaim } from '../../jobs/idempotency/claim-store.ts';
import { ResponseHead } from '../../jobs/idempotency/response-head.ts';
import type { StoredClaim } from '../operations/claims.ts';
import type { Store } from '../store.ts';
import { readFormerFile } from './read-former-file.ts';
import { copiesOf, entriesOf, setAside } from './set-aside.ts';

/** The claims of Ambit 0.1.0: a folder with a file for each. */
export interface FormerClaims {
  folder: string;
  /** Called for a file that cannot be read. Its call does not run again. */
  onUnreadable(file: string, cause: unknown): void;
}

type ImportedClaim = NewClaim & Pick<StoredClaim, 'head' | 'body'>;

const form = /^([0-9a-f]{16})-([0-9a-f]{64})\.json$/;
const [bytesAtOnce, countAtOnce] = [4 * 1024 * 1024, 100];

/** Stores the claims of the folder, then sets it aside. After a crash, the next start does so again. */
export async function importClaims(store: Store, { folder, onUnreadable }: FormerClaims): Promise<void> {
  const files = await entriesOf(folder);
  if (files === undefined) return;
  let [claims, bytes]: [ImportedClaim[], number] = [[], 0];
  for (const file of files) {
    const [, owner, name] = form.exec(file) ?? [];
    if (owner === undefined || name === undefined) continue;
    const path = join(folder, file);
    const claim = await claimAt(path).catch(async (error: unknown) => {
      onUnreadable(path, error);
      return unknownClaim(Math.round((await lstat(path)).mtimeMs));
    });
    claims.push({ name, owner, ...claim });
    bytes += claim.body?.length ?? 0;
    if (bytes < bytesAtOnce && claims.length < countAtOnce) continue;
    await store.run('importClaims', claims);
    [claims, bytes] = [[], 0];
  }
  await store.run('importClaims', claims);
  await setAside(folder);
}

/** Removes copies that were last written before a time, because they contain responses. */
export async function removeFormerClaims({ folder }: FormerClaims, before: number): Promise<void> {
  for (const copy of await copiesOf(folder))
    if ((await lstat(copy)).mtimeMs <= before) await rm(copy, { recursive: true });
}

const ClaimHead = z.strictObject({
  executionId: z.string(),
  fingerprint: z.string(),
  claimedAt: z.int(),
});

/** The first line of a file, in the version in which the response's body follows it, and in the one before. */
const FirstLine = z.union([
  ClaimHead.extend({
    version: z.literal(2),
    ending: ResponseHead.extend({ bodyBytes: z.int() }).nullable(),
  }),
  ClaimHead.extend({ version: z.literal(1), ending: ResponseHead.extend({ text: z.string() }).nullable() }),
]);

async function claimAt(path: string): Promise<Omit<ImportedClaim, 'name' | 'owner'>> {
  const file = await readFormerFile(path);
  const line = file.indexOf('\n');
  const end = line === -1 ? file.length : line;
  const { version: _, ending, ...claim } = FirstLine.parse(JSON.parse(file.toString('utf8', 0, end)));
  if (ending === null) return { ...claim, head: null, body: null };
  if ('text' in ending) {
    const { text, ...head } = ending;
    return { ...claim, head: JSON.stringify(head), body: Buffer.from(text) };
  }
  const { bodyBytes, ...head } = ending;
  const body = file.subarray(end + 1);
  if (body.length !== bodyBytes)
    throw new Error(`the body of a response has ${body.length} bytes, not ${bodyBytes}`);
  return { ...claim, head: JSON.stringify(head), body };
}

/** A claim that refuses its key as damaged. */
function unknownClaim(claimedAt: number): Omit<ImportedClaim, 'name' | 'owner'> {
  return { executionId: '', fingerprint: '', claimedAt, head: '', body: null };
}
