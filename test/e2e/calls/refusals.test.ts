// Threat model: T227, T297

import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';

/** Every refusal over HTTP, with its answer and its one record. */
const refusals: [
  claim: string,
  send: (daemon: Daemon) => ReturnType<Daemon['request']>,
  status: number,
  code: string,
  says: RegExp,
  skill: string | null,
][] = [
  [
    'an unknown skill',
    (d) => d.execute('no-such-skill', { input: {} }),
    404,
    'SKILL_NOT_FOUND',
    /GET \/skills/,
    'no-such-skill',
  ],
  [
    'a skill with nothing to run',
    (d) => d.execute('code-review', { input: {} }),
    422,
    'SKILL_NOT_EXECUTABLE',
    /prompt skill/,
    'code-review',
  ],
  [
    'a broken skill',
    (d) => d.execute('broken', { input: {} }),
    422,
    'SKILL_INVALID',
    /has no description: add/,
    'broken',
  ],
  [
    'input that fails the schema',
    (d) => d.execute('csv-profile', { input: { csv: 7 } }),
    422,
    'INPUT_INVALID',
    /\/csv: /,
    'csv-profile',
  ],
  ['no input', (d) => d.execute('csv-profile', {}), 422, 'INPUT_INVALID', /needs an "input"/, 'csv-profile'],
  [
    'args for a json skill',
    (d) => d.execute('csv-profile', { args: ['x'] }),
    422,
    'INPUT_INVALID',
    /uses protocol json/,
    'csv-profile',
  ],
  [
    'a capability that is not granted',
    (d) => d.execute('git-summary', { args: ['/srv'] }),
    403,
    'CAPABILITY_DENIED',
    /grants: { git-summary: { filesystem: { read:/,
    'git-summary',
  ],
  [
    'a call that requests more than the skill',
    (d) => d.execute('csv-profile', { input: { csv: 'a' }, capabilities: { env: ['PATH'] } }),
    403,
    'CAPABILITY_DENIED',
    /can only narrow/,
    'csv-profile',
  ],
  [
    'malformed JSON',
    (d) => d.request('POST', '/skills/csv-profile/execute', { raw: '{"input": ' }),
    400,
    'BODY_MALFORMED',
    /JSON/,
    null,
  ],
  [
    'an unknown field',
    (d) => d.execute('csv-profile', { inptu: {} }),
    400,
    'REQUEST_INVALID',
    /"inptu".*input/,
    null,
  ],
  [
    'a body over the limit',
    (d) => d.execute('csv-profile', { input: { csv: 'x'.repeat(70_000) } }),
    413,
    'BODY_TOO_LARGE',
    /65536/,
    null,
  ],
  [
    'a body that is text/plain',
    (d) =>
      d.request('POST', '/skills/csv-profile/execute', {
        raw: 'a=b',
        headers: { 'content-type': 'text/plain' },
      }),
    415,
    'MEDIA_TYPE_UNSUPPORTED',
    /application\/json/,
    null,
  ],
  [
    'no key',
    (d) => d.request('GET', '/skills', { headers: { authorization: '' } }),
    401,
    'UNAUTHENTICATED',
    /Bearer/,
    null,
  ],
  [
    'a wrong key',
    (d) => d.request('GET', '/skills', { headers: { authorization: 'Bearer ambit_wrong' } }),
    401,
    'UNAUTHENTICATED',
    /key/,
    null,
  ],
  ['a route that is not there', (d) => d.request('GET', '/skils'), 404, 'ROUTE_NOT_FOUND', /\/skills/, null],
  ['an unsupported method', (d) => d.request('DELETE', '/skills'), 405, 'METHOD_NOT_ALLOWED', /GET/, null],
  [
    'a page of another origin',
    (d) => d.request('GET', '/skills', { headers: { origin: 'http://evil.example' } }),
    403,
    'ORIGIN_REFUSED',
    /evil\.example/,
    null,
  ],
];

test('every refusal has its own code, says what to do and leaves one record, and the daemon continues', async () => {
  const skills = await temporaryFolder();
  await writeSkills(skills, { broken: { 'SKILL.md': '---\nname: broken\n---\n' } });
  const daemon = await startDaemon({ skills: [{ path: skills, tier: 'local' }], bodyLimitBytes: 65_536 });

  for (const [claim, send, status, code, says, skill] of refusals) {
    const before = (await daemon.audit()).length;
    const answer = await send(daemon);
    expect({ claim, status: answer.status, code: answer.body.code }).toEqual({ claim, status, code });
    expect(answer.type, claim).toMatch(/^application\/problem\+json/);
    expect(answer.body.detail, claim).toMatch(says);
    const [record, ...older] = await daemon.audit();
    expect(older, claim).toHaveLength(before);
    expect(record, claim).toMatchObject({
      executionId: answer.body.executionId,
      via: 'http',
      outcome: 'denied',
      // The record is independent of the transport.
      error: { code, message: answer.body.detail.replace(/; GET \/skills lists .*$/, '') },
      ...(skill === null ? { skill: null } : { skill: { id: skill } }),
    });
  }

  const after = await daemon.execute('csv-profile', { input: { csv: 'a,b\n1,2\n' } });
  expect(after).toMatchObject({ status: 200, body: { outcome: { status: 'succeeded' } } });
  expect(JSON.stringify(await daemon.audit())).not.toContain(daemon.key);
  expect(daemon.logged()).not.toContain(daemon.key);
});

test('an unusable skill is reported at the start and in the list, and affects no other skill', async () => {
  const skills = await temporaryFolder();
  await writeSkills(skills, { broken: { 'SKILL.md': '---\nname: broken\n---\n' } });
  const daemon = await startDaemon({ skills: [{ path: skills, tier: 'local' }] });
  const problem =
    'SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter';
  expect(daemon.printed()).toContain(problem);
  const { body } = await daemon.request('GET', '/skills');
  expect(body.broken).toEqual([{ id: 'broken', root: join(skills, 'broken'), problem }]);
  await writeFile(join(skills, 'broken/SKILL.md'), '---\nname: broken\ndescription: Fixed.\n---\n');
  expect((await daemon.request('GET', '/skills')).body.broken).toEqual([]);
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
  const daemon = await startDaemon();
  const { port } = new URL(daemon.url);
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(says);
  expect(await daemon.audit()).toMatchObject([{ outcome: 'denied', error: { code: 'REQUEST_UNREADABLE' } }]);
});

test('refuses and records a request with two Host headers in any order, and answers a request with one', async () => {
  const daemon = await startDaemon();
  const { port } = new URL(daemon.url);
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
  expect(await daemon.audit()).toMatchObject(
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
