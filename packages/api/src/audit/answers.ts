import { AuditPage, Verification } from '@ambit/core/audit';
import { z } from 'zod';

/** The number of matching records. */
export const RecordCount = z
  .strictObject({ count: z.number() })
  .meta({ id: 'Count', description: 'The number of matching records.' });

/** The `data` of a followed event. */
export const FollowedEvent = z
  .strictObject({
    node: z.string().exactOptional().describe('The node whose log it is in; absent without a cluster.'),
    sequence: z.number(),
    hash: z.string(),
    event: z
      .looseObject({ kind: z.string(), time: z.number().describe('Milliseconds since the epoch.') })
      .describe('The event as written. Its other fields depend on its kind.'),
  })
  .meta({ id: 'FollowedEvent', description: 'An event of the log, as it was written.' });
export type FollowedEvent = z.output<typeof FollowedEvent>;

/** A page of events outside calls. */
export const DaemonEventPage = z
  .strictObject({
    events: z.array(FollowedEvent).readonly(),
    next: AuditPage.shape.next,
    partial: AuditPage.shape.partial,
  })
  .meta({ id: 'EventPage', description: 'A page of events outside calls, newest first.' });
export type DaemonEventPage = z.output<typeof DaemonEventPage>;

const time = z.iso.datetime().nullable().describe('`null` if the event cannot be read.');

/** The state of a log's chain. */
export const AuditChain = z
  .strictObject({
    logId: z.string(),
    createdAt: z.string(),
    first: z
      .strictObject({ sequence: z.number(), time })
      .nullable()
      .describe('Its sequence is more than 1 if older events were pruned. `null`: the log is empty.'),
    last: z.strictObject({ sequence: z.number(), hash: z.string(), time }).nullable(),
    checkpoint: z
      .strictObject({ sequence: z.number(), time: z.string(), keyId: z.string() })
      .nullable()
      .describe('The last one: the last event that it covers, its time, and the key that signed it.'),
    unsigned: z.number().describe('The number of events after the last checkpoint.'),
    copies: z
      .union([z.strictObject({ file: z.string() }), z.strictObject({ program: z.string() })])
      .nullable()
      .describe('Where each checkpoint is copied to; `null`: nowhere.'),
    keys: z
      .array(
        z.strictObject({
          keyId: z.string(),
          publicKey: z.string().describe('SPKI in PEM.'),
          since: z.number().nullable().describe('The first event that it signs.'),
        }),
      )
      .readonly()
      .describe('The signing keys, oldest first.'),
    verification: z
      .strictObject({
        at: z.iso.datetime(),
        actor: z.string().describe('The name of the key that requested it.'),
        result: Verification,
      })
      .nullable()
      .describe('The last verification over HTTP since the daemon started; `null`: none.'),
  })
  .meta({ id: 'AuditChain', description: "The state of the chain of this daemon's log." });
export type AuditChain = z.output<typeof AuditChain>;
