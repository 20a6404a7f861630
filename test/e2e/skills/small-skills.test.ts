import { expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';
import { smallSkills } from '../support/small-skills.ts';

const shared = sharedDaemon(async (path) => {
  await writeSkills(path, Object.fromEntries(smallSkills.map(({ id, files }) => [id, files])));
  return { skills: [{ path, tier: 'local' }] };
});

test.each(smallSkills.filter(({ needs }) => needs.every((name) => findHostProgram(name) !== undefined)))(
  'the small skill $id runs unchanged',
  async ({ id, call, output, leaves = [] }) => {
    const { body } = await shared().execute(id, call);
    expect({ outcome: body.outcome, files: body.files ?? [] }).toEqual({
      outcome: { status: 'succeeded', output },
      files: leaves.map((left) => expect.objectContaining({ change: 'created', ...left })),
    });
  },
);
