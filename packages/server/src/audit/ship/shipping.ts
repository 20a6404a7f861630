import { setTimeout as delay } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import type { ClusterTree } from '@ambit/core/audit';
import { type Message, type Question, queryThread } from '../../sqlite/query-thread.ts';
import { passwordPort } from '../../store/postgres/password-port.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import { withinTime } from '../../within-time.ts';
import type { NodeLog } from '../index/cluster/node-log.ts';
import type { SendingLease } from './ship-batch.ts';
import type { Shipper } from './shipper.ts';

/** The start data of the thread. */
export interface ShipperStart {
  file: string;
  owner: NodeLog;
  nodeKey: string;
  postgres: Omit<PostgresSettings, 'password'>;
}

type ShipperQuestions = Omit<Shipper, 'close'>;
export type ShipperQuestion = Question<ShipperQuestions>;
export type ShipperMessage = Message<ShipperQuestions>;

/** The progress of shipping since it began. */
export interface ShippingProgress {
  /** The last event in the database; absent until it is known. */
  through?: number;
  /** Milliseconds since the oldest event that is not in the database was written; 0 if all are. */
  lagMs: number;
  batches: number;
  failures: number;
}

/** Sends a log to the database of its cluster in the background, in order. Sends nothing before `begin`. */
export interface Shipping {
  /** Begins to send under the lease of the node, which is read for each batch. */
  begin(lease: () => SendingLease): void;
  /** Notes that the log has another event, or another checkpoint at an event. */
  onWritten(sequence: number): void;
  /**
   * Resolves when the database has everything that the log has now. Rejects with `AUDIT_UNAVAILABLE` if the next
   * attempts fail, or if it takes too long.
   */
  caughtUp(): Promise<void>;
  /** Resolves to whether the database has an event, within a time limit. */
  isShipped(sequence: number, withinMs: number): Promise<boolean>;
  /** The reason why the last attempt failed; `undefined` if it did not. */
  failure(): unknown;
  /** Resolves unless every attempt of the last seconds has failed; then rejects with the reason of the last one. */
  requireProgress(): Promise<void>;
  progress(): ShippingProgress;
  tree: ClusterTree;
  /** Sends what is left, within a time limit, and ends the thread. */
  close(): Promise<void>;
}

export interface ShippingOptions {
  file: string;
  owner: NodeLog;
  /** The private key of the node (Ed25519, PKCS8 in PEM), which signs the heads of the cluster's tree. */
  nodeKey: string;
  postgres: PostgresSettings;
  /** Whether answers wait for it: then events are sent immediately. */
  isAwaited: boolean;
  /** Called with the error when it fails, and with `undefined` when it works again. */
  onFailure(error: unknown): void;
}

/** Events that are written meanwhile share a batch. */
const gatherMs = 50;
const [shortestWaitMs, longestWaitMs] = [100, 2000];
const closeWaitMs = 5000;
/** The time after which failed attempts count as more than an interruption. */
const stuckMs = 5000;
/** The approximate interval at which a node adds waiting checkpoints to the tree. */
const extendMs = 1000;
/** The time that a query waits for events from before a start, or from a time without the database. */
const catchUpMs = 30_000;

// The same file, from source or built.
const program = new URL(
  `./shipper-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** Starts a thread that ships a log once it begins. What the database lacks of it, from before a restart too, is sent first. */
export function startShipping({
  file,
  owner,
  nodeKey,
  postgres,
  isAwaited,
  onFailure,
}: ShippingOptions): Shipping {
  const { password, ...settings } = postgres;
  const thread = queryThread<ShipperQuestions>({
    program,
    start: { file, owner, nodeKey, postgres: settings } satisfies ShipperStart,
    finishes: false,
    port: password && (() => passwordPort(password)),
    onNote: () => undefined,
    unanswered: (state, cause) =>
      notSent(file, state === 'ended' ? 'its thread ended' : 'Ambit is shutting down', cause),
  });
  const progress: ShippingProgress = { lagMs: 0, batches: 0, failures: 0 };
  /** The last event that the log is known to have, and when the first one of them that is missing was written. */
  let written = 0;
  let missingSince: number | undefined = Date.now();
  let failure: unknown;
  let failingSince = 0;
  let lease: (() => SendingLease) | undefined;
  const begun = Promise.withResolvers<() => SendingLease>();
  let isClosed = false;
  let closing: Promise<void> | undefined;
  let isBehind = false;
  /** Whether there may be something to send. */
  let hasNews = true;
  let news = Promise.withResolvers<void>();
  let waited = Promise.withResolvers<void>();
  const waiting = new Set<{ sequence: number; settle(error?: unknown): void }>();

  const note = (): void => {
    hasNews = true;
    news.resolve();
  };
  const settle = (through: number): void => {
    for (const each of waiting) if (each.sequence <= through) each.settle();
  };
  const step = async (held: SendingLease): Promise<void> => {
    hasNews = false;
    const { through, head, oldest, added, isPruning } = await thread.ask('ship', held);
    progress.through = through;
    if (added > 0) progress.batches += 1;
    missingSince = oldest ?? undefined;
    // More than a batch is left: nothing needs to be gathered.
    isBehind = head - through > added;
    hasNews ||= head > through || isPruning;
    written = Math.max(written, head);
    if (failure !== undefined) onFailure(undefined);
    failure = undefined;
    settle(through);
  };
  const run = async (): Promise<void> => {
    const held = await begun.promise;
    for (let waitMs = shortestWaitMs; !isClosed; ) {
      if (!hasNews) await news.promise;
      if (!isAwaited && !isBehind && waiting.size === 0)
        await Promise.race([delay(gatherMs, undefined, { ref: false }), waited.promise]);
      if (isClosed) return;
      [news, waited] = [Promise.withResolvers(), Promise.withResolvers()];
      try {
        await step(held());
        waitMs = shortestWaitMs;
      } catch (error) {
        hasNews = true;
        if (isClosed) return;
        progress.failures += 1;
        if (failure === undefined) {
          failingSince = performance.now();
          onFailure(error);
        }
        failure = error;
        for (const each of waiting) each.settle(error);
        await delay(waitMs, undefined, { ref: false });
        waitMs = Math.min(longestWaitMs, waitMs * 2);
      }
    }
  };
  const running = run();
  // The nodes take turns. What one of them cannot do, another does later.
  const extending = setInterval(
    () => {
      if (lease !== undefined && failure === undefined)
        thread.ask('extend', lease()).then(settleTree, settleTree);
    },
    extendMs * (0.8 + 0.4 * Math.random()),
  ).unref();
  let treeFailure: unknown;
  const settleTree = (result: unknown): void => {
    const error = typeof result === 'number' ? undefined : result;
    if ((error === undefined) !== (treeFailure === undefined) && !isClosed && failure === undefined)
      onFailure(error);
    treeFailure = error;
  };
  const whenShipped = (sequence: number): Promise<void> => {
    if (isClosed) return Promise.reject(notSent(file, 'Ambit is shutting down'));
    if ((progress.through ?? -1) >= sequence) return Promise.resolve();
    const shipped = Promise.withResolvers<void>();
    const waiter = {
      sequence,
      settle(error?: unknown) {
        waiting.delete(waiter);
        if (error === undefined) shipped.resolve();
        else shipped.reject(error);
      },
    };
    waiting.add(waiter);
    note();
    waited.resolve();
    return shipped.promise;
  };
  return {
    begin(held) {
      lease = held;
      begun.resolve(held);
    },
    onWritten(sequence) {
      written = Math.max(written, sequence);
      missingSince ??= Date.now();
      note();
    },
    async caughtUp() {
      const late = new AbortController();
      const timeout = delay(catchUpMs, undefined, { ref: false, signal: late.signal }).then(() => {
        throw stillSending(progress.through ?? 0, written);
      });
      try {
        // A lost connection is replaced by the next attempt.
        const caughtUp = async (): Promise<void> => {
          if (progress.through === undefined) await whenShipped(0);
          await whenShipped(written);
        };
        await Promise.race([caughtUp().catch(caughtUp), timeout]);
      } finally {
        late.abort();
        timeout.catch(() => undefined);
      }
    },
    async isShipped(sequence, withinMs) {
      const late = new AbortController();
      const timeout = delay(withinMs, false, { ref: false, signal: late.signal }).catch(() => false);
      try {
        for (;;) {
          const shipped = whenShipped(sequence).then(
            () => true,
            () => undefined,
          );
          const answer = await Promise.race([shipped, timeout]);
          if (answer !== undefined) return answer;
        }
      } finally {
        late.abort();
      }
    },
    failure: () => failure,
    async requireProgress() {
      if (failure !== undefined && performance.now() - failingSince >= stuckMs) throw failure;
    },
    tree: {
      head: () => thread.ask('treeHead'),
      file: (path) => thread.ask('treeFile', path),
      inclusion: (sequence) => thread.ask('inclusion', sequence),
    },
    progress: () => ({
      ...progress,
      lagMs: missingSince === undefined ? 0 : Math.max(0, Date.now() - missingSince),
    }),
    close() {
      closing ??= (async () => {
        clearInterval(extending);
        const isSending = lease !== undefined && failure === undefined;
        const rest = isSending ? whenShipped(written).catch(() => undefined) : undefined;
        if (rest !== undefined) await withinTime(closeWaitMs, rest);
        isClosed = true;
        news.resolve();
        waited.resolve();
        for (const each of waiting) each.settle(notSent(file, 'Ambit is shutting down'));
        await thread.close();
        if (lease !== undefined) await running;
      })();
      return closing;
    },
  };
}

function notSent(file: string, why: string, cause?: unknown): SkillError {
  return new SkillError('AUDIT_UNAVAILABLE', `the audit log ${file} is not sent to the database: ${why}`, {
    cause,
  });
}

function stillSending(through: number, written: number): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log of this node is being sent to the database (${through} of ${written} events so far); try again in a moment`,
  );
}
