import { SkillError } from '@ambit/core';
import { postgresAdvice, UnknownCommitError } from '../../store/postgres/postgres-advice.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import { transactionsIn } from '../../store/postgres/transactions.ts';
import type { Transaction } from '../../store/statement.ts';
import type { NodeLog } from '../index/cluster/node-log.ts';
import { openReadonly } from '../log/open-readonly.ts';
import { BrokenTreeError, extendTree } from '../tree/extend-tree.ts';
import { inclusionOf, lastHead, treeFile } from '../tree/read-tree.ts';
import type { NodeSigner } from '../tree/tree-key.ts';
import {
  beginShipping,
  LeaseLostError,
  OtherRowsError,
  pruneShipped,
  recordConflict,
  type SendingLease,
  type ShippedExtent,
  shipBatch,
  underLease,
} from './ship-batch.ts';
import { shippableLog } from './shippable-log.ts';

/** The extent of a log in the database, and its last event. */
export interface ShippedProgress {
  through: number;
  head: number;
  /** The time of the first event that is missing, in milliseconds since the epoch; `null` if none is. */
  oldest: number | null;
  /** The events that this step added. */
  added: number;
  /** Whether pruned rows are left to delete. */
  isPruning: boolean;
}

/** Ships a log, within the calling thread. */
export type Shipper = ReturnType<typeof shipper>;

/** One to ship, and one to delete what is pruned. */
const poolSize = 2;

const remedies = {
  'other-log': 'a node has one log for ever, so restore it, or join as a new node',
  older: 'the data directory is an older copy; retire this node, and let an empty data directory join',
  forked:
    'another daemon has used a copy of this data directory; retire this node, and let an empty data directory join',
};

/** Opens a log to ship it. Throws SQLite's error if it cannot be read. */
export function shipper(file: string, owner: NodeLog, signer: NodeSigner, settings: PostgresSettings) {
  const database = openReadonly(file);
  const log = shippableLog(database);
  const transactions = transactionsIn({ ...settings, poolSize }, { use: 'beside' });
  let extent: ShippedExtent | undefined;
  let isPruned = false;

  const refused = (error: unknown): SkillError =>
    error instanceof SkillError
      ? error
      : new SkillError(
          'AUDIT_UNAVAILABLE',
          `the audit log of node ${owner.name} cannot be sent to ${settings.target.shown}: ${
            error instanceof OtherRowsError
              ? `${error.message}; run "ambit audit verify --cluster"`
              : error instanceof LeaseLostError
                ? error.message
                : postgresAdvice(error)
          }`,
          { cause: error },
        );

  /** Refuses a log that differs from the shipped one, and stores the evidence. */
  const requireSameLog = async (shipped: ShippedExtent): Promise<void> => {
    const difference = log.differenceFrom(shipped);
    if (difference === undefined) return;
    if (difference.kind === 'forked')
      await transactions.run(() =>
        recordConflict(owner.node, log.logId(), { sequence: shipped.through, hash: difference.hash }),
      );
    throw new OtherRowsError(`${difference.text}: ${remedies[difference.kind]}`);
  };
  const step = async (lease: SendingLease): Promise<ShippedProgress> => {
    extent ??= await transactions.run(() => underLease(owner.node, lease, beginShipping(owner, log, signer)));
    const known = extent;
    await requireSameLog(known);
    const batch = log.batch(known.through, known.signed);
    if (batch.events.length > 0 || batch.checkpoints.length > 0) {
      extent = await transactions.run(() =>
        underLease(owner.node, lease, shipBatch(owner.node, known, batch)),
      );
      // Another daemon may have shipped meanwhile. Its events settle nothing here.
      await requireSameLog(extent);
      if (batch.events.some(({ executionId }) => executionId === null)) isPruned = false;
    }
    // In steps, with events shipped in between.
    if (!isPruned)
      isPruned = await transactions.run(() => underLease(owner.node, lease, pruneShipped(owner.node)));
    const { through } = extent;
    return {
      through,
      head: log.head(),
      oldest: log.timeAfter(through) ?? null,
      added: through - known.through,
      isPruning: !isPruned,
    };
  };
  const attempt = async (lease: SendingLease, isRepeated = false): Promise<ShippedProgress> => {
    try {
      return await step(lease);
    } catch (error) {
      // Another database may answer next. A batch that may be there is looked for.
      extent = undefined;
      if (error instanceof UnknownCommitError && !isRepeated) return attempt(lease, true);
      throw refused(error);
    }
  };
  /** Nothing changes twice: what is in the tree does not wait any more. */
  const onTree = async <Result>(steps: () => Transaction<Result>, isRepeated = false): Promise<Result> => {
    try {
      return await transactions.run(steps);
    } catch (error) {
      if (error instanceof UnknownCommitError && !isRepeated) return onTree(steps, true);
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `the tree of the cluster in ${settings.target.shown} cannot be used: ${
          error instanceof BrokenTreeError || error instanceof LeaseLostError
            ? error.message
            : postgresAdvice(error)
        }`,
        { cause: error },
      );
    }
  };
  return {
    /** Adds what waits to the tree. Resolves to the number of leaves. */
    extend: (lease: SendingLease) =>
      onTree(() => underLease(owner.node, lease, extendTree(owner.node, signer))),
    treeHead: () => onTree(lastHead),
    treeFile: (path: string) => onTree(() => treeFile(path)),
    inclusion: (sequence: number) => onTree(() => inclusionOf(owner.node, sequence)),
    /** Ships the next events, a bounded number. Rejects with `AUDIT_UNAVAILABLE`. */
    ship: (lease: SendingLease) => attempt(lease),
    async close(): Promise<void> {
      await transactions.close();
      database.close();
    },
  };
}
