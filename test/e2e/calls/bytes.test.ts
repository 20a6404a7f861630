import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ambitTools } from '../../../packages/ai/src/index.ts';
import { ambitClient } from '../../../packages/client/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';

/** The smallest PNG. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const bytes = Buffer.from([0, 0xff, 0xfe, 10, 13, 10, 0x80, 65]);

const skills = {
  copy: { 'scripts/run.sh': '#!/bin/sh\ncat\n' },
  tool: {
    'ambit.yaml':
      'run: { runtime: process, entry: scripts/run.sh, protocol: command, capabilities: { exec: [sh, cat] } }\n',
    'scripts/run.sh': '#!/bin/sh\ncat\n',
  },
  count: {
    'ambit.yaml': 'run: { runtime: wasm, entry: index.js }\n',
    'index.js': 'export default (text) => text.length;\n',
  },
  sum: { 'scripts/run.sh': '#!/bin/sh\nsha256sum\n' },
  flood: { 'scripts/run.sh': '#!/bin/sh\nhead -c 10737418240 /dev/urandom\n' },
  show: {
    'scripts/run.sh': `#!/bin/sh
case $1 in
  png) what=${png.toString('base64')} ;;
  latin) what=${Buffer.from('caf\u00e9\n', 'latin1').toString('base64')} ;;
  *) what=${bytes.toString('base64')} ;;
esac
echo $what | base64 -d
`,
  },
  long: { 'scripts/run.sh': '#!/bin/sh\nhead -c 300000 /dev/urandom\n' },
};

const daemon = sharedDaemon(async (folder) => {
  await writeSkills(folder, skills);
  return { bundledSkills: false, skills: [{ path: folder, tier: 'local' }], audit: { payloads: 'full' } };
});

const base64 = (content: Uint8Array) => Buffer.from(content).toString('base64');
const sent = (content: Uint8Array) => ({ stdinBase64: base64(content) });
const written = (content: Uint8Array) => ({
  status: 'succeeded',
  output: { exitCode: 0, stdout: base64(content), stderr: '', encoding: 'base64' },
});

/** `ambit` with its stdout as bytes. */
async function ambitBytes(cwd: string, ...args: string[]): Promise<Buffer> {
  const program = join(repository, 'packages/cli/src/ambit.mjs');
  const options = { cwd, encoding: 'buffer' } as const;
  return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout;
}

describe('bytes that are not text', () => {
  test('pass unchanged over HTTP in base64, and the record has what was returned', async () => {
    const { body } = await daemon().execute('copy', sent(bytes));
    expect(body.outcome).toEqual(written(bytes));
    const { stored } = (await daemon().request('GET', `/audit/${body.executionId}`)).body;
    expect(JSON.parse(stored.output.text)).toEqual(written(bytes).output);
    expect(JSON.parse(stored.input.text)).toEqual({
      stdin: { digest: expect.stringMatching(/^sha256:/), bytes: bytes.length },
    });
    const { url, key } = daemon();
    const answer = await ambitClient({ url, key }).execute('copy', undefined, sent(png));
    expect(answer.outcome).toEqual(written(png));
  });

  test('are stored without a secret in them, also where a chain passes them on', async () => {
    const content = Buffer.from(
      `caf\u00e9 ${['gh', 'p_'].join('')}aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5\n`,
      'latin1',
    );
    const steps = [{ skill: 'copy' }, { skill: 'count' }];
    const { body } = await daemon().request('POST', '/chain', { body: { ...sent(content), steps } });
    const [copied = {}, counted = {}] = await Promise.all(
      body.links.map(
        async ({ executionId }: { executionId: string }) =>
          (await daemon().request('GET', `/audit/${executionId}`)).body.stored,
      ),
    );
    expect(body.outcome.output).toBe(base64(content).length);
    expect(JSON.parse(copied.output.text)).toEqual({ ...written(content).output, stdout: '[redacted]' });
    expect(JSON.parse(counted.input.text)).toEqual({ input: '[redacted]' });
  });

  test('pass through a chain', async () => {
    const steps = [{ skill: 'copy' }, { skill: 'copy' }, { skill: 'sum' }];
    const chain = async (body: object) =>
      (await daemon().request('POST', '/chain', { body: { ...body, steps } })).body.outcome.output.stdout;
    const { body } = await daemon().execute('sum', sent(bytes));
    expect(await chain(sent(bytes))).toBe(body.outcome.output.stdout);
  });

  test('are an image or a file over MCP, up to a limit', async () => {
    const mcp = await httpClient(daemon());
    const run = async (name: string, given: object) =>
      (await mcp.callTool({ name: 'run_skill_script', arguments: { name, ...given } })).content;
    expect(await run('show', { args: ['png'] })).toEqual([
      { type: 'image', data: base64(png), mimeType: 'image/png' },
    ]);
    expect(await run('show', { args: ['bytes'] })).toEqual([
      { type: 'text', text: 'The output has 8 bytes that are not text:' },
      {
        type: 'resource',
        resource: { uri: 'workspace:///stdout', blob: base64(bytes), mimeType: 'application/octet-stream' },
      },
    ]);
    expect(await run('show', { args: ['latin'] })).toEqual([
      { type: 'text', text: 'caf\ufffd\n' },
      { type: 'text', text: '[this is not UTF-8; what is not, is replaced by \ufffd]' },
    ]);
    expect(await run('long', {})).toEqual([
      {
        type: 'text',
        text: expect.stringContaining('[left out: the output has 300000 bytes that are not text'),
      },
    ]);
  });

  test('are stdin over MCP, in a call of a tool and of a script', async () => {
    const mcp = await httpClient(daemon());
    const call = async (name: string, given: object) => mcp.callTool({ name, arguments: { ...given } });
    const copied = {
      type: 'resource',
      resource: { uri: 'workspace:///stdout', blob: base64(bytes), mimeType: 'application/octet-stream' },
    };
    expect((await call('run_skill_script', { name: 'copy', ...sent(bytes) })).content[1]).toEqual(copied);
    expect((await call('run_skill_script', { name: 'copy', ...sent(Buffer.from('é')) })).content).toEqual([
      { type: 'text', text: 'é' },
    ]);
    expect((await call('tool', sent(bytes))).content[1]).toEqual(copied);
    const records = await laterRecords(daemon());
    for (const [name, given] of [
      ['tool', {}],
      ['run_skill_script', { name: 'copy' }],
    ] as const) {
      const both = await call(name, { ...given, stdin: 'a', ...sent(bytes) });
      expect([both.isError, textOf(both)]).toEqual([
        true,
        expect.stringContaining('send either "stdin" or "stdinBase64", not both'),
      ]);
      const odd = await call(name, { ...given, stdinBase64: 'a' });
      expect([odd.isError, textOf(odd)]).toEqual([
        true,
        expect.stringContaining('stdinBase64: must be base64 with padding'),
      ]);
    }
    const denied = { outcome: 'denied', error: { code: 'INPUT_INVALID' } };
    expect(await records()).toMatchObject([denied, denied, denied, denied]);
  });

  test('are stdin in the tools for model providers', async () => {
    const { url, key } = daemon();
    const tools = await ambitTools(ambitClient({ url, key }));
    const run = (given: object) =>
      tools['sum']?.execute?.(given, { toolCallId: '1', messages: [], context: {} });
    const { body } = await daemon().execute('sum', sent(bytes));
    expect(await run(sent(bytes))).toBe(body.outcome.output.stdout);
  });

  test('are named to a model that reads only text', async () => {
    const { url, key } = daemon();
    const tools = await ambitTools(ambitClient({ url, key }));
    const call = (what: string) =>
      tools['show']?.execute?.({ args: [what] }, { toolCallId: '1', messages: [], context: {} });
    expect([await call('bytes'), await call('latin')]).toEqual([
      '[8 bytes that are not text]',
      'caf\ufffd\n',
    ]);
  });

  test('pass unchanged through the command line', async () => {
    const cwd = await temporaryFolder();
    await writeSkills(join(cwd, 'skills'), skills);
    await writeFile(join(cwd, 'in'), png);
    const config = { bundledSkills: false, skills: [{ path: join(cwd, 'skills'), tier: 'local' }] };
    await writeFile(join(cwd, 'config.yaml'), JSON.stringify(config));
    const where = ['--config', 'config.yaml', '--data-dir', daemon().dataDir, '--stdin', 'in'];
    expect(await ambitBytes(cwd, 'run', 'copy', ...where)).toEqual(png);
    const { stderr } = await ambit(['run', 'copy', ...where, '--stream'], { cwd });
    expect(stderr).toContain(
      `The output of copy has ${png.length} bytes that are not text. To save them, write stdout to a file, without --stream: > FILE`,
    );
  });

  test('are base64 after JSON input, and the reason says why they are not JSON', async () => {
    const { body } = await daemon().execute('show', { args: ['bytes'], input: {} });
    expect(body.outcome).toEqual({
      status: 'succeeded',
      output: base64(bytes),
      notJson: expect.stringContaining('the output is not UTF-8'),
      encoding: 'base64',
    });
  });

  test('end the run at the output limit, however many there are', async () => {
    const { body } = await daemon().execute('flood', {});
    expect(body.outcome).toMatchObject({ status: 'output-too-large', outputBytes: 16_777_216 });
  });
});

test('text stays text, with a byte order mark, a NUL and colors', async () => {
  const text = '\ufeffa\0b \u001b[31mred\u001b[0m é\r\n';
  const output = { exitCode: 0, stdout: text, stderr: '' };
  for (const given of [{ stdin: text }, sent(Buffer.from(text))])
    expect((await daemon().execute('copy', given)).body.outcome).toEqual({ status: 'succeeded', output });
});

test('stdin in both forms, or in base64 that is none, is refused', async () => {
  const both = await daemon().execute('copy', { stdin: 'a', ...sent(bytes) });
  expect([both.status, both.body.code, both.body.detail]).toEqual([
    422,
    'INPUT_INVALID',
    'send either "stdin" or "stdinBase64", not both',
  ]);
  const odd = await daemon().execute('copy', { stdinBase64: 'a' });
  expect([odd.status, odd.body.code]).toEqual([400, 'REQUEST_INVALID']);
});
