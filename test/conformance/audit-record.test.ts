// The features of boternity's audit that users rely on, without iSDLC's fault: entries for skills that were not
// used.
import { expect, test } from 'vitest';
import { startDaemon } from '../support/daemon.ts';
import { measured } from '../support/measured-usage.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test("records one entry with all of boternity's fields for a call, and none for a prompt", async () => {
  const folder = await temporaryFolder();
  const double = pythonSkill('print(json.dumps({"n": given["n"] * 2}))');
  await writeSkills(folder, {
    double: {
      ...double,
      'ambit.yaml': JSON.stringify({ ...JSON.parse(double['ambit.yaml'] ?? ''), version: '1.2.0' }),
    },
    listed: {},
  });
  const daemon = await startDaemon({ skills: [{ path: folder, tier: 'local' }], bundledSkills: false });

  const prompt = await daemon.request('POST', '/prompt', { body: { active: ['double', 'listed'] } });
  expect(prompt.body.skills.map(({ id }: { id: string }) => id)).toEqual(['double', 'listed']);
  await daemon.request('GET', '/skills?q=double');
  expect(await daemon.audit()).toEqual([]);

  const { body } = await daemon.execute('double', { input: { n: 4 } });
  expect(body.outcome).toEqual({ status: 'succeeded', output: { n: 8 } });
  const [record, ...others] = await daemon.audit();
  const digest = { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), bytes: expect.any(Number) };
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    executionId: body.executionId,
    actor: expect.any(String),
    startedAt: expect.stringMatching(/Z$/),
    endedAt: expect.stringMatching(/Z$/),
    skill: { id: 'double', version: '1.2.0', tier: 'local', digest: digest.digest },
    capabilities: { requested: { exec: ['python3'] }, granted: { exec: ['python3'] }, denied: [] },
    input: digest,
    output: digest,
    outcome: 'succeeded',
    error: null,
    usage: {
      durationMs: expect.any(Number),
      memoryPeakBytes: measured,
      // A host program has no fuel, so any number here would be wrong.
      fuelConsumed: null,
    },
  });
});
