import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { commit, startGitServer } from '../support/git-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { collection, type Files, other, plugins, single, skills } from './published/repositories.ts';

const repositories: Readonly<Record<string, Files>> = {
  'acme/skills': skills,
  'guide/skills': collection,
  'market/plugins': plugins,
  'other/skills': other,
  'solo/claude-skill-dates': single,
};

const folder = await temporaryFolder({}, afterAll);
for (const [name, files] of Object.entries(repositories)) commit(join(folder, name), files);
const git = await startGitServer(folder);
afterAll(git.close);
const shared = sharedDaemon(() => ({ installs: { network: [git.url] } }));
const added: Record<string, unknown> = {};

beforeAll(async () => {
  const sources: [source: string, namespace?: string][] = [
    [`${git.url}/acme/skills`],
    [`${git.url}/guide/skills`],
    [`${git.url}/market/plugins`],
    [`${git.url}/market/plugins#:plugins/reports/skills/summary`, 'reports'],
    [join(folder, 'other/skills'), 'other'],
    [`${git.url}/solo/claude-skill-dates`],
    [join(folder, 'solo/claude-skill-dates'), 'mine'],
  ];
  const send = async (path: string, body: object) => {
    const answer = await shared().request('POST', path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const add = async ([source, namespace]: (typeof sources)[number]): Promise<void> => {
    const { skills, refused } = await send('/installs', namespace ? { source, namespace } : { source });
    added[source.replace(git.url, 'git:').replace(folder, 'folder:')] = {
      skills: skills.map(({ id }: { id: string }) => id).sort(),
      refused: refused.map(({ folder, code }: { folder: string; code: string }) => `${code} ${folder}`),
    };
    for (const { id, digest, requests } of skills)
      if (requests.length > 0) await send(`/installs/${id}/approve`, { digest, tier: 'verified' });
  };
  await Promise.all(sources.map(add));
});

test('repositories shaped like published ones are installed, and what is left out has a code', () => {
  expect(added).toEqual({
    'git:/acme/skills': {
      skills: ['charts', 'legacy', 'lower-case', 'meeting-summaries', 'office', 'page-builder', 'pdf-tools']
        .concat('tables', 'template-skill', 'undescribed', 'unquoted', 'windows')
        .map((name) => `acme:${name}`),
      refused: [],
    },
    'git:/guide/skills': { skills: ['guide:alpha', 'guide:beta', 'guide:guide'], refused: [] },
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

test('a repository of skills that is a skill itself has its own files only', async () => {
  const filesOf = async (id: string) =>
    (await shared().request('GET', `/skills/${id}/files`)).body.files.map(
      ({ path }: { path: string }) => path,
    );
  expect(await Promise.all(['guide:guide', 'guide:alpha', 'guide:beta'].map(filesOf))).toEqual([
    ['SKILL.md', 'examples/demo/SKILL.md', 'skills/README.md'],
    ['SKILL.md', 'scripts/a.py'],
    ['SKILL.md', 'assets/x/SKILL.md'],
  ]);
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
  const { body } = await shared().execute(id, call);
  expect({
    outcome: body.outcome,
    leaves: (body.files ?? []).map(({ path }: { path: string }) => path),
  }).toEqual({ outcome: { status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } }, leaves });
});

const lacking: [id: string, call: object, name: string][] = [
  ['acme:tables', { script: 'convert.py', args: ['/skill/SKILL.md', '--parquet'] }, 'absent-tables'],
  ['acme:legacy', { script: 'report.py' }, 'absent-legacy'],
  ['acme:charts', { args: ['--png'] }, 'absent-charts'],
];

test.each(lacking)('%s names the package that it lacks', async (id, call, name) => {
  const { body } = await shared().execute(id, call);
  expect([body.outcome?.status ?? body.code, JSON.stringify(body)]).toEqual([
    'failed',
    expect.stringContaining(name),
  ]);
});
