import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { byHand } from '../testing/by-hand.ts';
import { decisionsInFile } from './inspect-store-file.ts';
import { openSqliteStore } from './sqlite-store.ts';

test("decisions are read from this version's store, and refused from a development version's", async () => {
  const file = join(await temporaryFolder(), 'store.db');
  const store = openSqliteStore(file);
  await store.run('listDecisions');
  await store.close();
  expect(decisionsInFile(file)).toEqual({ revision: 0, approvals: [], revocations: [] });
  byHand(file, "UPDATE migrations SET digest = 'another'");
  expect(() => decisionsInFile(file)).toThrow(/was written by a development version of Ambit/);
});
