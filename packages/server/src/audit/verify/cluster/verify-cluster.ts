import { createPublicKey, type KeyObject } from 'node:crypto';
import type {
  Checkpoint,
  ClusterFinding,
  ClusterVerification,
  NodeEnd,
  Signed,
  VerifiedNode,
} from '@ambit/core/audit';
import type { Transactions } from '../../../store/postgres/transactions.ts';
import { sql } from '../../../store/statement.ts';
import { eventIn } from '../../index/next-records.ts';
import { openReadonly } from '../../log/open-readonly.ts';
import { readCheckpoint } from '../../sign/read-checkpoints.ts';
import { type Leaf, LogStatement } from '../../tree/leaf.ts';
import { hasSigned } from '../../tree/tree-key.ts';
import { walkLog } from '../walk-log.ts';
import { type ShippedLogRow, shippedLogRows, withShippedLog } from './shipped-log.ts';
import { checkTree } from './tree-check.ts';

/** A node as its cluster knows it. */
export interface KnownNode {
  id: number;
  name: string;
  /** From its certificate, if the cluster's authority has signed that. */
  key: KeyObject | undefined;
  isRetired: boolean;
  /** Whether its lease is in force. */
  isLeased: boolean;
}

/** An entry of the cluster's log. */
export interface ClusterEntry {
  sequence: number;
  /** Canonical JSON. */
  statement: string;
  /** The node that signed it. */
  node: number;
  signature: string;
}

export interface VerifyClusterOptions {
  transactions: Pick<Transactions, 'read'>;
  nodes: readonly KnownNode[];
  entries: readonly ClusterEntry[];
  /** The log of this machine, and its node, to compare; absent: none. */
  local?: { file: string; node: number } | undefined;
  onProgress?(verified: number, of: number): void;
  signal?: AbortSignal;
}

/**
 * Verifies the logs of all nodes from the database: each chain and signature, the tree over their checkpoints, and what is known
 * about nodes. Rejects if the database cannot be read.
 */
export async function verifyCluster(options: VerifyClusterOptions): Promise<ClusterVerification> {
  const { transactions, nodes, entries, local, onProgress, signal } = options;
  const keys = new Map(nodes.flatMap(({ id, key }) => (key === undefined ? [] : [[id, key] as const])));
  // The logs first: what they have is in the tree, or waits for it, when that is read.
  const rows = (await transactions.read(shippedLogRows)) as readonly ShippedLogRow[];
  const checkpoints = await transactions.read(sql`SELECT node, sequence, signed FROM audit_checkpoints`);
  const waiting = await transactions.read(sql`SELECT leaf FROM tree_pending`);
  const tree = await checkTree(transactions, [...keys.values()]);
  const findings: ClusterFinding[] = [...tree.findings];
  const contents = checkEntries(entries, keys, tree.leaves, findings);
  const note = (
    reason: ClusterFinding['reason'],
    node: number | null,
    message: string,
    sequence: number | null = null,
  ) => void findings.push({ reason, node, sequence, message });

  const leaves = leavesByNode(tree.leaves, findings);
  const pending = new Set(waiting.map(({ leaf }) => String(leaf)));
  for (const { node, sequence, signed } of checkpoints as unknown as {
    node: number;
    sequence: number;
    signed: string;
  }[]) {
    const known = leaves.get(node)?.checkpoints.get(sequence);
    if (
      known === undefined &&
      ![...pending].some((leaf) => leaf.includes(JSON.stringify(signed).slice(1, -1)))
    )
      note('tree', node, `the checkpoint at event ${sequence} is not in the tree`, sequence);
    else if (known !== undefined && known !== signed)
      note(
        'forked',
        node,
        `two checkpoints at event ${sequence} exist: one in the tree, and another beside the log`,
        sequence,
      );
  }
  for (const { node, sequence, log_id: logId } of await transactions.read(
    sql`SELECT node, sequence, log_id FROM audit_conflicts ORDER BY node, sequence`,
  ))
    note(
      'forked',
      Number(node),
      `another log of this node (${logId}) has a different event ${sequence}: a data directory was copied, or a log restored from an older backup`,
      Number(sequence),
    );

  const verified: VerifiedNode[] = [];
  for (const row of rows) {
    signal?.throwIfAborted();
    const { node } = row;
    const name = JSON.parse(row.name) as string;
    const known = nodes.find(({ id }) => id === node);
    if (known === undefined)
      note('cluster-log', node, `node ${node} (${name}) has a log, but is not a node of the cluster`);
    const of = leaves.get(node);
    const key = boundKey(row, of?.log, keys.get(node));
    if (key === undefined)
      note(
        'unsigned-log',
        node,
        `no key of node ${name} vouches for its log: the log, its keys or its leaf in the tree were replaced`,
      );
    const outside = [...(of?.checkpoints.values() ?? [])].flatMap((signed) => readCheckpoint(signed) ?? []);
    const read = () => verifyRows(transactions, row, key, outside);
    let found = await read();
    // It may have pruned meanwhile.
    if (!found.log.intact) found = await read();
    if (!found.log.intact)
      note(
        'log',
        node,
        `the log of node ${name} is not intact (${found.log.reason}): ${found.log.message}`,
        found.log.sequence,
      );
    else if (
      (found.log.last?.sequence ?? row.through) !== row.through ||
      (found.log.last !== null && found.log.last.hash !== `sha256:${row.hash}`)
    )
      note(
        'log',
        node,
        `the log of node ${name} should end at event ${row.through}, and ends at ${found.log.last?.sequence ?? 0}`,
        row.through,
      );
    const provenThrough = Math.max(0, ...(of?.checkpoints.keys() ?? []));
    const end = endOf(known, contents, found.isStopped);
    if (end === 'silent')
      note(
        'silent',
        node,
        `the log of node ${name} ends at event ${row.through}, and nothing records that the node stopped, retired or was lost`,
        row.through,
      );
    verified.push({ node, name, end, log: found.log, sentThrough: row.through, provenThrough });
    onProgress?.(verified.length, rows.length);
  }
  for (const { id, name } of nodes)
    if (leaves.has(id) && !rows.some(({ node }) => node === id))
      note(
        'log',
        id,
        `the log of node ${name} was removed: the tree has ${leaves.get(id)?.checkpoints.size} checkpoints of it`,
      );
  const localThrough = local === undefined ? null : await compareLocal(transactions, local, rows, note);
  return {
    intact: findings.length === 0,
    findings,
    nodes: verified,
    tree: { origin: tree.origin, size: tree.size, heads: tree.heads },
    localThrough,
  };
}

interface NodeLeaves {
  log: Extract<Leaf, { kind: 'log' }> | undefined;
  /** By their sequence. */
  checkpoints: Map<number, string>;
}

function leavesByNode(
  leaves: readonly (Leaf | undefined)[],
  findings: ClusterFinding[],
): Map<number, NodeLeaves> {
  const byNode = new Map<number, NodeLeaves>();
  for (const leaf of leaves) {
    if (leaf === undefined || leaf.kind === 'node') continue;
    const { node } = leaf;
    const of = byNode.get(node) ?? { log: undefined, checkpoints: new Map() };
    byNode.set(node, of);
    if (leaf.kind === 'log') {
      if (of.log === undefined) of.log = leaf;
      else
        findings.push({
          reason: 'forked',
          node,
          sequence: null,
          message: `the tree has two logs of node ${node}`,
        });
      continue;
    }
    const sequence = readCheckpoint(leaf.signed)?.statement.sequence;
    if (sequence === undefined) continue;
    if (of.checkpoints.has(sequence) && of.checkpoints.get(sequence) !== leaf.signed)
      findings.push({
        reason: 'forked',
        node,
        sequence,
        message: `the tree has two different checkpoints at event ${sequence}`,
      });
    of.checkpoints.set(sequence, leaf.signed);
  }
  return byNode;
}

/** The content of an entry of the cluster's log. */
interface EntryContent {
  sequence: number;
  kind: string;
  /** The node concerned; absent for the policy. */
  node?: number;
}

/**
 * Entries about nodes: in order without gaps, each signed by a node that was not retired before, and unchanged in the tree. Returns
 * what those say that a node has signed.
 */
function checkEntries(
  entries: readonly ClusterEntry[],
  keys: ReadonlyMap<number, KeyObject>,
  leaves: readonly (Leaf | undefined)[],
  findings: ClusterFinding[],
): readonly EntryContent[] {
  const note = (message: string): void =>
    void findings.push({ reason: 'cluster-log', node: null, sequence: null, message });
  const statements = new Set(entries.map(({ statement }) => statement));
  const contents: EntryContent[] = [];
  const retired = new Set<number>();
  let last = 0;
  for (const { sequence, statement, node, signature } of entries) {
    if (sequence !== last + 1) note(`entry ${last + 1} of the cluster's log is missing`);
    last = sequence;
    const key = keys.get(node);
    if (key === undefined || !hasSigned(key, statement, signature)) {
      note(`entry ${sequence} of the cluster's log is not signed by node ${node}`);
      continue;
    }
    const entry = JSON.parse(statement) as EntryContent;
    contents.push(entry);
    if (entry.sequence !== sequence) note(`entry ${sequence} of the cluster's log repeats an earlier entry`);
    if (retired.has(node))
      note(`entry ${sequence} of the cluster's log is signed by node ${node}, which had been retired`);
    if (entry.kind === 'node.retired' && entry.node !== undefined) retired.add(entry.node);
  }
  for (const leaf of leaves)
    if (leaf?.kind === 'node' && !statements.has(leaf.statement))
      note(
        `the tree has an entry of the cluster's log that was removed or changed: ${leaf.statement.slice(0, 300)}`,
      );
  return contents;
}

/** The first key of a log, if the node's key vouches for it. */
function boundKey(
  { node, logId }: ShippedLogRow,
  leaf: NodeLeaves['log'],
  key: KeyObject | undefined,
): KeyObject | undefined {
  if (leaf === undefined || key === undefined || !hasSigned(key, leaf.statement, leaf.signature))
    return undefined;
  const { success, data } = LogStatement.safeParse(JSON.parse(leaf.statement));
  return success && data.node === node && data.logId === logId ? createPublicKey(data.publicKey) : undefined;
}

async function verifyRows(
  transactions: Pick<Transactions, 'read'>,
  row: ShippedLogRow,
  publicKey: KeyObject | undefined,
  outside: readonly Signed<Checkpoint>[],
) {
  return withShippedLog(transactions, row, (database) => {
    const log = walkLog(database, { publicKey, outside }, () => undefined);
    const body = database
      .prepare<[], string>('SELECT body FROM log ORDER BY sequence DESC LIMIT 1')
      .pluck()
      .get();
    return { log, isStopped: body === undefined || eventIn(body)?.kind === 'daemon.stopped' };
  });
}

function endOf(node: KnownNode | undefined, contents: readonly EntryContent[], isStopped: boolean): NodeEnd {
  if (node?.isRetired === true) return 'retired';
  if (node?.isLeased === true) return 'running';
  if (isStopped) return 'stopped';
  const last = contents.findLast(({ node: of }) => of === node?.id);
  return last?.kind === 'node.lost' ? 'lost' : 'silent';
}

/** Two intact chains with the same event are the same up to it. */
async function compareLocal(
  { read }: Pick<Transactions, 'read'>,
  { file, node }: { file: string; node: number },
  rows: readonly ShippedLogRow[],
  note: (reason: ClusterFinding['reason'], node: number, message: string, sequence?: number | null) => void,
): Promise<number | null> {
  const row = rows.find((each) => each.node === node);
  if (row === undefined) return null;
  const database = openReadonly(file);
  try {
    const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
    if (logId !== row.logId) {
      note(
        'unlike-local',
        node,
        `the database has the log ${row.logId} of this node, and this machine ${logId}`,
      );
      return null;
    }
    const hashAt = database
      .prepare<[number], string>('SELECT lower(hex(hash)) FROM log WHERE sequence = ?')
      .pluck();
    const head = database.prepare<[], number | null>('SELECT max(sequence) FROM log').pluck().get() ?? 0;
    const sent = async (sequence: number): Promise<string | undefined> => {
      const [found] = await read(
        sql`SELECT encode(hash, 'hex') AS hash FROM audit_events WHERE node = ${node} AND sequence = ${sequence}`,
      );
      return found === undefined ? undefined : String(found['hash']);
    };
    const isLike = async (sequence: number): Promise<boolean> => {
      const [here, there] = [hashAt.get(sequence), await sent(sequence)];
      return here === undefined || there === undefined || here === there;
    };
    if (head < row.through)
      note(
        'unlike-local',
        node,
        `the database has events of this node up to ${row.through}, and the log on this machine ends at ${head}`,
        head + 1,
      );
    const last = Math.min(head, row.through);
    if (await isLike(last)) return last;
    let [like, unlike] = [0, last];
    while (unlike - like > 1) {
      const middle = Math.floor((like + unlike) / 2);
      if (await isLike(middle)) like = middle;
      else unlike = middle;
    }
    note('unlike-local', node, `event ${unlike} on this machine differs from the sent one`, unlike);
    return like;
  } finally {
    database.close();
  }
}
