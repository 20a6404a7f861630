// Threat model: T82

import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { type Era, stdioClient } from '../support/mcp-client.ts';
import { patientLimits } from '../support/waiter.ts';

interface World {
  root: string;
  daemon: Daemon;
  /** The configuration of `ambit mcp`. */
  file: string;
  /** Restarts the ended daemon with the same data directory on another port. */
  again(): Promise<Daemon>;
}

async function world(): Promise<World> {
  const [root, folder] = [await temporaryFolder(), await temporaryFolder()];
  await writeSkills(root, {
    double: pythonSkill("print(json.dumps({'n': given['n'] * 2}))", {
      input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      output: { type: 'object', properties: { n: { type: 'integer' } } },
    }),
    slow: pythonSkill('time.sleep(600)', { limits: patientLimits }),
    notes: { 'SKILL.md': '---\nname: notes\ndescription: Notes.\n---\n# Notes\n' },
  });
  const config = { bundledSkills: false, skills: [{ path: root, tier: 'local' }] };
  const dataDir = join(folder, 'data');
  const file = join(folder, 'mcp.yaml');
  await writeFile(file, JSON.stringify({ ...config, dataDir }));
  const again = () => startDaemon(config, { dataDir });
  return { root, file, again, daemon: await again() };
}

const eras: [name: string, era: Era][] = [
  ['the protocol of 2026', 'modern'],
  ['a session of 2025', 'legacy'],
];

describe.each(eras)('ambit mcp with a running daemon, in %s', (_, era) => {
  test('forwards calls, progress, prompts, resources and refusals, and calls are recorded', async () => {
    const { file, daemon } = await world();
    const client = await stdioClient(file, era);
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
    expect(await daemon.audit()).toMatchObject([
      { via: 'mcp', actor: 'key', request: 'tools/call näh', outcome: 'denied' },
      { via: 'mcp', actor: 'key', skill: { id: 'double' }, outcome: 'succeeded' },
    ]);
  });

  test('cancels a call in the daemon if the call is canceled or its client disconnects', async () => {
    const { file, daemon } = await world();
    const outcomes = async () => (await daemon.audit()).map(({ outcome }) => outcome);
    const client = await stdioClient(file, era);
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
    const { file, root } = await world();
    const changed = Promise.withResolvers<void>();
    const client = await stdioClient(file, era, { onToolsChanged: changed.resolve });
    await writeSkills(root, { later: pythonSkill('print(1)') });
    await client.listTools();
    await changed.promise;
  });

  test('prints what to do when the daemon has stopped, sends its key to no other server on the port, and continues with a restarted daemon', async () => {
    const { file, daemon, again } = await world();
    const client = await stdioClient(file, era);
    const call = () => client.callTool({ name: 'double', arguments: { n: 1 } });
    expect((await call()).structuredContent).toEqual({ n: 2 });
    await daemon.stop();
    const heard: unknown[] = [];
    const other = createServer(({ headers }, answer) => {
      heard.push(headers);
      answer.end();
    });
    await once(other.listen(Number(new URL(daemon.url).port), '127.0.0.1'), 'listening');
    onTestFinished(() => void other.close());
    await expect(call()).rejects.toMatchObject({
      message: expect.stringContaining('so nothing ran; start it with "ambit serve"'),
      data: { code: 'DAEMON_UNREACHABLE' },
    });
    expect(heard).toEqual([]);
    const later = await again();
    expect((await call()).structuredContent).toEqual({ n: 2 });
    expect((await later.audit('?skill=double')).length).toBe(2);
  });

  test('answers a call whose daemon was killed with where to look', async () => {
    const { file, daemon } = await world();
    const client = await stdioClient(file, era);
    const call = client.callTool(
      { name: 'slow', arguments: { input: 1 } },
      { onprogress: () => void daemon.stop('SIGKILL') },
    );
    await expect(call).rejects.toMatchObject({
      message: expect.stringContaining('check its record with "ambit audit" before you call again'),
    });
  });
});

test('ambit mcp reports a missing key file, and continues once it is restored', async () => {
  const { file, daemon } = await world();
  const client = await stdioClient(file);
  const key = join(daemon.dataDir, 'key');
  await rename(key, `${key}.away`);
  await expect(client.listPrompts()).rejects.toMatchObject({
    message: expect.stringMatching(/the key file .* does not exist/),
    data: { code: 'KEY_UNUSABLE' },
  });
  await rename(`${key}.away`, key);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['notes']);
});

test('ambit mcp uses the key in AMBIT_KEY with its rights', async () => {
  const { file, daemon } = await world();
  const { stdout } = await ambit([
    ...['key', 'create', 'reader', '--scope', 'skills:read', '--skill', 'notes', '--config', file],
  ]);
  const client = await stdioClient(file, 'modern', { env: { AMBIT_KEY: stdout.trim() } });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    ...['list_skills', 'load_skill', 'read_skill_file'],
  ]);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['notes']);
  await ambit(['key', 'revoke', 'reader', '--config', file]);
  await expect(client.listPrompts()).rejects.toMatchObject({
    message: expect.stringContaining('the key reader was revoked'),
    data: { code: 'UNAUTHENTICATED' },
  });
  expect(await daemon.audit()).toMatchObject([{ actor: 'reader', request: 'POST /mcp' }]);
});
