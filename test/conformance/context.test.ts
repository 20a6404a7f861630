// The features of wreckit's just-in-time context that users rely on, without its faults: no containment, no
// limits, contexts that were built and dropped.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { composePrompt, selectSkills } from '../../packages/core/src/index.ts';
import { renderContext } from '../../packages/core/src/prompt.ts';
import type { ContextRequirement } from '../../packages/core/src/skill.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';
import { bubblewrapSandbox, type ContextLocation, gatherContext } from '../../packages/runtime/src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const item = {
  id: 'WR-7',
  title: 'Import',
  section: 'features',
  state: 'planned',
  overview: 'Bring data over.',
  branch: 'wr-7',
  pr_url: null,
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-01-02T03:04:05Z',
};

/** A git project with an item whose artefacts are in their own folder. */
async function project(): Promise<ContextLocation & { outside: string }> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const [root, outside] = [join(folder, 'project'), join(folder, 'outside')];
  await mkdir(join(root, 'src'), { recursive: true });
  await mkdir(join(root, '.wreckit/items/WR-7'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(root, 'src/main.ts'), 'main();\n');
  await writeFile(join(root, 'package.json'), '{}\n');
  await writeFile(join(root, '.wreckit/items/WR-7/plan.md'), '# Plan\n');
  await writeFile(join(outside, 'private.txt'), 'PRIVATE\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=Ada', '-c', 'user.email=a@example.com', ...args], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  git('init', '--quiet', '-b', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'One');
  return { root, outside, item, itemFolder: '.wreckit/items/WR-7', sandbox: bubblewrapSandbox() };
}

async function contextOf(requirements: ContextRequirement[], place: ContextLocation): Promise<string> {
  return renderContext(await gatherContext(requirements, place));
}

test('renders the sections in the order Files, Git Status, Item Metadata, Phase Artifacts, Errors', async () => {
  const place = await project();
  const text = await contextOf(
    [
      { type: 'phase_artifact', path: 'plan.md' },
      { type: 'file', path: 'gone.md' },
      { type: 'item_metadata' },
      { type: 'git_status' },
      { type: 'file', path: 'package.json' },
    ],
    place,
  );
  expect(text).toBe(`## Files

### package.json

\`\`\`
{}
\`\`\`

## Git Status

No changes

## Item Metadata

\`\`\`json
${JSON.stringify(item, null, 2)}
\`\`\`

## Phase Artifacts

### plan.md

\`\`\`
# Plan
\`\`\`

## Context Loading Errors

- file gone.md: no such file`);
});

test('shows changes in the status and a folder as a listing', async () => {
  const place = await project();
  await writeFile(join(place.root, 'src/new.ts'), 'new\n');
  expect(await contextOf([{ type: 'git_status' }], place)).toMatch(
    /^## Git Status\n\n```\n[^`]*src\/new\.ts\n```$/,
  );
  const listing = await contextOf([{ type: 'file', path: 'src/' }], place);
  expect(listing).toMatch(/main\.ts[\s\S]*new\.ts/);
});

test('renders an empty context without requirements and never fails', async () => {
  const place = await project();
  expect(await contextOf([], place)).toBe('');
  const nowhere = { ...place, root: join(place.root, 'not-there') };
  expect(await contextOf([{ type: 'git_status' }, { type: 'file', path: 'a' }], nowhere)).toMatch(
    /^## Context Loading Errors\n\n- git_status: .+\n- file a: .+$/,
  );
});

test('reads no path out of the project (absolute, upwards or through a link) and reads one within it', async () => {
  const place = await project();
  await symlink(place.outside, join(place.root, 'away'));
  await symlink('src/main.ts', join(place.root, 'near.ts'));
  const paths = [join(place.outside, 'private.txt'), '../outside/private.txt', 'away/private.txt', 'near.ts'];
  const gathered = await gatherContext(
    paths.map((path) => ({ type: 'file', path })),
    place,
  );
  expect([gathered.files.map(({ text }) => text), gathered.errors.length]).toEqual([['main();\n'], 3]);
  expect(JSON.stringify(gathered)).not.toContain('PRIVATE');
});

test('limits each file and the total, and notes what is missing', async () => {
  const place = { ...(await project()), limits: { fileBytes: 100, totalBytes: 150 } };
  for (const name of ['a', 'b']) await writeFile(join(place.root, name), `${name}\n`.repeat(500));
  const { files } = await gatherContext(
    [
      { type: 'file', path: 'a' },
      { type: 'file', path: 'b' },
    ],
    place,
  );
  expect(files.map(({ text }) => text.length)).toEqual([100, 50]);
  expect(files.every(({ note }) => note !== undefined)).toBe(true);
});

test.each(['research', 'plan', 'implement', 'pr'])(
  'includes the context of phase %s in its prompt, at the end or at {{skill_context}}',
  async (phase) => {
    const place = await project();
    const skill = aSkill('reader', { phases: [phase], context: [{ type: 'file', path: 'package.json' }] });
    const selection = selectSkills({ skills: [skill], phases: { [phase]: { tools: ['Read'] } } }, { phase });
    const context = await gatherContext(
      selection.context.map(({ requirement }) => requirement),
      place,
    );
    const compose = (systemPrompt: string) =>
      composePrompt({ systemPrompt, selection, context, disclosure: 'bodies', format: 'plain' }).prompt;
    const rendered = '## Files\n\n### package.json\n\n```\n{}\n```';
    expect(compose('Work.')).toBe(`# reader\n\n\nWork.\n\n${rendered}`);
    expect(compose('{{#if skill_context}}Know:\n{{skill_context}}{{/if}}\nWork.')).toContain(
      `Know:\n${rendered}\nWork.`,
    );
  },
);
