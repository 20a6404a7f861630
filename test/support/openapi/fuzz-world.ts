import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { revoke, withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { type Daemon, daemonProcess } from '../daemon-process.ts';
import { writeSkills } from '../skills.ts';
import type { FuzzOptions } from './fuzz-daemon.ts';

/** A daemon with skills and keys of every kind, and useful values for requests. */
export interface FuzzWorld {
  daemon: Daemon;
  keys: FuzzOptions['keys'];
  hints: FuzzOptions['hints'];
}

/** Starts the daemon in `folder`. The caller stops it. */
export async function fuzzWorld(folder: string): Promise<FuzzWorld> {
  const skills = join(folder, 'skills');
  await mkdir(skills);
  await writeSkills(skills, {
    broken: { 'SKILL.md': '---\nlicense: MIT\n---\n' },
    files: { 'scripts/run.sh': '#!/bin/sh\ncat >out.txt\nls\n' },
  });
  const daemon = await daemonProcess(folder, {
    skills: [{ path: skills, tier: 'local' }],
    bodyLimitBytes: 65_536,
    limits: { timeoutMs: 5000 },
  });
  const call = async (skill: string, body: object): Promise<string> =>
    (await daemon.execute(skill, body)).body.executionId;
  const known = [
    await call('text-redact', { input: { text: 'ada@example.org' } }),
    await call('files', { stdin: 'x' }),
    await call('none', {}),
  ] as const;
  const create = async (label: string): Promise<string> =>
    (await daemon.request('POST', '/workspaces', { body: { label } })).body.id;
  const workspaces = [await create('kept'), await create('gone')] as const;
  await call('files', { files: [{ path: 'a.txt', text: 'a' }], workspace: workspaces[0] });
  return { daemon, keys: await keysOf(daemon), hints: hintsFor(known, workspaces) };
}

async function keysOf(daemon: Daemon): Promise<FuzzWorld['keys']> {
  const create = async (name: string, rights: Parameters<typeof withKey>[2]): Promise<string> =>
    `Bearer ${(await withKey(daemon, name, rights)).key}`;
  const keys: Record<string, string> = {
    admin: `Bearer ${daemon.key}`,
    none: '',
    wrong: 'Bearer nonsense',
    malformed: 'Basic eDp5',
    ceiling: await create('ceiling', {
      scopes: ['admin'],
      ceiling: { capabilities: {}, limits: { timeoutMs: 2000 } },
    }),
    limited: await create('limited', { scopes: ['admin'], ratePerMinute: 30 }),
    revoked: await create('revoked', { scopes: ['admin'] }),
  };
  for (const scope of ['skills:read', 'skills:execute', 'prompt', 'audit:read'] as const) {
    const name = scope.replace(':', '-');
    keys[scope] = await create(name, { scopes: [scope] });
    keys[`${scope}, of one skill`] = await create(`${name}-one`, {
      scopes: [scope],
      skills: ['text-redact'],
    });
  }
  await revoke(daemon, 'revoked');
  return keys;
}

function message(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'fuzz', version: '1' },
};

/** The second workspace may be deleted. */
function hintsFor(
  executions: readonly [string, ...string[]],
  [workspace, gone]: readonly [string, string],
): FuzzWorld['hints'] {
  const times = ['7d', '30m', '2026-01-31', '0', '1e3', 'yesterday', '99999999999999999'] as const;
  const names = [
    'text-redact',
    'text-redact',
    'text-redact',
    'files',
    'csv-profile',
    'code-review',
    'broken',
    'none',
  ] as const;
  return {
    id: names,
    skill: names,
    ...Object.fromEntries(
      ['getExecution', 'cancelExecution', 'followExecution'].map((each) => [`${each}.id`, executions]),
    ),
    ...Object.fromEntries(
      ['getWorkspace', 'getWorkspaceFile', 'putWorkspaceFile', 'deleteWorkspaceFile'].map((each) => [
        `${each}.id`,
        [workspace, workspace, workspace, gone, 'none'] as const,
      ]),
    ),
    ...Object.fromEntries(
      ['getWorkspaceFile', 'putWorkspaceFile', 'deleteWorkspaceFile'].map((each) => [
        `${each}.path`,
        ['a.txt', 'a.txt', 'b.txt', 'out.txt', '..', 'a/b'] as const,
      ]),
    ),
    'deleteWorkspace.id': [gone, 'none'],
    'getSkillFile.id': ['text-redact', 'csv-profile', 'none'],
    'getSkillFile.path': ['SKILL.md', 'SKILL.md', 'scripts/run.sh', '../SKILL.md'],
    workspace: [workspace, gone, 'none'],
    executionId: [...executions, 'none'],
    parentId: executions,
    since: times,
    until: times,
    limit: ['1', '200', '201', '0', 'x'],
    before: ['1', '50', '999999999999'],
    bucketMs: ['1', '1000', '86400000'],
    input: [{ text: 'ada@example.org' }, { csv: 'a,b\n1,2\n' }, {}],
    stdin: ['x', ''],
    script: ['run.sh', 'scripts/run.sh', '../run.sh'],
    args: [[], ['-n']],
    files: [[], [{ path: 'a.txt', text: 'a' }], [{ path: '../a', text: 'a' }]],
    capabilities: [{}, { exec: [] }, { network: ['a.example'] }],
    limits: [{}, { timeoutMs: 2000 }, { fuel: 1 }, { memoryBytes: 1 }],
    phase: ['plan', 'implement', ''],
    'if-match': ['*', '"0"', 'nonsense'],
    'if-none-match': ['*', '"0"', 'nonsense'],
    quotaBytes: [1, 1000, 16_777_216, 16_777_217],
    expiresInSeconds: [60, 2_592_000, 2_592_001],
    root: ['/', '/etc', '/nowhere'],
    path: ['SKILL.md', 'scripts/run.sh', '../SKILL.md', 'a.txt'],
    after: ['csv-profile', 'none'],
    mcpServers: [{}, { a: { command: 'x' } }],
    variables: [{}, { a: 'b', c: true }],
    'last-event-id': ['1', '0', '999'],
    executeSkill: [
      { input: { text: 'ada@example.org' } },
      { stdin: 'x' },
      { stdin: 'x', workspace },
      { input: { text: 'x' }, receipt: true },
    ],
    executeBatch: [
      {
        calls: [
          { skill: 'text-redact', input: { text: 'x' } },
          { skill: 'files', stdin: 'x', workspace },
        ],
      },
      { calls: [{ skill: 'none' }, { skill: 'files' }], stopOnFailure: true },
    ],
    executeChain: [{ input: { text: 'x' }, steps: [{ skill: 'text-redact' }] }],
    sendMcpMessage: [message('initialize', initialize), message('tools/list'), message('ping'), message('x')],
  };
}
