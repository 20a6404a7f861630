import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';

/** The connection was lost, or the server did not answer, after it had been asked to commit. */
export class UnknownCommitError extends Error {
  override readonly name = 'UnknownCommitError';
}

/** The server's report of an error. */
export interface ServerError {
  /** Its SQLSTATE. */
  code: string;
  /** Whether it ended the connection too. */
  isFatal: boolean;
  /** Whether it certainly undid the transaction. */
  isUndone: boolean;
}

/** Returns the server's report; `undefined` if the error is not from the server. */
export function serverErrorOf(error: unknown): ServerError | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  if (typeof code !== 'string' || typeof severity !== 'string') return undefined;
  // The server translates its severities, so the codes that matter are listed.
  const isFatal = /^(08|57P|25P03)/.test(code) || ['FATAL', 'PANIC'].includes(severity);
  return { code, isFatal, isUndone: !isFatal && (severity === 'ERROR' || /^(23|40(?!003))/.test(code)) };
}

/** Whether the transaction can run again: it conflicted with another one, which has won. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(serverErrorOf(error)?.code ?? '');
}

/** Whether the server refuses to write, as a replica does after a failover. */
export function isReadOnly(error: unknown): boolean {
  return serverErrorOf(error)?.code === '25006';
}

/** Says why PostgreSQL could not be used, and what to do. Never contains a password. */
export function postgresAdvice(error: unknown): string {
  if (error instanceof SkillError) return `its password is unavailable: ${error.message}`;
  if (error instanceof UnknownCommitError)
    return 'the connection was lost during a commit, so the change may have been made; check before you send it again';
  const code = (error as { code?: unknown } | null)?.code;
  const message = thrownText(error);
  if (serverErrorOf(error) !== undefined) return serverAdvice(String(code), message);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${message}; write a name that the certificate has in store.postgres.url`;
  if (typeof code === 'string' && /CERT|SIGNATURE|ISSUER/.test(code))
    return `its certificate is not trusted (${code}); name the file with its CA in store.postgres.tls.ca`;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `its host has no address (${code}); correct store.postgres.url, or check the name service`;
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENOENT':
      return `nothing accepts connections there (${code}); start PostgreSQL, or correct store.postgres.url`;
    case 'ETIMEDOUT':
      return silent;
    case 'ECONNRESET':
    case 'EPIPE':
      return lost;
  }
  if (/timeout exceeded when trying to connect/.test(message))
    return 'no connection became free in time; PostgreSQL is slow, or store.postgres.poolSize is too small';
  if (/connection timeout|timeout expired|Query read timeout/.test(message)) return silent;
  if (/Connection terminated|not queryable/.test(message)) return lost;
  if (/does not support SSL/.test(message))
    return 'it offers no TLS; turn on ssl in its configuration, or set store.postgres.tls: false if the network is trusted';
  if (/SASL|password/i.test(message))
    return 'it asks for a password; store one under secrets, and name that secret in store.postgres.password';
  return message;
}

/** The reason why a database that only reads cannot be used. */
export const readOnlyAdvice =
  'it is read-only, as a replica is after a failover; point store.postgres.url at the primary';

const silent = 'it does not answer in time; check the server, its load and the network';
const lost = 'the connection was lost; check the server and the network';

function serverAdvice(code: string, told: string): string {
  switch (code) {
    case '28P01':
      return 'the user or the password is wrong; correct store.postgres.url or the secret that store.postgres.password names';
    case '28000':
      return `it does not admit this user from here (${told}); correct store.postgres.url, or pg_hba.conf on the server`;
    case '3D000':
      return `${told}; create the database, or correct store.postgres.url`;
    case '42501':
      return `its user lacks a right (${told}); run as its administrator: GRANT CREATE ON DATABASE … TO …`;
    case '25006':
      return readOnlyAdvice;
    case '40001':
    case '40P01':
      return 'the change conflicted with others several times; try again';
    case '55P03':
      return 'another transaction holds a lock for too long; find it in pg_stat_activity';
    case '57014':
      return 'a statement took longer than store.postgres.statementTimeoutMs; check the load of the server';
    case '53100':
      return 'the disk of the server is full; free some space there';
    case '53300':
      return 'it has too many connections; raise max_connections there, or lower store.postgres.poolSize';
    case '57P01':
    case '57P02':
    case '57P03':
      return `the server is stopping or starting (${told}); try again in a moment`;
    default:
      return `${told} (${code})`;
  }
}
