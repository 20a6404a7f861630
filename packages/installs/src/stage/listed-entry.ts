import type { SourceEntry } from '../source/source.ts';

/** An entry of a source without its content, at its checked path. */
export interface ListedEntry extends Pick<SourceEntry, 'kind' | 'bytes' | 'isExecutable' | 'target'> {
  /** Relative to the source, with forward slashes. */
  path: string;
  /** The number of the entry in the source. */
  place: number;
}
