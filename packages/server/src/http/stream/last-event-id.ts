import { Refusal } from '../problem/refusal.ts';

/** The id of the event after which a reader goes on; `undefined` for one that begins. Throws `REQUEST_INVALID`. */
export function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw new Refusal(
    'REQUEST_INVALID',
    'Last-Event-ID is the id of an event that came before: a whole number',
  );
}
