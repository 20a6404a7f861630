/**
 * The text of a file that a source names. Rejects with a `UsageError` whose message continues a
 * sentence that begins with the file's name.
 */
export type ReadFile = (path: string) => Promise<string>;

/** A manifest, and access to the files in and below its folder. */
export interface Source {
  manifest: string;
  readFile: ReadFile;
}

/** Limits on what an import { UsageError } from '@ambit/core/outcome';
import reads. */
export const sourceBounds = {
  /** Per manifest. */
  manifestBytes: 4 * 1024 * 1024,
  /** Per other text file: the limit of a `SKILL.md`. */
  fileBytes: 1024 * 1024,
  /** For all files together. */
  bytes: 64 * 1024 * 1024,
  files: 20_000,
  depth: 8,
} as const;
