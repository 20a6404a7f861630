import { generateKeyPairSync } from 'node:crypto';
import type { AuditReader, CallRecord } from '@ambit/core/audit';
import type { AuditPage } from '@ambit/core/internal';

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

/** A new private key of a node. */
export function nodeKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function plain({ node: _node, place: _place, ...record }: CallRecord): CallRecord {
  return record;
}
