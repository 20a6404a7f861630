import type { InstallError } from '../install-error.ts';

/** One entry of a source, as it is written there: nothing is checked yet. */
export interface SourceEntry {
  path: string;
  kind: 'file' | 'folder' | 'symlink' | 'hard-link' | 'special';
  /** The declared size of a file. Reading yields this many bytes, or fails. */
  bytes: number;
  isExecutable: boolean;
  /** The target of a link. */
  target?: string;
  /** Reads the content of a file. Can be called once, before the next entry. */
  read(): Promise<Uint8Array>;
}

/** Files of other people. They can be listed several times, always with the same entries. */
export interface Source {
  /**
   * Rejects with an `InstallError` if the source is damaged. With `wanted`, only the contents of these entries are read, by
   * number, from 0.
   */
  entries(wanted?: (place: number) => boolean): AsyncIterable<SourceEntry>;
}

/** A skill that is left out. */
export interface RefusedSkill {
  /** In the source. */
  folder: string;
  error: InstallError;
}

/** A source that a server lists. */
export interface ServedSource extends Source {
  /** The hash of the list, which has the digest of everything that was read. */
  sha256: string;
  leftOut: readonly RefusedSkill[];
}
