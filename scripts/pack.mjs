// Makes the packages that a release publishes in dist/packages, for npm and, where dpkg-deb is installed, for Debian: the same
// commit makes the same bytes.
// Prints the size of each, and fails if one is above its limit.
//
//   node scripts/pack.mjs
import './bootstrap/no-compile-cache.mjs';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildConsole } from './build-console.mjs';
import { stageCommand } from './pack/command.mjs';
import { compile } from './pack/compile.mjs';
import { packDebian } from './pack/debian.mjs';
import { packDebianPython } from './pack/debian-python.mjs';
import { stageLibrary } from './pack/library.mjs';
import { readManifest } from './pack/manifest.mjs';
import { describeFiles } from './pack/provenance.mjs';
import { stagePython } from './pack/python.mjs';
import { packagesFolder, root } from './pack/root.mjs';

const run = promisify(execFile);

/**
 * The packages, and the most kilobytes that each may have: a file too many should be noticed.
 * @type {Record<string, number>}
 */
const maxKilobytes = {
  agents: 50,
  ai: 30,
  api: 250,
  cli: 4000,
  client: 160,
  core: 800,
  installs: 250,
  migrate: 150,
  python: 8000,
  runtime: 1200,
  server: 1200,
};

/**
 * Makes packages in a folder, which is emptied first. Resolves to the paths of the tarballs.
 * @param {string} [folder]
 * @param {readonly string[]} [names]
 * @returns {Promise<string[]>}
 */
export async function pack(folder = packagesFolder, names = Object.keys(maxKilobytes)) {
  const workspace = await readManifest('.');
  const staging = await mkdtemp(join(tmpdir(), 'ambit-pack-'));
  try {
    const page = await buildConsole();
    const compiled = join(staging, 'compiled');
    const program = compile(names.filter(isLibrary), compiled);
    /** @type {object | undefined} */
    let sbom;
    for (const name of names) {
      const staged = await stagingFolder(staging, name);
      if (name === 'python') await stagePython(staged, workspace);
      else if (name === 'cli') sbom = await stageCommand(staged, workspace, page.packages);
      else await stageLibrary(name, staged, { workspace, program, compiled });
    }
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const tarballs = [];
    for (const name of names) tarballs.push(await tarball(join(staging, name), folder, maxKilobytes[name]));
    if (sbom !== undefined)
      await writeFile(
        join(folder, `ambit-cli-${workspace.version}.cdx.json`),
        JSON.stringify(sbom, undefined, 2),
      );
    return tarballs;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Whether a package has modules to import.
 * @param {string} name
 */
function isLibrary(name) {
  return name !== 'cli' && name !== 'python';
}

/**
 * A folder with what every package has.
 * @param {string} staging
 * @param {string} name
 */
async function stagingFolder(staging, name) {
  const folder = join(staging, name);
  await mkdir(folder);
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await cp(join(root, 'packages', name, 'README.md'), join(folder, 'README.md'));
  return folder;
}

/**
 * @param {string} staged
 * @param {string} folder where it is written
 * @param {number} [max] kilobytes
 * @returns {Promise<string>} the path of the tarball
 */
async function tarball(staged, folder, max = 0) {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: staged,
  });
  const [{ filename, size }] = JSON.parse(stdout);
  if (size > max * 1000)
    throw new Error(
      `${filename} is ${Math.ceil(size / 1000)} kB, above its limit of ${max} kB. List it with tar -tzf. Remove unexpected files, or raise the limit in scripts/pack.mjs`,
    );
  return join(folder, filename);
}

/** Whether the program that writes Debian packages is installed. */
async function hasDpkg() {
  return run('dpkg-deb', ['--version']).then(
    () => true,
    () => false,
  );
}

async function main() {
  const files = await pack();
  const packageOf = (/** @type {string} */ name) =>
    files.find((file) => basename(file).startsWith(`ambit-${name}-`)) ?? '';
  if (await hasDpkg())
    files.push(await packDebian(packageOf('cli')), await packDebianPython(packageOf('python')));
  else console.error('dpkg-deb is missing, so the Debian package is not made (Debian: apt-get install dpkg)');
  await describeFiles(packagesFolder);
  for (const file of files) {
    const { size } = await stat(file);
    console.log(`${(size / 1000).toFixed(0).padStart(6)} kB  ${file.slice(root.length)}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
