import type { AuditEvent, NodeEvents, NodePosition, ReadNodeEvents } from '@ambit/core/audit';
import { repeat } from '../../../repeat.ts';
import { type EventSource, eventText } from '../../stream/follow-events.ts';

/** The events that a follower may see, and whether its key is still valid. */
export interface Follower {
  isVisible(event: AuditEvent): Promise<boolean>;
  holds(): boolean;
}

const pollMs = 200;
const eventsInOneGo = 200;

/**
 * The events of all nodes of a cluster, as they reach its database. Without `after`, from the next one on. While the database
 * cannot be reached, there are none.
 */
export function nodeEvents(
  read: ReadNodeEvents,
  { isVisible, holds }: Follower,
  after: NodePosition | undefined,
  shutdown: AbortSignal,
): EventSource {
  let position = after ?? null;
  let waiting: NodeEvents['events'] = [];
  /** Whether more events may be in the database. */
  let isBehind = false;
  let reading: Promise<void> | undefined;
  const take = (found: NodeEvents): void => {
    ({ position, events: waiting } = found);
    isBehind = waiting.length === eventsInOneGo;
  };
  const readMore = (): Promise<void> => {
    reading ??= read(position, eventsInOneGo)
      .then(take, () => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  return {
    holds: () => !shutdown.aborted && holds(),
    async next() {
      if (waiting.length === 0 && isBehind) await readMore();
      const events = waiting;
      waiting = [];
      let text = '';
      for (const { node, position: after, sequence, hash, event } of events)
        if (await isVisible(event)) {
          const data = JSON.stringify({ node, sequence, hash, event });
          text += eventText({ id: positionText(after), name: event.kind, data });
        }
      return { text, isOver: false };
    },
    subscribe(news) {
      const poll = async (): Promise<void> => {
        // A slow client falls behind, and what it has not read is not read ahead.
        if (waiting.length === 0) await readMore();
        if (waiting.length > 0) news();
      };
      const stop = repeat(poll, { intervalMs: pollMs, firstMs: 0 });
      shutdown.addEventListener('abort', news);
      return () => {
        stop();
        shutdown.removeEventListener('abort', news);
      };
    },
  };
}

/** The id of an event in a cluster: see `NodePositionText`. */
function positionText(position: NodePosition): string {
  return Object.entries(position)
    .map(([node, sequence]) => `${node}:${sequence}`)
    .join(',');
}
