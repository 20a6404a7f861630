import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eras, stdioClient, textOf } from '../support/mcp-client.ts';

const answerers = [
  ['in its own process', false],
  ['with a running daemon', true],
] as const;

test.each(
  answerers.flatMap(([where, isForwarded]) =>
    eras.map(([name, era]) => [where, name, isForwarded, era] as const),
  ),
)(
  'ambit mcp %s, in %s, refuses a message that is too large, and the connection lives',
  async (_where, _name, isForwarded, era) => {
    const root = await temporaryFolder();
    await writeSkills(root, { count: pythonSkill('print(json.dumps(len(given["text"])))') });
    const dataDir = join(await temporaryFolder(), 'data');
    const config = {
      ...{ bundledSkills: false, skills: [{ path: root, tier: 'local' }], bodyLimitBytes: 1_000_000 },
    };
    if (isForwarded) await startDaemon(config, { dataDir });
    const file = join(await temporaryFolder(), 'mcp.yaml');
    await writeFile(file, JSON.stringify({ ...config, dataDir }));
    const client = await stdioClient(file, era);
    const count = (length: number) =>
      client.callTool({ name: 'count', arguments: { input: { text: 'x'.repeat(length) } } });
    await expect(count(12_000_000)).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringMatching(
        /the message has 12\d+ bytes, and the limit is 1000000, set by bodyLimitBytes/,
      ),
      data: { code: 'BODY_TOO_LARGE' },
    });
    expect(textOf(await count(500_000))).toContain('500000');
  },
);
