import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ambit, type Daemon, daemonProcess } from '../support/daemon-process.ts';
import { commit, startGitServer } from '../support/git-server.ts';
import { type Files, other, plugins, single, skills } from './published/repositories.ts';

const repositories: Readonly<Record<string, Files>> = {
  'acme/skills': skills,
  'market/plugins': plugins,
  'other/skills': other,
  'solo/claude-skill-dates': single,
};

let folder: string;
let git: Awaited<ReturnType<typeof startGitServer>>;
let daemon: Daemon;
const added: Record<string, unknown> = {};

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-published-')));
  for (const [name, files] of Object.entries(repositories)) commit(join(folder, name), files);
  git = await startGitServer(folder);
  daemon = await daemonProcess(folder, { installs: { network: [git.url] } });
  const sources = [
    [`${git.url}/acme/skills`],
    [`${git.url}/market/plugins`],
    [`${git.url}/market/plugins#:plugins/reports/skills/summary`, '--namespace', 'reports'],
    [join(folder, 'other/skills'), '--namespace', 'other'],
    [`${git.url}/solo/claude-skill-dates`],
    [join(folder, 'solo/claude-skill-dates'), '--namespace', 'mine'],
  ] as const;
  const add = async ([source, ...options]: (typeof sources)[number]): Promise<void> => {
    const args = ['skills', 'add', source, ...options, '--json', '--data-dir', daemon.dataDir];
    const { code, stdout, stderr } = await ambit(args);
    if (code !== 0) throw new Error(`${source}: ${stderr}`);
    const changes = JSON.parse(stdout);
    added[source.replace(git.url, 'git:').replace(folder, 'folder:')] = {
      skills: changes.skills.map(({ id }: { id: string }) => id).sort(),
      refused: changes.refused.map(
        ({ folder, code }: { folder: string; code: string }) => `${code} ${folder}`,
      ),
    };
    for (const { id, digest, requests } of changes.skills)
      if (requests.length > 0) {
        const body = { digest, tier: 'verified' };
        const answer = await daemon.request('POST', `/installs/${id}/approve`, { body });
        if (answer.status !== 200) throw new Error(`${id}: ${JSON.stringify(answer.body)}`);
      }
  };
  await Promise.all(sources.map(add));
});

afterAll(async () => {
  await daemon?.stop('SIGKILL');
  git?.close();
  await rm(folder, { recursive: true, force: true });
});

test('repositories shaped like published ones are installed, and what is left out has a code', () => {
  expect(added).toEqual({
    'git:/acme/skills': {
      skills: ['charts', 'legacy', 'meeting-summaries', 'office', 'page-builder', 'pdf-tools']
        .concat('tables', 'template-skill', 'unquoted', 'windows')
        .map((name) => `acme:${name}`),
      refused: ['SKILL_INVALID skills/undescribed'],
    },
    'git:/market/plugins': {
      skills: ['market:summary', 'market:trend'],
      refused: ['SKILL_NAME_COLLISION plugins/reports/skills/summary'],
    },
    'git:/market/plugins#:plugins/reports/skills/summary': { skills: ['reports:summary'], refused: [] },
    'folder:/other/skills': { skills: ['other:office'], refused: [] },
    'git:/solo/claude-skill-dates': { skills: ['solo:dates'], refused: [] },
    'folder:/solo/claude-skill-dates': { skills: ['mine:dates'], refused: [] },
  });
});

const calls: [id: string, call: object, stdout: string, leaves?: string[]][] = [
  [
    'acme:office',
    {
      script: 'scripts/office/pack.py',
      args: ['in', 'out.docx'],
      files: [{ path: 'in/word/document.xml', text: '<w:document/>' }],
    },
    '1 parts\n',
    ['out.docx'],
  ],
  ['acme:page-builder', { args: ['News'] }, 'built page.html\n', ['page.html']],
  ['acme:charts', { args: ['a<b'] }, '<svg>a&lt;b</svg>\n'],
  [
    'acme:tables',
    { args: ['in.csv'], files: [{ path: 'in.csv', text: 'a,b\n1,2\n' }] },
    '[{"a": "1", "b": "2"}]\n',
  ],
  ['acme:legacy', { script: 'hello.py' }, 'hello from hello.py\n'],
  ['acme:windows', { args: ['there'] }, 'hello there\n'],
  ['acme:pdf-tools', { args: ['a', 'b'] }, '2\n'],
  ['market:summary', {}, 'metrics\n'],
  ['reports:summary', {}, 'reports\n'],
  ['other:office', {}, 'the other office\n'],
  ['solo:dates', { script: '-m scripts.dates', args: ['2024'] }, 'leap year\n'],
  ['mine:dates', { script: '-m scripts.dates', args: ['2023'] }, 'common year\n'],
];

test.each(calls)('%s runs unchanged once it is approved', async (id, call, stdout, leaves = []) => {
  const { body } = await daemon.execute(id, call);
  expect({
    outcome: body.outcome,
    leaves: (body.files ?? []).map(({ path }: { path: string }) => path),
  }).toEqual({ outcome: { status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } }, leaves });
});

const lacking: [id: string, words: string[], name: string][] = [
  ['acme:tables', ['--script', 'convert.py', '--', '/skill/SKILL.md', '--parquet'], 'absent-tables'],
  ['acme:legacy', ['--script', 'report.py'], 'absent-legacy'],
  ['acme:charts', ['--', '--png'], 'absent-charts'],
];

test.each(lacking)('%s names the package that it lacks', async (id, words, name) => {
  const ran = await ambit(['run', id, '--data-dir', daemon.dataDir, ...words]);
  expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining(name) });
  expect(ran.code).not.toBe(0);
});
