import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Client, ClientConfig, Pool, PoolConfig } from 'pg';
import { type Row, type Statement, textOf } from '../statement.ts';
import type { PostgresSettings } from './postgres-settings.ts';

/** A connection, which runs one statement at a time. */
export interface Connection {
  rowsOf(statement: Statement): Promise<readonly Row[]>;
  /** Runs a statement without values. Resolves to its command, such as `COMMIT`. */
  command(text: string): Promise<string>;
  /** Closes it, however the server behaves. */
  drop(): void;
}

/** A connection of the pool. */
export interface PooledConnection extends Connection {
  /** Gives it back, for another user. */
  release(): void;
}

export interface Connections {
  /** Waits for a free connection, at most `connectTimeoutMs`. */
  pooled(): Promise<PooledConnection>;
  /** A connection beside the pool. `onEnd` is called when it has ended. */
  single(onEnd: () => void): Promise<Connection>;
  /** Connects anew from now on: the server may be another one. */
  renew(): void;
  load(): { open: number; idle: number; waiting: number };
  /** Ends the idle connections; the others must have been released. */
  close(): Promise<void>;
}

/** The client waits a little longer than the server, which can say why it gives up. */
const serverFirstMs = 1000;

/** The schema of the store. */
export const schemaName = 'ambit';
/** The schema of the audit index. Backups of the store leave it out, and an operator can drop it. */
export const auditSchemaName = 'ambit_audit';

/**
 * Loads the client library, which no daemon without PostgreSQL needs. Connects when asked. Rejects if the file with
 * certificates cannot be read.
 */
export async function openConnections(settings: PostgresSettings, schema = schemaName): Promise<Connections> {
  const { default: pg } = await import('pg');
  const config = clientConfig(settings, schema, await tlsOf(settings));

  class OwnClient extends pg.Client {
    readonly socket: Socket;
    constructor() {
      const socket = new Socket();
      super({ ...config, stream: () => socket });
      this.socket = socket;
      // A statement or `end` reports it as well, and unheard it would end the process.
      this.on('error', () => undefined);
    }
  }
  const newPool = (): Pool => {
    const options: PoolConfig & { Client: unknown } = {
      ...config,
      Client: OwnClient,
      max: settings.poolSize,
      idleTimeoutMillis: 60_000,
    };
    return new pg.Pool(options).on('error', () => undefined);
  };
  let pool = newPool();
  return {
    async pooled() {
      const client = (await pool.connect()) as unknown as OwnClient & { release(error?: boolean): void };
      return {
        ...connection(client),
        release: () => client.release(),
        drop() {
          client.socket.destroy();
          client.release(true);
        },
      };
    },
    async single(onEnd) {
      const client = new OwnClient();
      await client.connect();
      client.once('end', onEnd);
      return connection(client);
    },
    renew() {
      void pool.end();
      pool = newPool();
    },
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** Plans for the values of each query: a range of calls can be short or everything. Groups of calls are hashed, not sorted. */
const forQueries = ' -c plan_cache_mode=force_custom_plan -c jit=off -c work_mem=64MB';

function clientConfig(settings: PostgresSettings, schema: string, ssl: ClientConfig['ssl']): ClientConfig {
  const { target, password, statementTimeoutMs, connectTimeoutMs } = settings;
  return {
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    // As a function also without a password: the library would look for one in the environment and the home folder.
    password: password ?? (() => undefined as unknown as string),
    ssl,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs(settings),
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + serverFirstMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'ambit',
    options: `-c search_path=${schema}${schema === auditSchemaName ? forQueries : ''}`,
    types: { getTypeParser: (oid: number) => parsers.get(oid) ?? ((text: string) => text) } as never,
  };
}

/** Shorter than the timeout of statements, so that the server reports a lock as such. */
function lockTimeoutMs({ statementTimeoutMs }: PostgresSettings): number {
  return Math.ceil(statementTimeoutMs / 2);
}

async function tlsOf({ target, tls }: PostgresSettings): Promise<Exclude<ClientConfig['ssl'], undefined>> {
  if (tls === false || (tls === null && target.isLocal)) return false;
  const { ca, verify } = tls ?? { ca: null, verify: true };
  if (ca === null) return { rejectUnauthorized: verify };
  try {
    return { rejectUnauthorized: verify, ca: await readFile(ca, 'utf8') };
  } catch (cause) {
    throw new Error(`cannot read store.postgres.tls.ca: ${(cause as Error).message}`, { cause });
  }
}

/** By the OID of a type. Everything else stays text. */
const parsers = new Map<number, (text: string) => unknown>([
  // INT8, INT2, INT4, FLOAT8, NUMERIC
  ...[20, 21, 23, 701, 1700].map((oid) => [oid, Number] as const),
  // BYTEA, as `\x0102…`
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
]);

function connection(client: Client & { socket: Socket }): Connection {
  return {
    async rowsOf(statement) {
      const text = textOf(statement, (number) => `$${number}`);
      const { rows } = await client.query<Row>({
        text,
        values: [...statement.values],
        // Prepared once in each connection.
        name: nameOf(text),
      });
      return rows;
    },
    command: async (text) => (await client.query(text)).command,
    drop: () => void client.socket.destroy(),
  };
}

const names = new Map<string, string>();

/** A name for a statement: names are short, statements may be longer. There are only as many as in the source. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `ambit_${names.size + 1}`;
  names.set(text, name);
  return name;
}
