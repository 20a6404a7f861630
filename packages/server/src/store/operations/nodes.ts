import { now } from '../postgres/database-time.ts';
import { rowsOf, type Statement, sql, type Transaction } from '../statement.ts';

/** A cluster, as every node knows it. */
export interface StoredCluster {
  id: string;
  /** The certificate of its authority, PEM. */
  authority: string;
}

/** A node that joins. */
export interface NewNode {
  name: string;
  /** HOST:PORT, for other nodes. */
  advertise: string;
}

/** A node with its certificate, PEM. */
export interface CertifiedNode {
  id: number;
  name: string;
  certificate: string;
}

/** A node of the cluster. Times are milliseconds of the database's clock. */
export interface StoredNode extends NewNode {
  id: number;
  state: 'active' | 'draining' | 'retired';
  version: string;
  epoch: number;
  instance: string | null;
  /** 0: it has no lease. */
  leaseUntil: number;
  joinedAt: number;
  /** JSON: the ids of the nodes that it could not reach when it renewed its lease. */
  unreachable: string;
  /** The time of the database. */
  now: number;
}

/** The extent of a node's audit log in the database. */
export interface ShippedLog {
  logId: string;
  through: number;
  /** The hash of the event at `through`, hex; empty for 0. */
  hash: string;
}

/** An entry of the cluster's log: JSON, and its signature by a node (Ed25519, base64). */
export interface ClusterEntry {
  sequence: number;
  statement: string;
  node: number;
  signature: string;
}

/** The reason why an entry is not added: its sequence is taken, or its signer is retired, so that it would not count. */
export type EntryRefusal = 'late' | 'signer-retired';

const node: Statement = {
  parts: [
    `id, name, advertise, state, version, epoch, instance, lease_until AS "leaseUntil", joined_at AS "joinedAt", unreachable,
     CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now`,
  ],
  values: [],
};

type NodeRow = StoredNode & Record<string, unknown>;

/** Only in PostgreSQL. Each change of the list of nodes locks the row of the cluster. */
export const nodeOperations = {
  /** Creates the cluster of this database. Returns whether there was none. */
  *createCluster({ id, authority }: StoredCluster): Transaction<boolean> {
    const made = yield* rowsOf(sql`
      INSERT INTO cluster (one, id, authority, created_at) VALUES (1, ${id}, ${authority}, ${now})
      ON CONFLICT (one) DO NOTHING RETURNING id`);
    return made.length > 0;
  },

  *findCluster(): Transaction<StoredCluster | undefined> {
    const [found] = yield* rowsOf<StoredCluster & Record<string, unknown>>(
      sql`SELECT id, authority FROM cluster`,
    );
    return found;
  },

  /** Stores an invitation for a node of that name. */
  *invite(sha256: string, name: string, validMs: number): Transaction<void> {
    yield sql`DELETE FROM invitations WHERE expires_at < ${now}`;
    yield sql`INSERT INTO invitations (sha256, name, expires_at) VALUES (${sha256}, ${name}, ${now} + CAST(${validMs} AS BIGINT))`;
  },

  /** The name that an invitation is for; `undefined` if it is unknown, used or expired. */
  *findInvitation(sha256: string): Transaction<string | undefined> {
    const [found] = yield* rowsOf<{ name: string }>(sql`
      SELECT name FROM invitations WHERE sha256 = ${sha256} AND used_at IS NULL AND expires_at >= ${now}`);
    return found?.name;
  },

  /** The id that the next node gets, and whether `name` is taken. */
  *nextNode(name: string): Transaction<{ id: number; isTaken: boolean }> {
    const [next] = yield* rowsOf<{ id: number; taken: number }>(sql`
      SELECT coalesce(max(id), 0) + 1 AS id, count(*) FILTER (WHERE name = ${name}) AS taken FROM nodes`);
    return { id: next?.id ?? 1, isTaken: (next?.taken ?? 0) > 0 };
  },

  /**
   * Adds a node, and uses its invitation up; the first node has none. Returns `taken` if its id or its name is in use, and
   * `refused` if the invitation is no longer valid.
   */
  *addNode(
    { id, name, advertise, certificate }: NewNode & { id: number; certificate: string },
    invitation: string | null,
    entry: ClusterEntry,
  ): Transaction<'added' | 'taken' | 'refused' | EntryRefusal> {
    const refusal = yield* refusalOf(entry);
    if (refusal !== undefined) return refusal;
    const taken = yield* rowsOf(sql`SELECT id FROM nodes WHERE id = ${id} OR name = ${name}`);
    if (taken.length > 0) return 'taken';
    if (invitation !== null) {
      const used = yield* rowsOf(sql`
        UPDATE invitations SET used_at = ${now}
        WHERE sha256 = ${invitation} AND name = ${name} AND used_at IS NULL AND expires_at >= ${now} RETURNING name`);
      if (used.length === 0) return 'refused';
    }
    yield sql`
      INSERT INTO nodes (id, name, certificate, advertise, state, version, epoch, lease_until, joined_at)
      VALUES (${id}, ${name}, ${certificate}, ${advertise}, 'active', '', 0, 0, ${now})`;
    yield* addEntry(entry);
    return 'added';
  },

  /** A node with the certificate with which it joined. The first one, which created the cluster, has the id 1. */
  *findNode(id: number): Transaction<CertifiedNode | undefined> {
    const [found] = yield* rowsOf<CertifiedNode & Record<string, unknown>>(
      sql`SELECT id, name, certificate FROM nodes WHERE id = ${id}`,
    );
    return found;
  },

  *listNodes(): Transaction<readonly StoredNode[]> {
    return yield* rowsOf<NodeRow>(sql`SELECT ${node} FROM nodes ORDER BY id`);
  },

  /**
   * Starts a node under a new epoch, for `leaseMs`. Starts nothing if it was retired, if its lease has not ended, if the start
   * that the database last accepted is not in `known`, or if `compared` is not how far its log is: the node has to compare that
   * with its own log first. Returns the node after that, and its log, `null` if it has none.
   */
  *startNode(
    id: number,
    start: {
      instance: string;
      known: readonly string[];
      compared: ShippedLog | null;
      advertise: string;
      version: string;
      leaseMs: number;
    },
  ): Transaction<{ isStarted: boolean; node: StoredNode; log: ShippedLog | null } | undefined> {
    const [before] = yield* rowsOf<NodeRow>(sql`SELECT ${node} FROM nodes WHERE id = ${id} FOR UPDATE`);
    if (before === undefined) return undefined;
    const isOwn = before.instance === null || start.known.includes(before.instance);
    // No batch of an earlier start can be committed from here on.
    const log = yield* shippedLog(id);
    const { compared } = start;
    const isCompared =
      log?.logId === compared?.logId && log?.through === compared?.through && log?.hash === compared?.hash;
    if (before.state === 'retired' || !isOwn || before.leaseUntil > before.now || !isCompared)
      return { isStarted: false, node: before, log };
    yield* interruptClaims(id);
    const [started] = yield* rowsOf<NodeRow>(sql`
      UPDATE nodes SET epoch = epoch + 1, instance = ${start.instance}, version = ${start.version},
        advertise = ${start.advertise}, lease_until = ${now} + CAST(${start.leaseMs} AS BIGINT), unreachable = '[]'
      WHERE id = ${id} RETURNING ${node}`);
    return started && { isStarted: true, node: started, log };
  },

  /**
   * Renews the lease of a node, and notes which nodes it cannot reach. Returns the node, or `undefined` if it has lost its epoch
   * or was retired.
   */
  *renewLease(
    id: number,
    epoch: number,
    instance: string,
    leaseMs: number,
    unreachable: string,
  ): Transaction<StoredNode | undefined> {
    const [renewed] = yield* rowsOf<NodeRow>(sql`
      UPDATE nodes SET lease_until = ${now} + CAST(${leaseMs} AS BIGINT), unreachable = ${unreachable}
      WHERE id = ${id} AND epoch = ${epoch} AND instance = ${instance} AND state <> 'retired' AND lease_until >= ${now}
      RETURNING ${node}`);
    return renewed;
  },

  /** Ends the lease and the epoch of a node that stops: its next start need not wait, and nothing stays its own. */
  *releaseLease(id: number, epoch: number, instance: string): Transaction<void> {
    yield sql`SELECT id FROM nodes WHERE id = ${id} FOR UPDATE`;
    const released = yield* rowsOf(sql`
      UPDATE nodes SET epoch = epoch + 1, lease_until = 0
      WHERE id = ${id} AND epoch = ${epoch} AND instance = ${instance} RETURNING id`);
    if (released.length > 0) yield* interruptClaims(id);
  },

  /** The nodes whose lease has ended without being released. */
  *findEndedLeases(): Transaction<readonly StoredNode[]> {
    return yield* rowsOf<NodeRow>(
      sql`SELECT ${node} FROM nodes WHERE lease_until > 0 AND lease_until < ${now} ORDER BY id`,
    );
  },

  /** Returns the extent of the log of a node; `null`: it has sent nothing. */
  *findLog(id: number): Transaction<ShippedLog | null> {
    return yield* shippedLog(id);
  },

  /**
   * Raises the epoch of a node whose lease has ended. Its calls up to the event `through`, its last one, are interrupted unless it
   * returns and ends them. Returns `passed` if it has another epoch or lease by now, and `late` if it has sent more.
   */
  *endLease(
    id: number,
    epoch: number,
    through: number,
    entry: ClusterEntry,
  ): Transaction<'ended' | 'passed' | EntryRefusal> {
    const refusal = (yield* refusalOf(entry)) ?? (yield* lateLog(id, through));
    if (refusal !== undefined) return refusal;
    const ended = yield* rowsOf(sql`
      UPDATE nodes SET epoch = epoch + 1, lease_until = 0, interrupted_through = ${through}, interrupted_at = ${now}
      WHERE id = ${id} AND epoch = ${epoch} AND lease_until > 0 AND lease_until < ${now} RETURNING id`);
    if (ended.length === 0) return 'passed';
    yield* interruptClaims(id);
    yield* addEntry(entry);
    return 'ended';
  },

  /** Sets whether a node takes calls. Returns whether there is a node of that name that is not retired. */
  *drainNode(name: string, state: 'active' | 'draining'): Transaction<boolean> {
    const changed = yield* rowsOf(
      sql`UPDATE nodes SET state = ${state} WHERE name = ${name} AND state <> 'retired' RETURNING id`,
    );
    return changed.length > 0;
  },

  /** Ends a node for ever, as `endLease` does. Returns `passed` if it was retired already. */
  *retireNode(
    id: number,
    through: number,
    entry: ClusterEntry,
  ): Transaction<'retired' | 'passed' | EntryRefusal> {
    const refusal = (yield* refusalOf(entry)) ?? (yield* lateLog(id, through));
    if (refusal !== undefined) return refusal;
    const retired = yield* rowsOf(sql`
      UPDATE nodes SET state = 'retired', epoch = epoch + 1, lease_until = 0,
        interrupted_through = ${through}, interrupted_at = ${now}
      WHERE id = ${id} AND state <> 'retired' RETURNING id`);
    if (retired.length === 0) return 'passed';
    yield* interruptClaims(id);
    yield* addEntry(entry);
    return 'retired';
  },

  /** The sequence of the next entry of the cluster's log, and the time. */
  *nextClusterEntry(): Transaction<{ sequence: number; time: number }> {
    const [next] = yield* rowsOf<{ sequence: number; time: number }>(sql`
      SELECT coalesce(max(sequence), 0) + 1 AS sequence, ${now} AS time FROM cluster_log`);
    return next ?? { sequence: 1, time: 0 };
  },

  /** Adds an entry that changes no node. */
  *addClusterEntry(entry: ClusterEntry): Transaction<'added' | EntryRefusal> {
    const refusal = yield* refusalOf(entry);
    if (refusal !== undefined) return refusal;
    yield* addEntry(entry);
    return 'added';
  },

  *listClusterLog(): Transaction<readonly ClusterEntry[]> {
    return yield* rowsOf<ClusterEntry & Record<string, unknown>>(
      sql`SELECT sequence, statement, node, signature FROM cluster_log ORDER BY sequence`,
    );
  },
};

function* shippedLog(node: number): Transaction<ShippedLog | null> {
  const [found] = yield* rowsOf<ShippedLog & Record<string, unknown>>(
    sql`SELECT log_id AS "logId", through, hash FROM audit_logs WHERE node = ${node}`,
  );
  return found ?? null;
}

/** Locks the list of nodes. Why the entry cannot be added: it was signed before the lock was taken. */
export function* refusalOf({ sequence, node: signer }: ClusterEntry): Transaction<EntryRefusal | undefined> {
  yield sql`SELECT one FROM cluster FOR UPDATE`;
  if ((yield* nodeOperations.nextClusterEntry()).sequence !== sequence) return 'late';
  const retired = yield* rowsOf(sql`SELECT id FROM nodes WHERE id = ${signer} AND state = 'retired'`);
  return retired.length > 0 ? 'signer-retired' : undefined;
}

/** Locks a node, so that it sends nothing meanwhile. Returns `late` if its log is not at `through`. */
function* lateLog(id: number, through: number): Transaction<'late' | undefined> {
  yield sql`SELECT id FROM nodes WHERE id = ${id} FOR UPDATE`;
  const log = yield* shippedLog(id);
  return (log?.through ?? 0) === through ? undefined : 'late';
}

/** Takes a node's claims without a response from it: what it still stores under them is refused. */
function* interruptClaims(id: number): Transaction<void> {
  yield sql`UPDATE claims SET node = NULL, epoch = NULL WHERE node = ${id} AND head IS NULL`;
}

export function* addEntry({ sequence, statement, node: signer, signature }: ClusterEntry): Transaction<void> {
  yield sql`
    INSERT INTO cluster_log (sequence, statement, node, signature)
    VALUES (${sequence}, ${statement}, ${signer}, ${signature})`;
}
