import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleInto, notBundled } from '../bundle.mjs';
import { publishedManifest, readManifest } from './manifest.mjs';
import { noticesOf } from './notices.mjs';
import { root } from './root.mjs';
import { sbomOf } from './sbom.mjs';

/** @typedef {import('./manifest.mjs').Workspace} Workspace */

/** What the daemon finds in the folder of the program: the bundled skills and the page of the console. */
const programFolders = ['skills', 'packages/console/dist/page'];

/** Messages name pages of the documentation, which works offline too. */
const documentation = 'docs';

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
  for (const folder of [...folders, ...programFolders]) await copyFolder(folder, staged);
  await copyFolder(documentation, staged, (path) => !path.startsWith(join(root, documentation, 'images')));
  const manifest = {
    ...(await readManifest('packages/cli')),
    dependencies: await rangesOf([...needed].sort()),
  };
  await cp(join(root, 'packages/cli/bin'), join(staged, 'bin'), { recursive: true });
  const published = publishedManifest(manifest, workspace, {
    bin: manifest.bin,
    files: ['bin', 'bundle', 'docs', 'packages', 'skills', 'NOTICES'],
  });
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  const packages = [...bundle.packages, ...inPage];
  await writeFile(join(staged, 'NOTICES'), await noticesOf(packages));
  return sbomOf(manifest, packages, Object.keys(manifest.dependencies));
}

/**
 * The versions of packages that the packages in the bundle need.
 * @param {readonly string[]} names
 */
async function rangesOf(names) {
  const manifests = await Promise.all(['packages/runtime', 'packages/server'].map(readManifest));
  const ranges = Object.assign({}, ...manifests.map(({ dependencies }) => dependencies));
  return Object.fromEntries(names.map((name) => [name, ranges[name]]));
}

/**
 * @param {string} folder from the root of the repository
 * @param {string} staged
 * @param {(path: string) => boolean} [isWanted]
 */
async function copyFolder(folder, staged, isWanted = () => true) {
  const target = join(staged, folder);
  await mkdir(dirname(target), { recursive: true });
  await cp(join(root, folder), target, {
    recursive: true,
    filter: (path) => !/\.test\.(?:ts|mjs)$|\/testing$|\.map$/.test(path) && isWanted(path),
  });
}
