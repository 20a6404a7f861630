import { hash, type KeyObject } from 'node:crypto';
import {
  breakWindow,
  type ChainHead,
  type Checkpoint,
  describeBreak,
  type EventFacts,
  eventFacts,
  type Flaw,
  genesisHash,
  isNextEvent,
  type KeyRotated,
  type LinkHash,
  type LogPruned,
  type Signed,
  type Verification,
} from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { sha256 } from '../log/sha256.ts';
import { checkpointCheck } from './checkpoint-check.ts';
import type { IndexCheck } from './index-check.ts';
import { openRecordCheck } from './open-record-check.ts';
import { payloadCheck } from './payload-check.ts';
import { pruningCheck } from './pruning-check.ts';
import { sideTableCheck } from './side-table-check.ts';
import { type StoredEvent, type StoredLog, storedLog } from './stored-log.ts';
import { trustedKeys } from './trusted-keys.ts';

/** The evidence that a log is compared with. */
interface Evidence {
  /** The key that must vouch for all others; absent: the log's own keys are trusted. */
  publicKey?: KeyObject | undefined;
  /** Checkpoints from elsewhere, in order of arrival. */
  outside: readonly Signed<Checkpoint>[];
  index?: IndexCheck;
}

/** The progress: events read, and the total. */
export type OnProgress = (read: number, of: number) => void;

/** Large enough to amortize the cost of a page, small enough for a cache. */
const pageEvents = 2000;

/**
 * Verifies a whole log and reports its first flaw, in the order of the log. Reads the log as of one
 * moment, even if it is being written.
 */
export function walkLog(database: Database, evidence: Evidence, onProgress: OnProgress): Verification {
  return database.transaction(() => walk(storedLog(database), evidence, onProgress))();
}

function walk(log: StoredLog, { publicKey, outside, index }: Evidence, onProgress: OnProgress): Verification {
  const { first, last } = log.extent ?? { first: 1, last: 0 };
  const keys = trustedKeys(publicKey, log.keys);
  const payloads = payloadCheck(log);
  const link = linkHash();
  const start = anchor(log, first);
  const checkpoints = checkpointCheck(log, outside, keys, start?.sequence ?? 0);
  const open = openRecordCheck(log, start?.sequence !== 0);
  const sideTables = sideTableCheck(log, start?.sequence !== 0);
  const prunings = pruningCheck(log.logId, keys);
  let head = start ?? { sequence: 0, hash: '' };
  let events = 0;

  const check = (event: StoredEvent): Flaw | undefined => {
    if (!isNextEvent(link, head, event))
      return describeBreak(link, head, log.events(head.sequence, breakWindow));
    const { sequence, body, hash } = event;
    const facts = factsOf(body);
    if (facts === undefined) return invalidEvent(sequence);
    const flaw = columnFlaw(event, facts) ?? payloads.compare(sequence, facts) ?? open.see(sequence, facts);
    if (flaw !== undefined) return flaw;
    if (facts.kind === 'key.rotated') keys.rotated(JSON.parse(body) as KeyRotated, sequence);
    sideTables.see(facts.kind, body);
    if (facts.kind === 'log.pruned') {
      const pruned = JSON.parse(body) as LogPruned;
      const forged = prunings.see(sequence, pruned);
      if (forged !== undefined) return forged;
      payloads.pruned(pruned.through);
    }
    const unlike = checkpoints.hasCheckpoint(sequence) ? checkpoints.compare(sequence, hash) : undefined;
    if (unlike !== undefined) return unlike;
    head = { sequence, hash };
    events += 1;
    return undefined;
  };
  /** The checkpoint up to which events were pruned remains, to continue the chain from. */
  const comparePruned = ({ sequence, hash }: ChainHead): Flaw | undefined =>
    checkpoints.hasCheckpoint(sequence) ? checkpoints.compare(sequence, hash) : undefined;
  const walkEvents = (): Flaw | undefined => {
    for (;;) {
      const page = log.events(head.sequence, pageEvents);
      payloads.turnTo(head.sequence, page.at(-1)?.sequence ?? 0);
      for (const event of page) {
        const flaw = check(event);
        if (flaw !== undefined) return flaw;
      }
      if (page.length < pageEvents) return undefined;
      onProgress(events, last - (head.sequence - events));
    }
  };
  const inLog =
    checkpoints.beforehand ??
    (start === undefined ? cutOff(first) : (comparePruned(start) ?? walkEvents())) ??
    checkpoints.afterwards(last) ??
    prunings.afterwards() ??
    payloads.afterwards() ??
    open.afterwards() ??
    sideTables.afterwards(last);
  const eventsThrough = Math.max(start?.sequence ?? 0, prunings.through('events'));
  const pruned = { events: eventsThrough, payloads: Math.max(eventsThrough, prunings.through('payloads')) };
  const compared = inLog === undefined ? index?.compare(log, pruned) : undefined;
  const flaw = inLog ?? compared?.flaw;
  const extent = {
    logId: log.logId,
    first: log.extent === null ? null : (start?.sequence ?? first - 1) + 1,
    last: events === 0 ? null : { sequence: head.sequence, hash: `sha256:${head.hash}` },
    events,
    checkpoints: checkpoints.held,
    signedThrough: checkpoints.signedThrough,
    trustedKeyId: keys.given,
    indexedThrough: compared?.through ?? null,
  };
  return flaw === undefined ? { intact: true, ...extent } : { intact: false, ...flaw, ...extent };
}

/**
 * The position before the first event to verify: the log's beginning, or the last pruned event.
 * Some pruned events may still exist, because they are deleted in steps.
 */
function anchor(log: StoredLog, first: number): ChainHead | undefined {
  if (first === 1) {
    const hash = Buffer.from(genesisHash(sha256, log.logId)).toString('hex');
    return { sequence: 0, hash };
  }
  // These events are part of the chain, so verifying it verifies them.
  const pruning = log
    .prunings()
    .map((body) => JSON.parse(body) as LogPruned)
    .filter(({ what, through }) => what === 'events' && through >= first - 1)
    .sort((a, b) => a.through - b.through)
    .at(0);
  return pruning && { sequence: pruning.through, hash: pruning.hash.replace(/^sha256:/, '') };
}

/** The other columns are not part of the chain, but follow from the text. */
function columnFlaw({ sequence, executionId, opens }: StoredEvent, facts: EventFacts): Flaw | undefined {
  if (executionId === facts.executionId && opens === (openingKinds.has(facts.kind) ? 1 : 0)) return undefined;
  return {
    reason: 'edited',
    sequence,
    message: `the columns of event ${sequence} do not match its text`,
  };
}

/** A user with write access can append any text to the chain. */
function factsOf(body: string): EventFacts | undefined {
  try {
    return eventFacts(body);
  } catch {
    return undefined;
  }
}

function invalidEvent(sequence: number): Flaw {
  return { reason: 'edited', sequence, message: `the text of event ${sequence} is not an event` };
}

const openingKinds: ReadonlySet<string> = new Set(['call.started', 'request.denied', 'auth.rejected']);

function cutOff(first: number): Flaw {
  return {
    reason: 'removed',
    sequence: 1,
    message: `the log begins with event ${first}, but no pruning of earlier events was recorded`,
  };
}

/** `LinkHash` with a reused buffer, to avoid an allocation for each event. */
function linkHash(): LinkHash {
  let scratch = Buffer.allocUnsafe(64 * 1024);
  return (previous, text) => {
    const bytesMax = 32 + 3 * text.length;
    if (bytesMax > scratch.length) scratch = Buffer.allocUnsafe(2 * bytesMax);
    scratch.write(previous, 0, 'hex');
    // As hex, because a digest in a buffer costs more than hashing.
    return hash('sha256', scratch.subarray(0, 32 + scratch.write(text, 32, 'utf8')), 'hex');
  };
}
