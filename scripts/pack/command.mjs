import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleInto, notBundled } from '../bundle.mjs';
import { threatTestsTable } from '../threat-tests.mjs';
import { packagedLinks } from './links.mjs';
import { publishedManifest, readManifest } from './manifest.mjs';
import { noticesOf } from './notices.mjs';
import { root } from './root.mjs';
import { installedManifest, sbomOf } from './sbom.mjs';

/** @typedef {import('./manifest.mjs').Workspace} Workspace */

/** The files that the program reads besides its code: the bundled skills, and the documentation that messages name. */
const programFolders = ['skills', 'docs', 'THREAT_MODEL.md'];

/** The page of the console. */
const builtPage = 'packages/console/dist/page';

/**
 * Copies the command into `staged` as it is published: the bundle of the daemon and the command line, with what they read
 * at the same paths as in the repository. The console must have been built before.
 * @param {string} staged
 * @param {Workspace} workspace
 * @param {readonly string[]} inPage folders of the packages of others in the console
 * @returns {Promise<object>} its bill of materials
 */
export async function stageCommand(staged, workspace, inPage) {
  /** @type {Set<string>} */
  const folders = new Set();
  const needed = new Set(notBundled);
  const bundle = await bundleInto(join(staged, 'bundle'), {
    sourcemap: false,
    place: {
      file(url) {
        const path = relative(root, fileURLToPath(url));
        if (path !== '') folders.add(path);
        return `new URL(${JSON.stringify(`../${path}`)}, import.meta.url)`;
      },
      // A dependency of the package, wherever npm puts it.
      package(name) {
        needed.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
        return `import.meta.resolve(${JSON.stringify(name)})`;
      },
    },
  });
  const files = await trackedFiles([...folders, ...programFolders]);
  const paths = new Set(files.flatMap((path) => [path, dirname(path)]));
  const address = workspace.repository && `${workspace.repository}/blob/v${workspace.version}`;
  for (const path of files) {
    await copy(path, staged);
    if (!/^docs\/.*\.md$|^THREAT_MODEL\.md$/.test(path)) continue;
    const page = await readFile(join(staged, path), 'utf8');
    const text = path === 'THREAT_MODEL.md' ? `${page}\n## Tests\n\n${threatTestsTable(root)}\n` : page;
    const isPackaged = (/** @type {string} */ linked) => paths.has(linked.replace(/\/$/, ''));
    await writeFile(join(staged, path), packagedLinks(text, { path, isPackaged, address }));
  }
  await copy(builtPage, staged);
  const manifest = {
    ...(await readManifest('packages/cli')),
    dependencies: await installedVersions([...needed].sort()),
  };
  await cp(join(root, 'packages/cli/bin'), join(staged, 'bin'), { recursive: true });
  await cp(join(root, 'packages/cli/src/compile-cache.mjs'), join(staged, 'bin/compile-cache.mjs'));
  const published = publishedManifest(manifest, workspace, {
    bin: manifest.bin,
    files: ['bin', 'bundle', 'docs', 'packages', 'skills', 'NOTICES', 'THREAT_MODEL.md'],
  });
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  const packages = [...bundle.packages, ...inPage];
  await writeFile(join(staged, 'NOTICES'), await noticesOf(packages));
  return sbomOf(manifest, packages, Object.keys(manifest.dependencies));
}

/**
 * The installed versions of packages that the packages in the bundle need. They are exact, like those in the bundle.
 * @param {readonly string[]} names
 */
async function installedVersions(names) {
  const manifests = await Promise.all(names.map(installedManifest));
  return Object.fromEntries(manifests.map(({ name, version }) => [name, version]));
}

/**
 * The files below folders that belong to the commit, without tests and pictures: a working copy can contain others.
 * @param {readonly string[]} folders
 * @returns {Promise<string[]>} paths from the root of the repository
 */
async function trackedFiles(folders) {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', '--', ...folders], { cwd: root });
  return stdout
    .split('\0')
    .filter((path) => path !== '' && !/\.test\.(?:ts|mjs)$|\/testing\/|^docs\/images\//.test(path));
}

/**
 * @param {string} path of a file or folder, from the root of the repository
 * @param {string} staged
 */
async function copy(path, staged) {
  const target = join(staged, path);
  await mkdir(dirname(target), { recursive: true });
  await cp(join(root, path), target, { recursive: true });
}
