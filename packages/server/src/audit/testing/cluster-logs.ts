import { generateKeyPairSync } from 'node:crypto';
import type { AuditPage, AuditReader, CallRecord } from '@ambit/core/audit';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import { openPostgresStore } from '../../store/postgres/postgres-store.ts';
import { inDatabase } from '../../store/testing/postgres-databases.ts';
import type { SendingLease } from '../ship/ship-batch.ts';

/**
 * A log of a cluster with one node, seen as a log without a cluster: cursors are sequences, and records name neither node nor
 * place. So the contracts of a log hold for it.
 */
export function asOneLog<Log extends AuditReader>(log: Log): Log {
  const placed = async (): Promise<readonly CallRecord[]> => {
    const all: CallRecord[] = [];
    for (let before: number | null | undefined; before !== null; ) {
      const page: AuditPage = await log.query({ limit: 200, ...(before !== undefined && { before }) });
      all.push(...page.records);
      before = page.next;
    }
    return all;
  };
  return {
    ...log,
    async query({ before, ...query }) {
      const after = before === undefined ? [] : (await placed()).filter(({ sequence }) => sequence >= before);
      const place = after.at(-1)?.place;
      const page = await log.query({ ...query, ...(place !== undefined && { before: place }) });
      const { next } = page;
      const isAt = ({ place: at = 0 }: CallRecord): boolean => at >= (next ?? 0);
      return {
        ...page,
        records: page.records.map(plain),
        next: next === null ? null : ((await placed()).filter(isAt).at(-1)?.sequence ?? next),
      };
    },
    async *export(filter) {
      for await (const record of log.export(filter)) yield plain(record);
    },
  };
}

/** The lease of a node that the database knows. */
export async function heldLease(settings: PostgresSettings, node: number): Promise<SendingLease> {
  const store = openPostgresStore(settings, { use: 'beside' });
  try {
    // Creates the schema.
    await store.run('listNodes');
  } finally {
    await store.close();
  }
  const lease = { epoch: 1, instance: '00000000-0000-4000-8000-000000000001' };
  await inDatabase(
    settings,
    `INSERT INTO ambit.nodes (id, name, certificate, advertise, state, version, epoch, instance, lease_until, joined_at)
     VALUES (${node}, 'n${node}', '', '', 'active', '', ${lease.epoch}, '${lease.instance}', 0, 0) ON CONFLICT DO NOTHING`,
  );
  return lease;
}

/** A new private key of a node. */
export function nodeKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function plain({ node: _node, place: _place, ...record }: CallRecord): CallRecord {
  return record;
}
