import { z } from 'zod';
import { canonicalJson } from '../json/canonical-json.ts';
import { SkillError } from '../outcome/skill-error.ts';

/** One file of a workspace, without its bytes. */
export const StoredFile = z.strictObject({
  /** See `isWorkspacePath`. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  /** The SHA-256 of its bytes, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When it got these bytes: milliseconds since the epoch. */
  modified: z.int(),
  /** Absent: it cannot be executed. */
  executable: z.literal(true).exactOptional(),
});
export type StoredFile = z.output<typeof StoredFile>;

/** A persistent workspace, as stored. Times are milliseconds since the epoch. */
export const Workspace = z.strictObject({
  id: z.string(),
  /** The actor that created it. Only this actor can see it. */
  owner: z.string(),
  /** Its owner's name for it, if any. */
  label: z.string().nullable(),
  /** For the contents of all files together. */
  quotaBytes: z.int().positive(),
  /** The time from its last use to its expiry. */
  expiresInMs: z.int().positive(),
  createdAt: z.int(),
  usedAt: z.int(),
  /** Sorted by path, as are `links` and `folders`. */
  files: z.array(StoredFile),
  /** Symbolic links; see `staysInside`. */
  links: z.array(z.strictObject({ path: z.string(), link: z.string() })),
  /** The paths of empty folders. */
  folders: z.array(z.string()),
});
export type Workspace = z.output<typeof Workspace>;

/** The size of all its files together. */
export function usedBytes({ files }: Pick<Workspace, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** When it expires unless it is used: milliseconds since the epoch. */
export function expiresAt({ usedAt, expiresInMs }: Pick<Workspace, 'usedAt' | 'expiresInMs'>): number {
  return usedAt + expiresInMs;
}

/** The file at a path. Throws `WORKSPACE_FILE_NOT_FOUND`. */
export function fileOf({ id, files }: Workspace, path: string): StoredFile {
  const file = files.find((each) => each.path === path);
  if (file !== undefined) return file;
  throw new SkillError(
    'WORKSPACE_FILE_NOT_FOUND',
    `workspace ${id} has no file ${JSON.stringify(path.slice(0, 200))}; list its files`,
  );
}

/** The files, links and empty folders of a workspace. */
export type WorkspaceContents = Pick<Workspace, 'files' | 'links' | 'folders'>;

/**
 * Identifies a state of a workspace: SHA-256, hex, over its files by path, size, digest and mode, then its links and its empty
 * folders.
 */
export function contentsDigest(
  { files, links, folders }: WorkspaceContents,
  sha256: (content: Uint8Array) => string,
): string {
  const listed = files.map(({ modified: _, ...file }) => file);
  const others = [...links, ...folders.map((path) => ({ path, folder: true }))];
  return sha256(new TextEncoder().encode(canonicalJson([...listed, ...others])));
}
