import { entryPoints } from '@ambit/core/audit';

/**
 * The actors of events that no key of `ambit key create` and no user of the command line caused. Every event that the program
 * writes under a name of its own takes the name from here, so that no key can have it.
 */
export const programActor = {
  /** The first key of a data directory. */
  firstKey: 'key',
  /** Ambit itself. */
  ambit: 'ambit',
  /** A command that passes a request on; the daemon then records the caller's key. */
  daemon: 'daemon',
  /** A decision whose record is damaged. */
  unknown: 'unknown',
  /** A session of the web console, followed by ":" and its id. */
  console: 'console',
} as const;

/** The name of the first key in lists. */
export const firstKeyName = 'first';

/** Names that readers of a log take for the program, its operator, or everybody. */
const alike =
  'admin administrator all anonymous anyone cli library none null operator root server system user'.split(
    ' ',
  );

const reserved = new Set(
  [...Object.values(programActor), firstKeyName, ...entryPoints, ...alike].map(appearance),
);

/** Whether a key's name is, or looks like, an actor that the program writes. */
export function isReservedActor(name: string): boolean {
  return reserved.has(appearance(name));
}

/** Maps a name of ASCII letters, digits, ".", "_" and "-" to its looks: lower case, one character for all that look alike. */
function appearance(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('rn', 'm')
    .replaceAll('0', 'o')
    .replace(/[i1]/g, 'l')
    .replace(/[._-]+$/, '');
}
