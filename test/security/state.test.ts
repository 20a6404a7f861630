// Threat model: T54, T55, T57, T59

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storedState } from '../support/stored-state.ts';
import { attackingSkill, execution, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import type { ExecutionLine } from './support/protocol.ts';

const run = { capabilities: { exec: ['python3'], state: 'write' } };

describe.each(callers)('state files, as $name', (caller) => {
  const ground = stage(caller);
  let skill: string;
  let secret: string;
  const isRoot = caller.uid === undefined && process.getuid?.() === 0;

  beforeAll(async () => {
    skill = await attackingSkill(ground.folder, 'state.py', run);
    await mkdir(join(ground.folder, 'secret'));
    secret = join(ground.folder, 'secret/file');
    // Readable by all users and valid as a state file, so that only the sandbox and the daemon's
    // checks keep it out.
    await writeFile(secret, '{"stolen":true}', { mode: 0o644 });
  });

  // Each attack runs on a store in which a run of the same skill has just saved a value.
  beforeEach(async () => {
    const { outcome, stateKeys } = await leave('sound', { kept: expect.getState().currentTestName });
    expect([outcome, stateKeys]).toEqual([{ status: 'succeeded', output: 'left' }, 1]);
  });

  function leave(way: string, more: object = {}): Promise<ExecutionLine> {
    return execution(ground.program, skill, { given: { way, secret, ...more } });
  }

  const stored = (): Promise<unknown> => storedState(ground.program.data, 'attacker');
  const asBefore = (): unknown => ({ kept: expect.getState().currentTestName });

  test.each<[string, string, string]>([
    ['a symlink to a host file', 'link', 'is not a regular file but a symbolic link'],
    ['a folder that was replaced', 'linked_folder', 'is not a regular file but a symbolic link'],
    ['a hard link to a host file', 'hard_link', 'was removed'],
    ['a FIFO', 'fifo', 'is not a regular file but a FIFO'],
    ['a huge sparse file', 'giant', 'has 67108864 bytes, more than 4194304'],
    ['deep JSON', 'deep', 'is nested more than 512 levels deep'],
    ['very many values', 'many', 'has more than 250000 values'],
  ])('a state file replaced by %s ends the call, and the store is unchanged', async (_, way, problem) => {
    const { outcome, stateKeys } = await leave(way);
    expect([outcome, stateKeys]).toEqual([
      {
        status: 'output-invalid',
        detail: `state not saved: the file that AMBIT_STATE names ${problem}. Write one JSON object to it`,
        stderr: '',
      },
      undefined,
    ]);
    expect(await stored()).toEqual(asBefore());
  });

  test.each([
    ['file', 'closed_file', 'could not be read'],
    ['folder', 'closed_folder', 'is in a folder that could not be read'],
  ])(
    'a %s without permissions is read by root, and ends the call of any other user',
    async (_, way, problem) => {
      const { outcome } = await leave(way, { kept: 'closed' });
      if (isRoot) expect([outcome.status, await stored()]).toEqual(['succeeded', { kept: 'closed' }]);
      else {
        expect(outcome).toMatchObject({ status: 'output-invalid', detail: expect.stringContaining(problem) });
        expect(await stored()).toEqual(asBefore());
      }
    },
  );

  test('a state file is read after all processes of the program have ended', async () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      const { outcome } = await leave('still_running', { kept: attempt });
      // Whatever the file was at the end: a symlink is refused and not followed.
      expect(outcome.status).toBeOneOf(['succeeded', 'output-invalid']);
      expect(JSON.stringify([outcome, await stored()])).not.toContain('stolen');
    }
  });

  test('a call’s state file contains only saved state of other calls', async () => {
    expect((await leave('leave_marks', { kept: 'mine' })).outcome.status).toBe('succeeded');
    const { outcome } = await leave('look');
    expect(outcome).toMatchObject({ output: { state: { kept: 'mine' }, folder: ['state.json'], tmp: [] } });
  });
});
