// Puts the program into few files, from which it starts in less time than from a thousand: node scripts/bundle.mjs. The sources stay
// what is run whenever they have changed since (packages/server/src/bundle/current-bundle.mjs), so that nobody has to
// remember this. Says nothing and does nothing when the bundle is current.
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bundlesFolder, currentBundle } from '../packages/server/src/bundle/current-bundle.mjs';

/** @typedef {import('../packages/server/src/bundle/current-bundle.mjs').BundleRecord} BundleRecord */

const root = fileURLToPath(new URL('..', import.meta.url));

/** The program and those of its threads, which are looked for beside the module that starts them, wherever that is. */
const programs = [
  'packages/server/src/main.ts',
  'packages/server/src/audit/index/reader-program.ts',
  'packages/server/src/audit/log/writer-program.ts',
  'packages/server/src/audit/verify/verify-program.ts',
  'packages/runtime/src/json/json-program.ts',
  'packages/runtime/src/schema/checking-program.ts',
  'packages/runtime/src/skills/scan/scanning-program.ts',
];

/** What a bundle depends on beside our modules: what they are found by, and which packages are installed. */
const alsoDependsOn = [
  ...['agents', 'client', 'core', 'migrate', 'runtime', 'server'].map(
    (name) => `packages/${name}/package.json`,
  ),
  'pnpm-lock.yaml',
];

/** A daemon may still load parts of the one that it was started from. */
const keptMost = 3;

/**
 * Makes the bundle and has it used from now on. Rejects when it cannot be made; what was used until then still is.
 * Resolves to its program.
 * @param {string} [folder]
 * @returns {Promise<string>}
 */
export async function makeBundle(folder = bundlesFolder) {
  const startedMs = Date.now();
  await mkdir(folder, { recursive: true });
  const made = await mkdtemp(join(folder, 'of-'));
  // Whoever may read the sources may start from here.
  await chmod(made, 0o755);
  try {
    const files = await recorded([...new Set([...(await bundleInto(made)), ...alsoDependsOn])]);
    const late = files.find(([, , mtimeMs]) => mtimeMs >= startedMs);
    if (late) throw new Error(`${late[0]} was changed meanwhile: bundle again`);
    /** @type {BundleRecord} */
    const record = { root, folder: basename(made), files };
    await writeFile(join(made, 'current.json'), JSON.stringify(record));
    await rename(join(made, 'current.json'), join(folder, 'current.json'));
  } catch (error) {
    await rm(made, { recursive: true });
    throw error;
  }
  await removeOld(folder);
  return join(made, 'main.mjs');
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>} the paths of our own modules that it was made of
 */
async function bundleInto(folder) {
  /** @type {string[]} */
  const ours = [];
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((path) => [basename(path, '.ts'), path])),
    platform: 'node',
    // A native module finds its own file.
    external: ['better-sqlite3'],
    plugins: [
      {
        name: 'ours',
        // Those too of which nothing is left in the end, such as an index. Those of packages are what the lockfile says.
        transform(code, id) {
          const path = relative(root, id);
          if (!/^packages\/(?!.*node_modules\/)/.test(path)) return undefined;
          ours.push(path);
          return inPlace(code, id);
        },
      },
      { name: 'http', ...lightHttp },
    ],
    // What cannot be found would be left as an import.
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`the program cannot be bundled: ${message}`);
    },
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    // For `node --enable-source-maps`.
    sourcemap: true,
    // Below node_modules no package.json says what a `.js` is, and Node would have to find out.
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  return ours;
}

/**
 * What our modules find by where they are stays where it is: folders of the repository, and the packages that are mounted into
 * sandboxes. The exceptions are the programs of threads, which are part of the bundle.
 * @param {string} code
 * @param {string} id
 */
function inPlace(code, id) {
  if (!code.includes('import.meta')) return undefined;
  const here = pathToFileURL(id).href;
  const find = createRequire(id);
  const placed = code
    .replace(
      /\bnew URL\('([^']+)', import\.meta\.url\)/g,
      (_, path) => `new URL(${JSON.stringify(new URL(path, here).href)})`,
    )
    .replace(/\bimport\.meta\.resolve\('([^']+)'\)/g, (_, name) =>
      JSON.stringify(pathToFileURL(find.resolve(name)).href),
    );
  const left = placed.replace(
    /`\.\/[a-z]+-program\$\{import\.meta\.url\.slice\(import\.meta\.url\.lastIndexOf\('\.'\)\)\}`,\s+import\.meta\.url,/,
    '',
  );
  if (left.includes('import.meta'))
    throw new Error(`${relative(root, id)} says import.meta in a way that no bundle keeps: see inPlace`);
  return { code: placed, map: null };
}

/** All but what `node:http` has of fetch: a module that imports it from there by name loads a client that nobody asked for. */
const lightHttp = {
  /** @param {string} source @param {string | undefined} importer */
  resolveId(source, importer) {
    return /^(node:)?http$/.test(source) && importer !== undefined ? '\0http' : undefined;
  },
  /** @param {string} id */
  async load(id) {
    if (id !== '\0http') return undefined;
    const names = Object.keys(process.getBuiltinModule('node:http')).filter(
      (name) => !['WebSocket', 'CloseEvent', 'MessageEvent'].includes(name),
    );
    return `const http = process.getBuiltinModule('node:http');\nexport default http;\nexport const { ${names.join(', ')} } = http;\n`;
  },
};

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
  const old = dated.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(keptMost);
  for (const { name } of old) await rm(join(folder, name), { recursive: true });
}

/** Makes it where there is none that is current. */
export async function ensureBundle() {
  if (currentBundle() === undefined) await makeBundle();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureBundle();
