import type { PostgresTarget } from '../../config/file/postgres-target.ts';

/** The settings for reaching PostgreSQL. */
export interface PostgresSettings {
  target: PostgresTarget;
  /** Asked for each connection, so that it can change. Absent: the server asks for none. */
  password?: (() => Promise<string>) | undefined;
  /**
   * `ca`: a file with the certificates to trust; `null`: Node's. `verify: false` encrypts without checking the
   * server. `false`: no TLS. `null`: TLS unless the target is local.
   */
  tls: { ca: string | null; verify: boolean } | false | null;
  poolSize: number;
  statementTimeoutMs: number;
  /** The time to connect, and to wait for a free connection of the pool. */
  connectTimeoutMs: number;
}
