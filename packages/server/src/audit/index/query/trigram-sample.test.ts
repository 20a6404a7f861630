import { join } from 'node:path';
import { canonicalJson } from '@ambit/core/internal';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openAuditLog } from '../../open-audit-log.ts';
import { rejection, temporaryFolder } from '../../testing/audit-files.ts';
import { logSource } from '../indexer/log-source.ts';
import { trigramSample } from './trigram-sample.ts';

test('a sample has inputs and outputs although they alternate, and tells frequent characters from rare ones', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  await (await openAuditLog({ file })).close();
  const database = new Sqlite(file);
  const insert = database.prepare('INSERT INTO log VALUES (?, ?, 1, ?, ?)');
  const keep = database.prepare('INSERT INTO payloads VALUES (?, ?, ?, 0)');
  database.transaction(() => {
    for (let sequence = 1; sequence <= 4000; sequence += 1) {
      const isInput = sequence % 2 === 1;
      insert.run(sequence, `e${sequence}`, canonicalJson(rejection(`e${sequence}`)), Buffer.alloc(32));
      keep.run(sequence, isInput ? 'input' : 'output', isInput ? 'needle' : 'haystack');
    }
  })();
  const sample = trigramSample(logSource(database));
  for (const text of ['needle', 'HAYSTACK']) {
    expect(sample.commonness(text)).toBeGreaterThan(0.4);
    expect(sample.commonness(text)).toBeLessThan(0.6);
  }
  expect(sample.commonness('needles')).toBe(0);
  expect(sample.rarest('needles')[0]).toBe('les');
  database.close();
});
