// Threat model: T227

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { laterRecords } from '../../support/later-records.ts';
import { writeSkills } from '../../support/skills.ts';

let skills: string;

const daemon = sharedDaemon(async (folder) => {
  skills = folder;
  const broken = { 'SKILL.md': '---\nlicense: MIT\n---\n' };
  await writeSkills(skills, { broken, fixed: broken });
  return { skills: [{ path: skills, tier: 'local' }] };
});

test('an unusable skill is reported at the start and in the list, and affects no other skill', async () => {
  const problem =
    'SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter';
  expect(daemon().printed()).toContain(problem);
  const { body } = await daemon().request('GET', '/skills');
  const unusable = (id: string) => ({ id, root: join(skills, id), problem });
  expect(body.broken).toEqual([unusable('broken'), unusable('fixed')]);
  await writeFile(join(skills, 'fixed/SKILL.md'), '---\nname: fixed\ndescription: Fixed.\n---\n');
  expect((await daemon().request('GET', '/skills')).body.broken).toEqual([unusable('broken')]);
});

test.each([
  [
    'a tunnel',
    'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    /CONNECT is not supported/,
  ],
  [
    'an Expect header',
    'GET /skills HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: miracles\r\n\r\n',
    /Expect header/,
  ],
  ['bytes that are not HTTP', 'hello\r\n\r\n', /it is not HTTP/],
])('%s is also refused and recorded', async (_, bytes, says) => {
  const records = await laterRecords(daemon());
  const { port } = new URL(daemon().url);
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(says);
  expect(await records()).toMatchObject([{ outcome: 'denied', error: { code: 'REQUEST_UNREADABLE' } }]);
});

test('refuses and records a request with two Host headers in any order, and answers a request with one', async () => {
  const records = await laterRecords(daemon());
  const { port } = new URL(daemon().url);
  const answerTo = async (...hosts: string[]): Promise<string> => {
    const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    socket.write(`GET /healthz HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer;
  };
  for (const hosts of [
    ['127.0.0.1', 'evil.example'],
    ['evil.example', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
  ])
    expect(await answerTo(...hosts)).toMatch(
      /^HTTP\/1\.1 400 .*"detail":"the request has 2 Host headers; send one".*"code":"REQUEST_UNREADABLE"/s,
    );
  expect(await answerTo('127.0.0.1')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await records()).toMatchObject(
    new Array(3).fill({ outcome: 'denied', error: { code: 'REQUEST_UNREADABLE' } }),
  );
});

test('a daemon without its log stays alive and refuses calls until the log is back', async () => {
  const daemon = await startDaemon();
  const health = async () => (await daemon.request('GET', '/healthz')).status;
  const ready = () => daemon.request('GET', '/readyz');
  expect(await health()).toBe(200);
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready' } });
  await rename(join(daemon.dataDir, 'audit.db'), join(daemon.dataDir, 'elsewhere'));
  expect(await health()).toBe(200);
  expect(await ready()).toMatchObject({ status: 503, body: { code: 'AUDIT_UNAVAILABLE' } });
  expect(await daemon.execute('csv-profile', { input: { csv: 'a' } })).toMatchObject({
    status: 503,
    body: { code: 'AUDIT_UNAVAILABLE' },
  });
  await rename(join(daemon.dataDir, 'elsewhere'), join(daemon.dataDir, 'audit.db'));
  expect(await daemon.execute('csv-profile', { input: { csv: 'a' } })).toMatchObject({ status: 200 });
  await expect.poll(async () => (await ready()).status).toBe(200);
});
