/** A change of the product after which it still runs, but a guarantee is silently lost. */
export interface Mutant {
  id: string;
  area: (typeof areas)[number];
  /** The sentence that no longer holds. */
  breaks: string;
  /** The source file, from the root of the repository. */
  file: string;
  /** Occurs once in the file. */
  find: string;
  replace: string;
  /** The cheapest test files that fail, from the root of the repository. */
  killedBy: readonly string[];
}

export const areas = [
  'grant',
  'redaction',
  'egress',
  'seccomp',
  'lock',
  'recorder',
  'installs',
  'keys',
] as const;

/** The source no longer has what a mutant changes, or has it several times. */
export class StaleMutant extends Error {
  override readonly name = 'StaleMutant';
}

/** The source with a mutant's change. Throws a `StaleMutant`. */
export function mutated(source: string, { id, file, find, replace }: Omit<Mutant, 'killedBy'>): string {
  const [before = '', after, ...more] = source.split(find);
  if (after === undefined)
    throw new StaleMutant(`${file} no longer has the text that ${id} replaces; change "find" of the mutant`);
  if (more.length > 0)
    throw new StaleMutant(
      `${file} has the text that ${id} replaces ${more.length + 1} times; name more of it`,
    );
  return before + replace + after;
}
