// Bundles the program into a few files, which start faster than a thousand, and the web console. If a source has changed
// since, the sources run instead (packages/cli/src/current-bundle.mjs), so nothing has to be
// rebuilt by hand. Does nothing if the bundle is current.
//
//   node scripts/bundle.mjs
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bundlesFolder, currentBundle } from '../packages/cli/src/current-bundle.mjs';
import { buildConsole } from './build-console.mjs';
import { threadProgram } from './bundled.mjs';
import { packageOf } from './package-of.mjs';

/**
 * @typedef {import('../packages/cli/src/current-bundle.mjs').BundleRecord} BundleRecord
 */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The main program and the programs of its threads. A module looks for its thread's program in its
 * own folder, in the sources and in the bundle.
 */
const programs = [
  'packages/cli/src/main.ts',
  'packages/server/src/audit/ship/shipper-program.ts',
  'packages/server/src/audit/index/reader-program.ts',
  'packages/server/src/audit/log/writer-program.ts',
  'packages/server/src/audit/verify/verify-program.ts',
  'packages/server/src/store/sqlite/store-program.ts',
  'packages/runtime/src/json/json-program.ts',
  'packages/runtime/src/schema/checking-program.ts',
  'packages/runtime/src/skills/scan/scanning-program.ts',
];

/** The module that every command but `--version` loads. */
const everyCommand = 'packages/cli/src/program.ts';

/**
 * The inputs of a bundle besides our modules: the files that locate them, this script, and the installed
 * packages.
 */
const alsoDependsOn = [
  ...['agents', 'api', 'cli', 'client', 'core', 'installs', 'migrate', 'runtime', 'server'].map(
    (name) => `packages/${name}/package.json`,
  ),
  'pnpm-lock.yaml',
  'scripts/bundle.mjs',
];

/** Packages that are not in a bundle: a native module locates its own file. */
export const notBundled = ['better-sqlite3'];

/** A running daemon may still load parts of the bundle that it was started from. */
const bundlesMax = 3;

/**
 * Makes the bundle and activates it. Resolves to its program. Rejects if that fails; the previous
 * bundle then stays active.
 * @param {string} [folder]
 * @param {string} [name] of the bundle's folder, in which no file exists before all of them do
 * @returns {Promise<string>}
 */
export async function makeBundle(folder = bundlesFolder, name = `of-${randomUUID()}`) {
  const startedMs = Date.now();
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'of-'));
  const bundleFolder = join(folder, name);
  // Readable for every user who can read the sources.
  await chmod(unfinished, 0o755);
  try {
    const { ours } = await bundleInto(unfinished);
    const { sources } = await buildConsole();
    const files = await recorded([...new Set([...ours, ...sources, ...alsoDependsOn])]);
    const late = files.find(([, , mtimeMs]) => mtimeMs >= startedMs);
    if (late) throw new Error(`${late[0]} changed during the build; run it again`);
    await rename(unfinished, bundleFolder);
    /** @type {BundleRecord} */
    const record = { root, folder: name, files };
    await writeFile(join(bundleFolder, 'current.json'), JSON.stringify(record));
    await rename(join(bundleFolder, 'current.json'), join(folder, 'current.json'));
  } catch (error) {
    for (const each of [unfinished, bundleFolder]) await rm(each, { recursive: true, force: true });
    throw error;
  }
  await removeOld(folder);
  return join(bundleFolder, 'main.mjs');
}

/**
 * Bundles modules of the repository, by their paths from its root, as `NAME.mjs` in `folder`.
 * @param {string} folder
 * @param {object} [options]
 * @param {readonly string[]} [options.inputs]
 * @param {Place} [options.place] where the bundle finds files that are not part of it; in this repository, unless it is given
 * @param {boolean} [options.sourcemap] for `node --enable-source-maps`
 * @returns {Promise<{ ours: string[], packages: string[] }>} the paths of our own modules in the bundle, and the
 *   folders of the packages of others that are in it
 */
export async function bundleInto(folder, { inputs = programs, place = inRepository, sourcemap = true } = {}) {
  /** @type {string[]} */
  const ours = [];
  /** @type {Set<string>} */
  const packages = new Set();
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(inputs.map((path) => [basename(path, '.ts'), path])),
    platform: 'node',
    external: notBundled,
    // Joined modules of a program may be exported from its file.
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      {
        name: 'ours',
        // Includes modules of which nothing remains, such as an index. The lockfile covers modules
        // of packages.
        transform(code, id) {
          const path = relative(root, id);
          const owner = packageOf(path);
          if (owner !== undefined) packages.add(owner);
          if (owner !== undefined || !path.startsWith('packages/')) return undefined;
          ours.push(path);
          return placed(code, id, place);
        },
      },
      {
        name: 'light-chunks',
        // The lines stay the same, and so does the source map.
        renderChunk: (code) => ({ code: withoutBuiltinImports(code), map: null }),
        generateBundle(_, chunks) {
          for (const chunk of Object.values(chunks))
            if (chunk.type === 'chunk') chunk.code = inAscii(chunk.code, chunk.fileName);
        },
      },
    ],
    // An unresolved module would otherwise remain as an import.
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`the program cannot be bundled: ${message}`);
    },
  });
  /** @type {import('rolldown').OutputOptions} */
  const output = {
    dir: folder,
    format: 'esm',
    sourcemap,
    // No package.json below node_modules defines the type of `.js`, so Node would have to detect
    // it.
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  };
  const { output: chunks } = await bundle.generate({ ...output, sourcemap: false });
  await bundle.write({
    ...output,
    codeSplitting: { includeDependenciesRecursively: false, groups: joinedChunks(chunks) },
  });
  await bundle.close();
  return { ours, packages: [...packages].sort() };
}

/**
 * The groups that join the modules which every command loads: a file takes longer to load than its code. What a thread loads too
 * is apart, so that it loads nothing else.
 * @param {readonly (import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} output of a bundle without groups
 */
function joinedChunks(output) {
  const chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])));
  const modulesFrom = (/** @type {import('rolldown').OutputChunk} */ chunk) => {
    const files = new Set([chunk.fileName]);
    for (const file of files) for (const each of chunks.get(file)?.imports ?? []) files.add(each);
    return new Set([...files].flatMap((file) => chunks.get(file)?.moduleIds ?? []));
  };
  const entries = [...chunks.values()];
  const command = entries.find(({ facadeModuleId }) => facadeModuleId === join(root, everyCommand));
  if (command === undefined) return [];
  const ofCommand = modulesFrom(command);
  const programs = entries
    .filter(({ isEntry }) => isEntry)
    .map((entry) => ({ name: entry.name, modules: modulesFrom(entry) }));
  const nameOf = (/** @type {string} */ id) =>
    ['command', ...programs.flatMap(({ name, modules }) => (modules.has(id) ? [name] : []))].join('-');
  return [...new Set([...ofCommand].map(nameOf))]
    .sort((one, other) => other.length - one.length)
    .map((name) => ({ name, test: (/** @type {string} */ id) => ofCommand.has(id) && nameOf(id) === name }));
}

/**
 * The code by which a bundle finds a file that is not part of it.
 * @typedef {object} Place
 * @property {(url: URL) => string} file a `URL` of a file or folder of the repository
 * @property {(name: string, id: string) => string} package the URL, as a string, of a package's module that the
 *   module `id` of ours resolves
 */

/** @type {Place} */
const inRepository = {
  file: ({ href }) => `new URL(${JSON.stringify(href)})`,
  package: (name, id) => JSON.stringify(pathToFileURL(createRequire(id).resolve(name)).href),
};

/**
 * Code whose paths relative to itself lead to where `place` says: to folders of the repository, and packages
 * that are mounted into sandboxes. The programs of threads are exceptions, because they are part of the bundle.
 * @param {string} code
 * @param {string} id
 * @param {Place} place
 */
function placed(code, id, place) {
  if (!code.includes('import.meta')) return undefined;
  const here = pathToFileURL(id).href;
  const paths = /\bnew URL\('([^']+)', import\.meta\.url\)/g;
  const names = /\bimport\.meta\.resolve\('([^']+)'\)/g;
  // A package that may be installed beside the bundle is looked up when it is needed.
  const optional = 'import.meta.resolve(optionalPackage)';
  const left = code.replace(paths, '').replace(names, '').replace(threadProgram, '').replace(optional, '');
  if (left.includes('import.meta'))
    throw new Error(`${relative(root, id)} uses import.meta in a way that bundling breaks; see placed`);
  return {
    code: code
      .replace(paths, (_, path) => place.file(new URL(path, here)))
      .replace(names, (_, name) => place.package(name, id)),
    map: null,
  };
}

/**
 * Gets modules of Node without `import`, which takes twice as long, and also loads what only their unused
 * exports need: a client for `fetch` for `node:http`, all of Web Crypto for `node:crypto`.
 * @param {string} code
 */
function withoutBuiltinImports(code) {
  return code.replace(
    /^import (?:(?<whole>[\w$]+)(?:, )?)?(?:\* as (?<all>[\w$]+)|\{ (?<names>[^}]+) \})? from "(?<id>[^"]+)";$/gm,
    (line, ...found) => {
      const { whole, all, names, id } = found.at(-1);
      if (!isBuiltin(id)) return line;
      // A module may import `process` itself, under that name.
      const builtin = `globalThis.process.getBuiltinModule("${id}")`;
      const bound = names?.replace(/\bdefault as ([\w$]+)/, '').replaceAll(' as ', ': ');
      const aliases = [whole, all, /\bdefault as ([\w$]+)/.exec(names ?? '')?.[1]].filter(Boolean);
      return [
        ...aliases.map((name) => `const ${name} = ${builtin};`),
        ...(bound ? [`const { ${bound} } = ${builtin};`] : []),
      ].join(' ');
    },
  );
}

/**
 * Escapes all characters outside ASCII. A single one would double the memory of a chunk's source, of which V8
 * retains a copy for each thread. Throws where an escape would be another text.
 * @param {string} code
 * @param {string} name
 */
function inAscii(code, name) {
  const [raw] = /String\.raw`[^`]*[^\0-\x7f]/.exec(code) ?? [];
  if (raw !== undefined) throw new Error(`${name} has ${raw}; escape its last character in the source`);
  return code.replace(/(\\*)([^\0-\x7f])/g, (found, slashes, character) => {
    if (slashes.length % 2 === 1)
      throw new Error(`${name} has ${found}; escape that character in the source without a backslash`);
    return `${slashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * @param {string[]} paths
 * @returns {Promise<BundleRecord['files']>}
 */
async function recorded(paths) {
  return Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await stat(join(root, path));
      return [path, size, mtimeMs];
    }),
  );
}

/** @param {string} folder */
async function removeOld(folder) {
  const names = (await readdir(folder)).filter((name) => name.startsWith('of-'));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, mtimeMs: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = dated.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(bundlesMax);
  for (const { name } of old) await rm(join(folder, name), { recursive: true });
}

/**
 * Makes a bundle unless a current one exists. Resolves to the URL of its program.
 * @returns {Promise<string>}
 */
export async function ensureBundle() {
  return currentBundle() ?? pathToFileURL(await makeBundle()).href;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureBundle();
