/** The server and the database that a URL names. */
export interface PostgresTarget {
  /** A name, an address, or the folder of a Unix socket. */
  host: string;
  port: number;
  user: string;
  database: string;
  /** Whether connections stay on this machine. */
  isLocal: boolean;
  /** The URL without anything that could be secret. */
  shown: string;
}

/**
 * Reads a URL such as `postgres://ambit@db.example:5432/ambit`. The folder of a Unix socket is a host in percent encoding,
 * `postgres://ambit@%2Frun%2Fpostgresql/ambit`. Returns what is wrong with any other text, never the text.
 */
export function postgresTarget(text: string): PostgresTarget | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    return 'write a URL such as postgres://ambit@db.example:5432/ambit';
  if (url.password !== '')
    return 'it contains a password; remove it, store it under secrets, and name that secret in store.postgres.password';
  if (url.search !== '' || url.hash !== '')
    return 'it has parameters (after "?"); remove them, and write TLS and timeouts as keys of store.postgres';
  const host = decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const [user, database] = [decoded(url.username), decoded(url.pathname.slice(1))];
  if (!host || !user || !database)
    return 'it needs a user, a host and a database, as in postgres://ambit@db.example:5432/ambit';
  const isLocal =
    host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
  return { host, port: url.port === '' ? 5432 : Number(url.port), user, database, isLocal, shown: url.href };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
