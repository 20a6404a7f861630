/** The text of a file that a source names. Rejects with an `ImportError` that goes on from the file's name. */
export type ReadFile = (path: string) => Promise<string>;

/** A manifest, and the files beside and below it. */
export interface Source {
  manifest: string;
  readFile: ReadFile;
}

/** How much of a source is read, in bytes and in files. */
export const sourceBounds = {
  /** Of a manifest. */
  manifestBytes: 4 * 1024 * 1024,
  /** Of any other file that is read as text: what a skill's `SKILL.md` may have. */
  fileBytes: 1024 * 1024,
  /** Of all files together. */
  bytes: 64 * 1024 * 1024,
  files: 20_000,
  depth: 8,
} as const;
