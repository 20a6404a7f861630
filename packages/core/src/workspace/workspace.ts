import { z } from 'zod';
import { canonicalJson } from '../audit/canonical-json.ts';

/** One file of a workspace, without its bytes. */
export const StoredFile = z.strictObject({
  /** See `isWorkspacePath`. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  /** Of its bytes, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When it got these bytes: milliseconds since the epoch. */
  modified: z.int(),
});
export type StoredFile = z.output<typeof StoredFile>;

/** A workspace that lives across calls, as it is kept. Times are milliseconds since the epoch. */
export const Workspace = z.strictObject({
  id: z.string(),
  /** The actor that made it, and the only one for whom it is there. */
  owner: z.string(),
  /** What its owner calls it; `null`: nothing. */
  label: z.string().nullable(),
  /** For the contents of all files together. */
  quotaBytes: z.int().positive(),
  /** So long after its last use it is gone. */
  expiresInMs: z.int().positive(),
  createdAt: z.int(),
  usedAt: z.int(),
  /** Sorted by path. */
  files: z.array(StoredFile),
});
export type Workspace = z.output<typeof Workspace>;

/** The contents of all its files together. */
export function usedBytes({ files }: Pick<Workspace, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** When it is gone, unless it is used before: milliseconds since the epoch. */
export function expiresAt({ usedAt, expiresInMs }: Pick<Workspace, 'usedAt' | 'expiresInMs'>): number {
  return usedAt + expiresInMs;
}

/** What tells two states of a workspace apart: SHA-256, hex, over its files by path, size and digest. */
export function contentsDigest(
  { files }: Pick<Workspace, 'files'>,
  sha256: (content: Uint8Array) => string,
): string {
  const listed = files.map(({ path, bytes, sha256: digest }) => ({ path, bytes, sha256: digest }));
  return sha256(new TextEncoder().encode(canonicalJson(listed)));
}
