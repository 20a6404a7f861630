// Threat model: T82

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { revoke, withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
import { eras, stdioClient } from '../support/mcp-client.ts';
import { patientLimits } from '../support/waiter.ts';

/** The actor of calls over the private socket. */
const user = userInfo().username;

/** The skills of the tests. */
const skills = {
  double: pythonSkill("print(json.dumps({'n': given['n'] * 2}))", {
    input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    output: { type: 'object', properties: { n: { type: 'integer' } } },
  }),
  slow: pythonSkill('time.sleep(600)', { limits: patientLimits }),
  notes: { 'SKILL.md': '---\nname: notes\ndescription: Notes.\n---\n# Notes\n' },
};

let config: object;

const daemon = sharedDaemon(async (root) => {
  await writeSkills(root, skills);
  config = { bundledSkills: false, skills: [{ path: root, tier: 'local' }] };
  return config;
});

/** The configuration of an `ambit mcp` with a data directory. */
async function configurationFor(dataDir: string): Promise<string> {
  const file = join(await temporaryFolder(), 'mcp.yaml');
  await writeFile(file, JSON.stringify({ ...config, dataDir }));
  return file;
}

/** A daemon of its own, for a test that stops it. */
interface World {
  own: Daemon;
  /** The configuration of `ambit mcp`. */
  file: string;
  /** Restarts the ended daemon with the same data directory on another port. */
  again(): Promise<Daemon>;
}

async function world(): Promise<World> {
  const dataDir = join(await temporaryFolder(), 'data');
  const again = () => startDaemon(config, { dataDir });
  return { file: await configurationFor(dataDir), again, own: await again() };
}

describe.each(eras)('ambit mcp with a running daemon, in %s', (_, era) => {
  test('forwards calls, progress, prompts, resources and refusals, and calls are recorded', async () => {
    const records = await laterRecords(daemon());
    const client = await stdioClient(await configurationFor(daemon().dataDir), era);
    const told: unknown[] = [];
    const result = await client.callTool(
      { name: 'double', arguments: { n: 21 } },
      { onprogress: ({ message }) => told.push(message) },
    );
    // A call that takes more than five seconds, on a busy machine, also tells how long it has been running.
    const once = told.filter((message) => !/^double has been running for \d+ s$/.test(String(message)));
    expect([result.structuredContent, once]).toEqual([{ n: 42 }, ['double was called']]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'notes' }]);
    const { contents } = await client.readResource({ uri: 'skill://notes/SKILL.md' });
    expect(contents).toMatchObject([{ text: expect.stringContaining('# Notes') }]);
    await expect(client.callTool({ name: 'näh', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    expect(await records()).toMatchObject([
      { via: 'mcp', actor: user, request: 'tools/call näh', outcome: 'denied' },
      { via: 'mcp', actor: user, skill: { id: 'double' }, outcome: 'succeeded' },
    ]);
  });

  test('cancels a call in the daemon if the call is canceled or its client disconnects', async () => {
    const records = await laterRecords(daemon());
    const outcomes = async () => (await records()).map(({ outcome }) => outcome);
    const client = await stdioClient(await configurationFor(daemon().dataDir), era);
    const slow = (options: Parameters<typeof client.callTool>[1]) =>
      client.callTool({ name: 'slow', arguments: { input: 1 } }, options);
    const stop = new AbortController();
    await expect(slow({ signal: stop.signal, onprogress: () => stop.abort() })).rejects.toThrow();
    await expect.poll(outcomes).toEqual(['canceled']);
    const begun = Promise.withResolvers<void>();
    const left = slow({ onprogress: () => begun.resolve() }).catch(() => 'gone');
    await begun.promise;
    await client.close();
    expect(await left).toBe('gone');
    await expect.poll(outcomes).toEqual(['canceled', 'canceled']);
  });

  test('forwards the notification of changed skills', async () => {
    const changed = Promise.withResolvers<void>();
    const file = await configurationFor(daemon().dataDir);
    const client = await stdioClient(file, era, { onToolsChanged: changed.resolve });
    const root = join(daemon().dataDir, '../skills');
    await writeSkills(root, { [`later-${era}`]: pythonSkill('print(1)') });
    await client.listTools();
    await changed.promise;
  });

  test.runIf(isWhole || era === 'modern')(
    'continues with a daemon on demand when the daemon has stopped, connects to no other server on its port, and continues with the restarted daemon',
    async () => {
      const { file, own, again } = await world();
      const client = await stdioClient(file, era);
      const call = () => client.callTool({ name: 'double', arguments: { n: 1 } });
      expect((await call()).structuredContent).toEqual({ n: 2 });
      await own.stop();
      const heard: unknown[] = [];
      const other = createServer(({ headers }, answer) => {
        heard.push(headers);
        answer.end();
      });
      await once(other.listen(Number(new URL(own.url).port), '127.0.0.1'), 'listening');
      onTestFinished(() => void other.close());
      expect((await call()).structuredContent).toEqual({ n: 2 });
      expect(heard).toEqual([]);
      const later = await again();
      expect((await call()).structuredContent).toEqual({ n: 2 });
      expect((await later.audit('?skill=double')).length).toBe(3);
    },
  );

  test.runIf(isWhole || era === 'modern')(
    'answers a call whose daemon was killed with where to look',
    async () => {
      const { file, own } = await world();
      const client = await stdioClient(file, era);
      const call = client.callTool(
        { name: 'slow', arguments: { input: 1 } },
        { onprogress: () => void own.stop('SIGKILL') },
      );
      await expect(call).rejects.toMatchObject({
        message: expect.stringContaining('check its record with "ambit audit" before you call again'),
      });
    },
  );
});

test('ambit mcp --key-file reports a missing file, and continues once it is restored', async () => {
  const key = join(daemon().dataDir, 'key');
  const file = await configurationFor(daemon().dataDir);
  const client = await stdioClient(file, 'modern', { args: ['--key-file', key] });
  await rename(key, `${key}.away`);
  await expect(client.listPrompts()).rejects.toMatchObject({
    message: expect.stringMatching(/the key file .* does not exist/),
    data: { code: 'KEY_UNUSABLE' },
  });
  await rename(`${key}.away`, key);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['notes']);
});

test('ambit mcp uses the key in AMBIT_KEY with its rights', async () => {
  const { key } = await withKey(daemon(), 'reader', { scopes: ['skills:read'], skills: ['notes'] });
  const file = await configurationFor(daemon().dataDir);
  const client = await stdioClient(file, 'modern', { env: { AMBIT_KEY: key } });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    ...['list_skills', 'load_skill', 'read_skill_file'],
  ]);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['notes']);
  await revoke(daemon(), 'reader');
  await expect(client.listPrompts()).rejects.toMatchObject({
    message: expect.stringContaining('the key reader was revoked'),
    data: { code: 'UNAUTHENTICATED' },
  });
  expect(await daemon().audit('?actor=reader')).toMatchObject([{ request: 'POST /mcp' }]);
});
