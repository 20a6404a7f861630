// Threat model: T404

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eras, stdioClient, textOf } from '../support/mcp-client.ts';

const bodyLimitBytes = 1_000_000;

/** The configuration file for an `ambit mcp`. */
async function configuration(): Promise<string> {
  const root = await temporaryFolder();
  await writeSkills(root, { count: pythonSkill('print(json.dumps(len(given["text"])))') });
  const dataDir = join(await temporaryFolder(), 'data');
  const config = { bundledSkills: false, skills: [{ path: root, tier: 'local' }], bodyLimitBytes };
  const file = join(await temporaryFolder(), 'mcp.yaml');
  await writeFile(file, JSON.stringify({ ...config, dataDir }));
  return file;
}

/** The recorded refusals, oldest first. */
async function refusals(file: string) {
  const args = ['audit', 'export', '--outcome', 'denied', '--config', file];
  const lines = (await ambit(args)).stdout.trim().split('\n');
  return lines.map((each) => JSON.parse(each)).map(({ request, via, error }) => ({ request, via, error }));
}

const refusalOf = (bytes: number) =>
  `the message has ${bytes} bytes, and the limit is ${bodyLimitBytes}, set by bodyLimitBytes. Nothing ran. Send a large file in parts, or ask the user to copy it with "ambit workspace put"`;

const recordOf = (bytes: number) => ({
  request: 'ambit/messageTooLarge',
  via: 'mcp',
  error: { code: 'BODY_TOO_LARGE', message: refusalOf(bytes) },
});

test.each(eras)(
  'ambit mcp, in %s, refuses and records a message that is too large, and the connection lives',
  async (_name, era) => {
    const file = await configuration();
    const client = await stdioClient(file, era);
    const count = (length: number) =>
      client.callTool({ name: 'count', arguments: { input: { text: 'x'.repeat(length) } } });
    const refusal = await count(12_000_000).catch((error: unknown) => error);
    const bytes = Number(/12\d{6}/.exec(String(refusal))?.[0]);
    expect(refusal).toMatchObject({
      code: -32_600,
      message: expect.stringContaining(refusalOf(bytes)),
      data: { code: 'BODY_TOO_LARGE' },
    });
    expect(textOf(await count(500_000))).toContain('500000');
    await client.close();
    expect(await refusals(file)).toEqual([recordOf(bytes)]);
  },
);

test.each([
  ['without a newline', ''],
  ['with a newline', '\n'],
])(
  'ambit mcp refuses and records each message that is too large, also the last of the input, which ends %s',
  async (_name, ending) => {
    const file = await configuration();
    const message = (id: number, length: number) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { text: 'x'.repeat(length) } });
    const [first, last] = [message(1, 3_000_000), message(2, 5_000_000)];
    const { stdout, code } = await ambit(['mcp', '--config', file], {
      stdin: `${first}\n${last}${ending}`,
    });
    const [firstBytes, lastBytes] = [first.length + 1, last.length + ending.length];
    expect([
      code,
      stdout
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each)),
    ]).toEqual([
      0,
      [
        [1, firstBytes],
        [2, lastBytes],
      ].map(([id, bytes = 0]) => ({
        jsonrpc: '2.0',
        id,
        error: { code: -32_600, message: refusalOf(bytes), data: { code: 'BODY_TOO_LARGE' } },
      })),
    ]);
    expect(await refusals(file)).toEqual([recordOf(firstBytes), recordOf(lastBytes)]);
  },
);
