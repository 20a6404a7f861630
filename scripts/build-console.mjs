// Builds the web console into packages/console/dist/page: a page, its scripts and its style. Prints the size
// of what each view loads, and fails if the first one is above its budget. `npm start` does the same when a
// source has changed.
//
//   node scripts/build-console.mjs
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { packageOf } from './package-of.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'packages/console');

/** With gzip. What the first view loads, and the style. */
const budget = { scriptBytes: 60_000, styleBytes: 12_000 };

/**
 * Builds the console. Resolves to the sizes of its views, in bytes with gzip, to its sources, and to the folders of the
 * packages of others in it. Rejects if the first
 * view is above its budget. The previous build stays until the new one is complete.
 * @returns {Promise<{ sizes: { view: string, bytes: number }[], sources: string[], packages: string[] }>}
 */
export async function buildConsole() {
  await mkdir(join(folder, 'dist'), { recursive: true });
  const made = await mkdtemp(join(folder, 'dist/page-'));
  try {
    const chunks = await bundleInto(join(made, 'assets'));
    const style = await readFile(join(folder, 'style.css'));
    const styleName = named('style', 'css', style);
    await writeFile(join(made, 'assets', styleName), style);
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new Error('the console has no main script');
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    await writeFile(
      join(made, 'index.html'),
      page
        .replace('assets/style.css', `assets/${styleName}`)
        .replace('main.js', entry.fileName)
        .replace('    <script', `${preloads(entry)}    <script`),
    );
    const sizes = sizesOf(chunks, entry.fileName);
    const [first] = sizes;
    const styleBytes = gzipSync(style).length;
    if ((first?.bytes ?? 0) > budget.scriptBytes || styleBytes > budget.styleBytes)
      throw new Error(
        `the first view of the console has ${first?.bytes} bytes of scripts and ${styleBytes} of style; the budget is ${budget.scriptBytes} and ${budget.styleBytes}`,
      );
    await replacePage(made);
    return {
      sizes: [...sizes, { view: 'style.css', bytes: styleBytes }],
      sources: sourcesOf(chunks),
      packages: packagesOf(chunks),
    };
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @param {string} assets
 */
async function bundleInto(assets) {
  await mkdir(assets);
  const bundle = await rolldown({
    cwd: folder,
    input: { main: 'src/main.tsx' },
    platform: 'browser',
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`the console cannot be bundled: ${message}`);
    },
  });
  const { output } = await bundle.write({
    dir: assets,
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  return output.filter((chunk) => chunk.type === 'chunk');
}

/**
 * The browser fetches what the main script imports beside it, instead of after it.
 * @param {import('rolldown').OutputChunk} entry
 */
function preloads({ imports }) {
  return imports.map((name) => `    <link rel="modulepreload" href="/console/assets/${name}">\n`).join('');
}

/**
 * @param {readonly import('rolldown').OutputChunk[]} chunks
 * @param {string} entry
 */
function sizesOf(chunks, entry) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  /** @param {string} name @param {Set<string>} seen */
  const loads = (name, seen = new Set()) => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const imported of byName.get(name)?.imports ?? []) loads(imported, seen);
    return seen;
  };
  const sizeOf = (/** @type {Iterable<string>} */ names) =>
    [...names].reduce((sum, name) => sum + gzipSync(byName.get(name)?.code ?? '').length, 0);
  const first = loads(entry);
  return [
    { view: 'home', bytes: sizeOf(first) },
    ...chunks
      .filter(({ isDynamicEntry }) => isDynamicEntry)
      .map(({ name, fileName }) => ({
        view: name,
        bytes: sizeOf(new Set([...first, ...loads(fileName)])),
      })),
  ];
}

/**
 * The files of this repository that a build depends on, from its root.
 * @param {readonly import('rolldown').OutputChunk[]} chunks
 */
function sourcesOf(chunks) {
  const ours = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .map((id) => relative(root, id))
    .filter((path) => /^packages\/(?!.*node_modules\/)/.test(path));
  const others = ['index.html', 'package.json', 'style.css', 'tsconfig.json'];
  return [...ours, ...others.map((name) => `packages/console/${name}`), 'scripts/build-console.mjs'];
}

/** @param {readonly import('rolldown').OutputChunk[]} chunks */
function packagesOf(chunks) {
  const paths = chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => relative(root, id));
  return [...new Set(paths.map(packageOf).filter((folder) => folder !== undefined))];
}

/** @param {string} made */
async function replacePage(made) {
  const page = join(folder, 'dist/page');
  const old = `${made}-old`;
  await rename(page, old).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(made, page);
  await rm(old, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {string} ending
 * @param {Buffer} content
 */
function named(name, ending, content) {
  return `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.${ending}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { sizes } = await buildConsole();
  for (const { view, bytes } of sizes)
    console.log(`${view.padEnd(16)} ${(bytes / 1000).toFixed(1).padStart(6)} kB with gzip`);
}
