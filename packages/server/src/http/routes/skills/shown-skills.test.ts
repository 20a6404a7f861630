import type { SkillSummary } from '@ambit/api';
import { describe, expect, test } from 'vitest';
import { authorization, httpWorld, skillOf } from '../../testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };

describe('GET /skills', () => {
  const broken = [{ id: 'bent', root: '/skills/bent', problem: 'no description' }];
  const skills = [
    skillOf(
      'csv-profile',
      'version: 1.2.3\ntags: [data]\nrun: { runtime: wasm, entry: a.wasm }',
      'Columns and types of a table.',
    ),
    skillOf('code-review', 'tags: [quality]', 'Reviews a change.'),
  ];

  test('lists the skills, and unusable folders separately', async () => {
    const { app, events } = httpWorld({ skills, broken });
    const answer = await app.inject({ url: '/skills', headers });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 200,
      body: {
        skills: [
          {
            id: 'csv-profile',
            alias: null,
            name: 'csv-profile',
            description: 'Columns and types of a table.',
            version: '1.2.3',
            tier: 'local',
            digest: 'sha256:csv-profile',
            executable: true,
            run: { runtime: 'wasm', protocol: 'json' },
            requests: ['run wasm'],
            warnings: [],
            root: '/skills/csv-profile',
          },
          {
            id: 'code-review',
            alias: null,
            name: 'code-review',
            description: 'Reviews a change.',
            version: null,
            tier: 'local',
            digest: 'sha256:code-review',
            executable: false,
            run: null,
            requests: [],
            warnings: [],
            root: '/skills/code-review',
          },
        ],
        broken,
        brokenCount: 1,
        next: null,
      },
    });
    expect(events).toEqual([]);
  });
});

const MiB = 1024 ** 2;

describe('GET /skills/:id', () => {
  test('shows how to call a skill, without its body', async () => {
    const inWasm = {
      timeoutMs: 60_000,
      memoryBytes: 256 * MiB,
      cpuMs: 60_000,
      processes: 64,
      fileBytes: 1024 * MiB,
      outputBytes: 16 * MiB,
      fuel: null,
    };
    const skill = skillOf(
      'csv-profile',
      'version: 1.2.3\nrun: { runtime: wasm, entry: a.wasm, input: { type: object } }',
    );
    const answer = await httpWorld({ skills: [skill] }).app.inject({ url: '/skills/csv-profile', headers });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 200,
      body: {
        id: 'csv-profile',
        alias: null,
        name: 'csv-profile',
        description: 'A skill of a test.',
        version: '1.2.3',
        tier: 'local',
        digest: 'sha256:csv-profile',
        executable: true,
        requests: ['run wasm'],
        warnings: [],
        license: null,
        compatibility: null,
        allowedTools: [],
        files: [{ path: 'SKILL.md', bytes: 42, sha256: 'f' }],
        scripts: [],
        scriptLimits: {
          default: expect.objectContaining({ timeoutMs: 60_000, memoryBytes: 512 * MiB }),
          max: expect.objectContaining({ timeoutMs: 600_000, memoryBytes: 2048 * MiB }),
        },
        run: {
          runtime: 'wasm',
          protocol: 'json',
          input: { type: 'object' },
          output: null,
          capabilities: {
            filesystem: { read: [], write: [] },
            network: [],
            env: [],
            secrets: [],
            exec: [],
            state: 'none',
            memory: 'none',
          },
          limits: {},
          callLimits: { default: inWasm, max: inWasm },
        },
        entries: [],
        root: '/skills/csv-profile',
        wasm: {},
        programs: {},
      },
    });
  });

  test('shows the limits under the ceiling of the key, and its tag changes with them', async () => {
    const skills = [skillOf('csv-profile', 'run: { runtime: wasm, entry: a.wasm }')];
    const shown = async (timeoutMs: number) => {
      const { app } = httpWorld({ skills, rights: { ceiling: { limits: { timeoutMs } } } });
      const answer = await app.inject({ url: '/skills/csv-profile', headers });
      const { default: usual, max } = answer.json().run.callLimits;
      return { limits: [usual.timeoutMs, max.timeoutMs], etag: answer.headers.etag };
    };
    const [less, more] = [await shown(1000), await shown(2000)];
    expect([less.limits, more.limits]).toEqual([
      [1000, 1000],
      [2000, 2000],
    ]);
    expect(less.etag).not.toBe(more.etag);
    expect((await shown(1000)).etag).toBe(less.etag);
  });
});

test("folders and programs of the daemon's machine are only for keys with the scope admin", async () => {
  const skills = [
    {
      ...skillOf('own', 'run: { runtime: process, entry: a, capabilities: { exec: [no-such-program] } }'),
      isInstalled: true as const,
    },
  ];
  const seen = async (scope: 'admin' | 'skills:read') => {
    const { app } = httpWorld({ skills, rights: { scopes: [scope] } });
    const get = async (url: string) => (await app.inject({ url, headers })).json();
    const [listed, shown] = [(await get('/skills')).skills[0], await get('/skills/own')];
    const place = ({ root, installed }: SkillSummary) => ({ root, installed });
    return [place(listed), place(shown), shown.wasm, shown.programs];
  };
  const place = { root: '/skills/own', installed: true };
  expect(await seen('admin')).toEqual([
    place,
    place,
    {},
    { 'no-such-program': expect.stringMatching(/^not installed\. /) },
  ]);
  expect(await seen('skills:read')).toEqual([{}, {}, undefined, undefined]);
});
