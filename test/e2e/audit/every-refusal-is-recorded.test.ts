// Threat model: T265

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProblemCode } from '../../../packages/api/src/index.ts';
import type { SkillErrorCode } from '../../../packages/core/src/index.ts';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { signIn } from '../../support/console-session.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon, trust } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Provokes the refusal; or why that is impossible with a real daemon, and the test that covers it. */
type Refuse = ((daemon: Daemon) => Promise<unknown>) | `skipped: ${string}`;

const exec = { exec: ['python3'] };

/** Every code needs a row, or this does not compile. */
const overHttp: Record<ProblemCode, Refuse> = {
  SKILL_NOT_FOUND: (d) => d.execute('none', { input: 1 }),
  SKILL_AMBIGUOUS: (d) => d.execute('twin', { input: 1 }),
  SKILL_NOT_EXECUTABLE: (d) => d.execute('code-review', { input: 1 }),
  SKILL_INVALID: (d) => d.execute('broken', { input: 1 }),
  SKILL_CHANGED: 'skipped: needs a change during the call; skill-changed.test.ts',
  LOCK_MISMATCH: 'skipped: needs an installed skill; installs.test.ts',
  SKILL_REVOKED: 'skipped: needs an installed skill; installs.test.ts',
  INPUT_INVALID: (d) => d.execute('csv-profile', {}),
  CAPABILITY_DENIED: (d) => d.execute('git-summary', { args: ['/srv'] }),
  CAPABILITY_UNSUPPORTED: (d) => d.execute('keeper', { input: 1 }),
  SANDBOX_UNAVAILABLE: 'skipped: this machine has one; refusals.test.ts of the HTTP transport',
  PROGRAM_MISSING: (d) => d.execute('lacking', { input: 1 }),
  SECRET_UNAVAILABLE: (d) => d.execute('teller', { input: 1 }),
  AUDIT_UNAVAILABLE: 'skipped: it leaves no record; the end of the test',
  WORKSPACE_NOT_FOUND: (d) => d.request('GET', '/workspaces/none'),
  WORKSPACE_FILE_NOT_FOUND: async (d) =>
    d.request('GET', `/workspaces/${(await d.request('POST', '/workspaces')).body.id}/files/none`),
  WORKSPACE_BUSY: 'skipped: needs calls that wait; workspaces.test.ts of core',
  WORKSPACE_FULL: async (d) => {
    const { id } = (await d.request('POST', '/workspaces', { body: { quotaBytes: 1 } })).body;
    const headers = { 'content-type': 'application/octet-stream' };
    return d.request('PUT', `/workspaces/${id}/files/a`, { raw: 'ab', headers });
  },
  WORKSPACE_LIMIT: async (d) => {
    await d.request('POST', '/workspaces');
    return d.request('POST', '/workspaces');
  },
  LEASE_LOST: 'skipped: needs a cluster; cluster/calls.test.ts',
  SESSION_ELSEWHERE: 'skipped: needs a cluster; cluster/calls.test.ts',
  NODE_UNREACHABLE: 'skipped: needs a cluster; cluster/calls.test.ts',
  ADDRESS_UNAVAILABLE: 'skipped: needs a daemon on demand; console/on-demand.test.ts',
  CONSOLE_ONLY: 'skipped: needs a daemon on demand; console/on-demand.test.ts',
  MEMORY_SHARE_EXCEEDED: (d) => d.execute('large', { input: 1 }),
  OVERLOADED: 'skipped: needs a call that runs; crash.test.ts',
  INTERNAL: 'skipped: it cannot be provoked; refusals.test.ts of the HTTP transport',
  INSTALL_NOT_FOUND: (d) => d.request('GET', '/installs/none'),
  REVIEW_STALE: 'skipped: needs an installed skill; installs.test.ts',
  SIGNATURE_INVALID: 'skipped: needs a signed skill; publishers.test.ts',
  TIER_NOT_ALLOWED: 'skipped: needs a signed skill; publishers.test.ts',
  NAMESPACE_TAKEN: async (d) => {
    const folder = join(await temporaryFolder(), 'acme');
    await mkdir(join(folder, 'note'), { recursive: true });
    await writeFile(join(folder, 'note/SKILL.md'), '---\nname: note\ndescription: A note.\n---\n');
    await d.request('POST', '/installs', { body: { source: folder } });
    return d.request('POST', '/installs', { body: { source: 'https://a.example/acme/skills' } });
  },
  LOCK_INVALID: 'skipped: needs a lock file that is damaged; installs.test.ts',
  SOURCE_MISSING: 'skipped: needs a folder that vanishes; open-source.test.ts of installs',
  SOURCE_UNSUPPORTED: (d) => add(d, 'svn://a.example/skills'),
  SOURCE_UNREACHABLE: 'skipped: needs a server; skill-sources.test.ts',
  SOURCE_NOT_ALLOWED: (d) => add(d, 'https://a.example/skills.zip'),
  SOURCE_DAMAGED: async (d) => {
    const file = join(await temporaryFolder(), 'skills.zip');
    await writeFile(file, 'PK\u0003\u0004 and no more');
    return add(d, file);
  },
  SOURCE_UNSAFE_PATH: 'skipped: needs a hostile archive; archives.test.ts of installs',
  SOURCE_TOO_LARGE: 'skipped: needs a large archive; archives.test.ts of installs',
  DEPENDENCY_UNSUPPORTED: 'skipped: needs an installed skill; packages.test.ts',
  DEPENDENCY_NO_INDEX: 'skipped: needs an installed skill; packages.test.ts',
  DEPENDENCY_UNRESOLVED: 'skipped: needs a package index; python.test.ts of installs',
  DEPENDENCY_NEEDS_BUILD: 'skipped: needs a package index; python.test.ts of installs',
  REQUEST_UNREADABLE: (d) => raw(d, 'hello\r\n\r\n'),
  HOST_REFUSED: (d) => hosted(d, 'evil.example'),
  ORIGIN_REFUSED: (d) => d.request('GET', '/skills', { headers: { origin: 'http://evil.example' } }),
  UNAUTHENTICATED: (d) => d.request('GET', '/skills', { headers: { authorization: '' } }),
  CODE_INVALID: (d) => d.request('POST', '/console/sessions', { body: { code: 'x' } }),
  CONFIRMATION_REQUIRED: async (d) => (await signIn(d)).request('POST', '/workspaces'),
  SCOPE_MISSING: async (d) =>
    (await withKey(d, 'reader', { scopes: ['skills:read'] })).request('GET', '/audit'),
  RATE_LIMITED: 'skipped: the requests before it leave records too; keys.test.ts',
  SHUTTING_DOWN: 'skipped: the moment cannot be timed; refusals.test.ts of the HTTP transport',
  ROUTE_NOT_FOUND: (d) => d.request('GET', '/skils'),
  FILE_NOT_FOUND: (d) => d.request('GET', '/skills/code-review/files/none.md'),
  PRECONDITION_FAILED: async (d) => {
    const [one] = (await d.request('GET', '/workspaces')).body.workspaces;
    const headers = { 'content-type': 'application/octet-stream', 'if-match': '"none"' };
    return d.request('PUT', `/workspaces/${one.id}/files/a`, { raw: 'a', headers });
  },
  RECORD_NOT_FOUND: (d) => d.request('GET', '/audit/none/receipt'),
  EXECUTION_NOT_FOUND: (d) => d.request('GET', '/executions/none'),
  CONSOLE_UNAVAILABLE: 'skipped: needs a build that is missing; refusals.test.ts of the HTTP transport',
  SESSION_NOT_FOUND: (d) => d.request('GET', '/console/session'),
  IDEMPOTENCY_KEY_REUSED: 'skipped: the call that has the key leaves a record too; executions.test.ts',
  IDEMPOTENCY_INTERRUPTED: 'skipped: needs a daemon that was killed; executions.test.ts',
  STORE_UNAVAILABLE: 'skipped: needs a store that is unusable; idempotency.test.ts',
  METHOD_NOT_ALLOWED: (d) => d.request('DELETE', '/skills'),
  MEDIA_TYPE_UNSUPPORTED: (d) =>
    d.request('POST', '/skills/csv-profile/execute', { raw: 'a', headers: { 'content-type': 'text/plain' } }),
  BODY_TOO_LARGE: (d) => d.execute('csv-profile', { input: 'x'.repeat(70_000) }),
  BODY_MALFORMED: (d) => d.request('POST', '/skills/csv-profile/execute', { raw: '{' }),
  REQUEST_INVALID: (d) => d.execute('csv-profile', { inputs: 1 }),
};

/** The words after `run`; or why a command does not get the code on every machine. Every code needs a row, too. */
const overCli: Record<SkillErrorCode, readonly string[] | `skipped: ${string}`> = {
  SKILL_NOT_FOUND: ['none'],
  SKILL_AMBIGUOUS: ['twin'],
  SKILL_NOT_EXECUTABLE: ['code-review'],
  SKILL_INVALID: ['broken'],
  SKILL_CHANGED: 'skipped: needs a change during the call',
  LOCK_MISMATCH: 'skipped: needs an installed skill',
  SKILL_REVOKED: 'skipped: needs an installed skill',
  INPUT_INVALID: ['csv-profile'],
  CAPABILITY_DENIED: ['git-summary', '--', '/srv'],
  CAPABILITY_UNSUPPORTED: ['keeper', '--input', '-'],
  SANDBOX_UNAVAILABLE: 'skipped: this machine has one',
  PROGRAM_MISSING: ['lacking', '--input', '-'],
  SECRET_UNAVAILABLE: ['teller', '--input', '-'],
  AUDIT_UNAVAILABLE: 'skipped: it leaves no record',
  STORE_UNAVAILABLE: 'skipped: needs a disk that is full',
  WORKSPACE_NOT_FOUND: 'skipped: needs a daemon',
  WORKSPACE_FILE_NOT_FOUND: 'skipped: needs a daemon',
  WORKSPACE_BUSY: 'skipped: needs a daemon',
  WORKSPACE_FULL: 'skipped: needs a daemon',
  WORKSPACE_LIMIT: 'skipped: needs a daemon',
  LEASE_LOST: 'skipped: needs a cluster',
  MEMORY_SHARE_EXCEEDED: ['large', '--input', '-'],
  OVERLOADED: 'skipped: a command runs one call',
  INTERNAL: 'skipped: it cannot be provoked',
};

test('every refusal of the daemon leaves exactly one record with its code, and an unwritable log none', async () => {
  const daemon = await startDaemon(await configuration());
  for (const [code, refuse] of Object.entries(overHttp)) {
    if (typeof refuse === 'string') continue;
    const before = (await daemon.audit('?limit=200')).length;
    await refuse(daemon);
    const [newest, ...older] = await daemon.audit('?limit=200');
    expect({ code, more: 1 + older.length - before, recorded: newest?.error?.code }).toEqual({
      code,
      more: 1,
      recorded: code,
    });
  }
  // Only the refusal for an unwritable log leaves none.
  const before = await daemon.audit('?limit=200');
  const [file, away] = ['audit.db', 'away.db'].map((name) => join(daemon.dataDir, name)) as [string, string];
  await rename(file, away);
  expect(await daemon.execute('none', { input: 1 })).toMatchObject({ body: { code: 'AUDIT_UNAVAILABLE' } });
  await rename(away, file);
  expect(await daemon.audit('?limit=200')).toEqual(before);
});

test('every command that is refused leaves exactly one record with the code of the refusal', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(await configuration()));
  await trust(folder);
  const tried = Object.entries(overCli).filter(([, words]) => typeof words !== 'string');
  const codes = tried.map(([code]) => code);
  const said: (string | undefined)[] = [];
  for (const [, words] of tried)
    said.push((await ambit(['run', ...words], { cwd: folder, stdin: '1' })).stderr.split(': ')[1]);
  expect(said).toEqual(codes);
  const { records } = JSON.parse((await ambit(['audit', '--json'], { cwd: folder })).stdout);
  expect(records.map(({ via, error }: Recorded) => [via, error.code]).reverse()).toEqual(
    codes.map((code) => ['cli', code]),
  );
});

interface Recorded {
  via: string;
  error: { code: string };
}

async function configuration(): Promise<object> {
  const skills = join(await temporaryFolder(), 'skills');
  await mkdir(skills);
  for (const namespace of ['acme', 'other']) await writeSkills(join(skills, namespace), { twin: {} });
  const secrets = [{ name: 'NOWHERE', hosts: ['a.example:443'] }];
  await writeSkills(skills, {
    broken: { 'SKILL.md': '---\nlicense: MIT\n---\n' },
    keeper: {
      'ambit.yaml': JSON.stringify({
        run: { runtime: 'wasm', entry: 'index.js', capabilities: { filesystem: { write: ['workspace'] } } },
      }),
      'index.js': 'export default () => 1;',
    },
    large: pythonSkill('print(1)', { limits: { memoryBytes: 2 * 1024 ** 3 } }),
    lacking: pythonSkill('print(1)', { capabilities: { exec: ['python3', 'no-such-program'] } }),
    teller: pythonSkill('print(1)', { capabilities: { ...exec, network: ['a.example:443'], secrets } }),
  });
  return {
    skills: [
      ...['acme', 'other'].map((namespace) => ({ path: join(skills, namespace), tier: 'local', namespace })),
      { path: skills, tier: 'local' },
    ],
    grants: { teller: { network: ['a.example:443'], secrets } },
    secrets: { NOWHERE: { env: 'AMBIT_TEST_NOWHERE' } },
    bodyLimitBytes: 65_536,
    limits: { memoryShareBytes: '1GiB' },
    workspaces: { maxPerKey: 3 },
  };
}

async function add(daemon: Daemon, source: string): Promise<unknown> {
  return daemon.request('POST', '/installs', { body: { source, namespace: 'a' } });
}

async function raw({ url }: Daemon, bytes: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  for await (const _ of socket);
}

async function hosted({ url }: Daemon, host: string): Promise<void> {
  const answer = Promise.withResolvers<void>();
  request(`${url}/healthz`, { headers: { host } }, (response) => response.resume().on('end', answer.resolve))
    .on('error', answer.reject)
    .end();
  await answer.promise;
}
