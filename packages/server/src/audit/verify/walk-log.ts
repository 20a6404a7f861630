import type { KeyObject } from 'node:crypto';
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
  type LogPruned,
  type Signed,
  type Verification,
} from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { sha256 } from '../sha256.ts';
import { checkpointCheck } from './checkpoint-check.ts';
import type { IndexCheck } from './index-check.ts';
import { linkHash } from './link-hash.ts';
import { openRecordCheck } from './open-record-check.ts';
import { payloadCheck } from './payload-check.ts';
import { pruningCheck } from './pruning-check.ts';
import { sideTableCheck } from './side-table-check.ts';
import { type StoredEvent, type StoredLog, storedLog } from './stored-log.ts';
import { trustedKeys } from './trusted-keys.ts';

/** What a log is compared with. */
interface Evidence {
  /** The key that all others have to be vouched for by; absent: the log's own are believed. */
  publicKey?: KeyObject | undefined;
  /** Checkpoints that were kept elsewhere, in the order in which they came there. */
  outside: readonly Signed<Checkpoint>[];
  index?: IndexCheck;
}

/** How far a walk has come: events read, of so many. */
export type OnProgress = (read: number, of: number) => void;

/** Large enough that what a page costs by itself does not matter, small enough to lie in a cache. */
const pageEvents = 2000;

/**
 * Reads a whole log again and says whether it is what was written: the first thing that is not, in the order of the log.
 * What it sees is one moment of the log, whoever writes meanwhile.
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
  const beside = sideTableCheck(log, start?.sequence !== 0);
  const prunings = pruningCheck(log.logId, keys);
  let head = start ?? { sequence: 0, hash: '' };
  let events = 0;

  const judge = (event: StoredEvent): Flaw | undefined => {
    if (!isNextEvent(link, head, event))
      return describeBreak(link, head, log.events(head.sequence, breakWindow));
    const { sequence, body, hash } = event;
    const facts = factsOf(body);
    if (facts === undefined) return noEvent(sequence);
    const flaw = columnFlaw(event, facts) ?? payloads.compare(sequence, facts) ?? open.see(sequence, facts);
    if (flaw !== undefined) return flaw;
    if (facts.kind === 'key.rotated') keys.rotated(JSON.parse(body) as KeyRotated, sequence);
    beside.see(facts.kind, body);
    if (facts.kind === 'log.pruned') {
      const pruned = JSON.parse(body) as LogPruned;
      const forged = prunings.see(sequence, pruned);
      if (forged !== undefined) return forged;
      payloads.pruned(pruned.through);
    }
    const unlike = checkpoints.speaksFor(sequence) ? checkpoints.compare(sequence, hash) : undefined;
    if (unlike !== undefined) return unlike;
    head = { sequence, hash };
    events += 1;
    return undefined;
  };
  /** The checkpoint up to which events went has stayed, for the chain to go on from. */
  const comparePruned = ({ sequence, hash }: ChainHead): Flaw | undefined =>
    checkpoints.speaksFor(sequence) ? checkpoints.compare(sequence, hash) : undefined;
  const walkEvents = (): Flaw | undefined => {
    for (;;) {
      const page = log.events(head.sequence, pageEvents);
      payloads.turnTo(head.sequence, page.at(-1)?.sequence ?? 0);
      for (const event of page) {
        const flaw = judge(event);
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
    beside.afterwards(last);
  const gone = Math.max(start?.sequence ?? 0, prunings.through('events'));
  const pruned = { events: gone, payloads: Math.max(gone, prunings.through('payloads')) };
  const compared = inLog === undefined ? index?.compare(log, pruned) : undefined;
  const flaw = inLog ?? compared?.flaw;
  return {
    ...(flaw === undefined ? { intact: true } : { intact: false, ...flaw }),
    logId: log.logId,
    first: log.extent === null ? null : (start?.sequence ?? first - 1) + 1,
    last: events === 0 ? null : { sequence: head.sequence, hash: `sha256:${head.hash}` },
    events,
    checkpoints: checkpoints.held,
    signedThrough: checkpoints.signedThrough,
    trustedKeyId: keys.given,
    indexedThrough: compared?.through ?? null,
  };
}

/**
 * What the first event goes on from that is to be read: the log's beginning, or the last event that was pruned. Of those
 * that the log says are gone some may be there still: they are deleted in steps.
 */
function anchor(log: StoredLog, first: number): ChainHead | undefined {
  if (first === 1) {
    const hash = Buffer.from(genesisHash(sha256, log.logId)).toString('hex');
    return { sequence: 0, hash };
  }
  // These stand in the chain that is to be walked, so that they are as true as it is.
  const pruning = log
    .prunings()
    .map((body) => JSON.parse(body) as LogPruned)
    .filter(({ what, through }) => what === 'events' && through >= first - 1)
    .sort((a, b) => a.through - b.through)
    .at(0);
  return pruning && { sequence: pruning.through, hash: pruning.hash.replace(/^sha256:/, '') };
}

/** What stands beside the text in a row is not part of the chain, but follows from it. */
function columnFlaw({ sequence, executionId, opens }: StoredEvent, facts: EventFacts): Flaw | undefined {
  if (executionId === facts.executionId && opens === (openingKinds.has(facts.kind) ? 1 : 0)) return undefined;
  return {
    reason: 'edited',
    sequence,
    message: `what stands beside event ${sequence} in its row is not what the event says`,
  };
}

/** Whoever has the file can chain any text to its end. */
function factsOf(body: string): EventFacts | undefined {
  try {
    return eventFacts(body);
  } catch {
    return undefined;
  }
}

function noEvent(sequence: number): Flaw {
  return { reason: 'edited', sequence, message: `what stands as event ${sequence} is no event` };
}

const openingKinds: ReadonlySet<string> = new Set(['call.started', 'request.denied', 'auth.rejected']);

function cutOff(first: number): Flaw {
  return {
    reason: 'removed',
    sequence: 1,
    message: `the log begins with event ${first}, and no pruning of those before it was recorded`,
  };
}
