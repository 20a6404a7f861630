// Threat model: T310

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { openAuditLog } from '../open-audit-log.ts';
import { rejection } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { lockDataDir } from './lock-data-dir.ts';

const lost = (reason: string) => (dir: string) =>
  `AUDIT_UNAVAILABLE: Ambit has lost the lock on its data directory (${dir}/lock ${reason}), so another process may write there; nothing runs until you restart Ambit`;

const losses: readonly (readonly [why: string, lose: string, expected: (dir: string) => string])[] = [
  ['a thread closes its descriptor', 'closeSync(lock.held.descriptor);', lost('was closed')],
  [
    'its descriptor is closed and its number reused for another file',
    `closeSync(lock.held.descriptor);
     while (openSync('/dev/null') < lock.held.descriptor);`,
    lost('was closed'),
  ],
  [
    'another descriptor of its file is closed, which drops all locks on it',
    'closeSync(openSync(lock.held.file));',
    lost('is open but not locked'),
  ],
  ['its file is removed', 'rmSync(lock.held.file);', lost('was removed')],
  [
    'its file is replaced',
    `rmSync(lock.held.file);
     writeFileSync(lock.held.file, '');`,
    lost('was replaced'),
  ],
  [
    'its file is moved away and back, and this is noticed',
    `renameSync(lock.held.file, lock.held.file + '.away');
     await append(event);
     renameSync(lock.held.file + '.away', lock.held.file);`,
    lost('was lost temporarily'),
  ],
];

/** The data directories of a log for each loss and of one whose lock is held, in one process, because starting one takes long. */
const dirs: string[] = [];
let results: unknown[];

beforeAll(async () => {
  const removals: (() => Promise<void>)[] = [];
  const lost = [...losses.map(([, lose]) => lose), ''];
  for (const _ of lost) dirs.push(await temporaryFolder({}, (remove) => void removals.push(remove)));
  results = await written(lost.map((lose, at) => [dirs[at] ?? '', lose]));
  return async () => void (await Promise.all(removals.map((remove) => remove())));
});

test.each(losses.map(([why, , expected], at) => [why, expected, at] as const))(
  'a log stops writing when its lock is lost because %s, and the next process can take it',
  async (_, expected, at) => {
    const dir = dirs[at] ?? '';
    expect(results[at]).toEqual({ before: 1, after: expected(dir), ready: expected(dir) });
    const lock = await lockDataDir(dir);
    const log = await openAuditLog({ file: join(dir, 'audit.db'), lock });
    expect(await log.append(rejection('c'))).toMatchObject({ sequence: 2 });
    await log.close();
    await lock.release();
    expect(walkLog(join(dir, 'audit.db'))).toMatchObject({ flaws: [], events: { length: 2 } });
  },
);

test('a log is written while its lock is held', () => {
  expect(results.at(-1)).toEqual({ before: 1, after: 2, ready: 'ready' });
});

/**
 * The results of appending before and after each lock is lost, in a process of its own that has the locks and
 * the logs.
 */
async function written(losses: readonly (readonly [dir: string, lose: string])[]): Promise<unknown[]> {
  const source = (name: string): string => JSON.stringify(join(import.meta.dirname, name));
  const script = `
    import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
    import { lockDataDir } from ${source('lock-data-dir.ts')};
    import { openAuditLog } from ${source('../open-audit-log.ts')};
    const errorText = ({ code, message }) => code + ': ' + message;
    const event = ${JSON.stringify(rejection('b'))};
    const results = [];
    ${losses
      .map(
        ([dir, lose]) => `{
    const lock = await lockDataDir(${JSON.stringify(dir)});
    const log = await openAuditLog({ file: ${JSON.stringify(join(dir, 'audit.db'))}, lock });
    const append = (event) => log.append(event).then(({ sequence }) => sequence, errorText);
    const before = await append(${JSON.stringify(rejection('a'))});
    ${lose}
    const after = await append(event);
    const ready = await log.requireWritable().then(() => 'ready', errorText);
    results.push({ before, after, ready });
    await log.close();
    await lock.release();
    }`,
      )
      .join('\n')}
    console.log(JSON.stringify(results));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}
