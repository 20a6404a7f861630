// Threat model: T361

import { mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ensureBundle, makeBundle } from '../../../scripts/bundle.mjs';
import { daemonProcess, repository } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = fileURLToPath(await ensureBundle());
const place = dirname(program);

test('a daemon from the bundle has all threads, sandboxes and skills', async () => {
  const work = await temporaryFolder();
  // Enough that a thread scans them.
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`skill-${index}`, {}]));
  await writeSkills(join(work, 'skills'), many);
  const config = { skills: [{ path: join(work, 'skills'), tier: 'local' }] };
  const daemon = await daemonProcess(work, config, { program });
  try {
    expect((await daemon.request('GET', '/readyz')).status).toBe(200);
    const answers = [
      await daemon.execute('csv-profile', { input: { csv: 'a,b\n1,2\n' } }),
      await daemon.execute('text-redact', { input: { text: 'nothing' } }),
      await daemon.execute('json-query', { input: { document: { a: 1 }, query: '$.a' } }),
    ];
    expect(answers.map(({ body }) => body.outcome?.status ?? body)).toEqual(Array(3).fill('succeeded'));
    expect((await daemon.execute('csv-profile', { input: { csv: 1 } })).body.code).toBe('INPUT_INVALID');
    expect(await daemon.audit('?skill=csv-profile')).toHaveLength(2);
    expect((await daemon.request('GET', '/audit/verify')).status).toBe(200);
    expect((await daemon.request('GET', '/skills/skill-299')).status).toBe(200);
  } finally {
    await daemon.stop();
  }
});

test('the bundle is in ASCII and imports no module of Node, because both would cost every start', async () => {
  const chunks = (await readdir(place)).filter((name) => name.endsWith('.mjs'));
  const texts = await Promise.all(chunks.map((name) => readFile(join(place, name), 'utf8')));
  const imported = texts.flatMap((text) => text.match(/^import [^"\n]*"(?!\.)[^" ]+";$/gm) ?? []);
  expect(new Set(imported.map((line) => /"(.+)"/.exec(line)?.[1]))).toEqual(new Set(['better-sqlite3']));
  expect(texts.filter((text) => /[^\0-\x7f]/.test(text))).toEqual([]);
});

test('a bundle contains our sources and the lockfile, but no tests', async () => {
  const { files } = JSON.parse(await readFile(join(dirname(place), 'current.json'), 'utf8'));
  const paths: string[] = files.map(([path]: [string]) => path);
  expect(paths).toEqual(expect.arrayContaining(['packages/core/src/index.ts', 'pnpm-lock.yaml']));
  expect(paths.filter((path) => /node_modules|\.test\.ts$|\/testing\//.test(path))).toEqual([]);
});

test('the program loads no satellite when it starts, and the bundle has them', async () => {
  const chunks = (await readdir(place)).filter((name) => name.endsWith('.mjs'));
  const packagesIn = async (names: readonly string[]): Promise<string[]> => {
    const maps = await Promise.all(
      names.map((name) => readFile(join(place, `${name}.map`), 'utf8').catch(() => '{}')),
    );
    const sources = maps.flatMap((map): string[] => JSON.parse(map).sources ?? []);
    const paths = sources.map((source) => relative(repository, join(place, source)));
    return [...new Set(paths.flatMap((path) => /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? []))].sort();
  };
  const always = ['api', 'cli', 'client', 'core', 'runtime', 'server'];
  expect(await packagesIn(chunks)).toEqual(['agents', ...always, 'installs', 'migrate'].sort());
  const [main = ''] = chunks.filter((name) => /^program-[^.]+\.mjs$/.test(name));
  expect(await packagesIn(await loadedAtStart(place, main))).toEqual(always);
});

test('earlier bundles remain while processes use them, and are removed later', async () => {
  // In the same folder as the real bundle, because native modules are resolved from there.
  const cache = join(repository, 'packages/server/node_modules/.cache');
  const folder = await mkdtemp(join(cache, 'bundles-of-a-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [days, name] of ['of-yesterday', 'of-the-day-before', 'of-last-week'].entries()) {
    await mkdir(join(folder, name));
    const time = new Date(Date.now() - (days + 1) * 86_400_000);
    await utimes(join(folder, name), time, time);
  }
  const made = basename(dirname(await makeBundle(folder)));
  expect((await readdir(folder)).sort()).toEqual(
    ['current.json', made, 'of-the-day-before', 'of-yesterday'].sort(),
  );
  expect(JSON.parse(await readFile(join(folder, 'current.json'), 'utf8'))).toMatchObject({ folder: made });
});

/** A chunk and all that it imports, except what it imports only when it needs it. */
async function loadedAtStart(
  place: string,
  chunk: string,
  known = new Set<string>(),
): Promise<readonly string[]> {
  known.add(chunk);
  const text = await readFile(join(place, chunk), 'utf8');
  for (const [, next = ''] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+\.mjs)";$/gm))
    if (!known.has(next)) await loadedAtStart(place, next, known);
  return [...known];
}
