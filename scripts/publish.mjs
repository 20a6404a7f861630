// Publishes the npm packages in dist/packages/SHA256SUMS. Skips packages that the registry has with the same bytes, so
// an interrupted publication can be repeated. Arguments go to `npm publish`. Imports no package of npm, because the
// workflow gives this script the right to publish.
//
//   npm run publish:packages -- --dry-run
//   npm run publish:packages -- --provenance
import './bootstrap/no-compile-cache.mjs';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesFolder, root } from './pack/root.mjs';

/**
 * @typedef {object} Packed
 * @property {string} file
 * @property {string} name
 * @property {string} version
 * @property {string[]} needs names of our packages
 * @property {string} integrity as npm writes it
 */

const options = process.argv.slice(2);
const problem = problemOfRelease();
if (problem !== undefined) fail(`Nothing was published: ${problem}`);
for (const each of inOrder(packedFiles())) publish(each);

/** Returns why the files are not a release, and what to do; undefined if they are. */
function problemOfRelease() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const again = 'Commit your changes, and run npm run pack.';
  if (!existsSync(join(packagesFolder, 'SHA256SUMS'))) return `dist/packages has no packages. ${again}`;
  const provenance = join(packagesFolder, `ambit-${version}.provenance.json`);
  if (!existsSync(provenance))
    return `the packages were not made from a commit of version ${version}. ${again}`;
  const { resolvedDependencies } = JSON.parse(readFileSync(provenance, 'utf8')).predicate.buildDefinition;
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  if (resolvedDependencies[0].digest.gitCommit !== head)
    return `the packages were made from another commit than ${head}, which is checked out. ${again}`;
  // Set in the workflow.
  const tag = process.env['GITHUB_REF_NAME'] ?? `v${version}`;
  if (tag !== `v${version}`)
    return `the tag is ${tag}, and package.json has version ${version}. Remove the tag, and follow docs/release.md.`;
  const { status, stdout } = spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], {
    cwd: packagesFolder,
    encoding: 'utf8',
  });
  if (status !== 0) return `files differ from SHA256SUMS: ${stdout.trim()}. ${again}`;
  const headings = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').match(/^## .*$/gm) ?? [];
  const isDated = headings.some(
    (line) => line.startsWith(`## ${version}, `) && /, \d{4}-\d\d-\d\d$/.test(line),
  );
  if (!options.includes('--dry-run') && !isDated)
    return `CHANGELOG.md has no heading "## ${version}, YYYY-MM-DD". Write it, commit it, and run npm run pack.`;
  return undefined;
}

/** @returns {Packed[]} */
function packedFiles() {
  const sums = readFileSync(join(packagesFolder, 'SHA256SUMS'), 'utf8');
  // Only files in it are attested.
  return [...sums.matchAll(/^[0-9a-f]{64} {2}(.*\.tgz)$/gm)].map(([, name = '']) => {
    const file = join(packagesFolder, name);
    const manifest = JSON.parse(
      execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }),
    );
    const digest = createHash('sha512').update(readFileSync(file)).digest('base64');
    return {
      file,
      name: manifest.name,
      version: manifest.version,
      integrity: `sha512-${digest}`,
      needs: Object.keys(manifest.dependencies ?? {}).filter((each) => each.startsWith('@ambit/')),
    };
  });
}

/**
 * Each package after its dependencies, so that no user installs a package before its dependencies exist.
 * @param {readonly Packed[]} packages
 * @returns {Packed[]}
 */
function inOrder(packages) {
  /** @type {Packed[]} */
  const ordered = [];
  const isReady = (/** @type {Packed} */ { needs }) =>
    needs.every((name) => ordered.some((done) => done.name === name));
  while (ordered.length < packages.length) {
    const next = packages.find((each) => !ordered.includes(each) && isReady(each));
    if (next === undefined)
      throw new Error('packages need each other in a circle, or need a missing package');
    ordered.push(next);
  }
  return ordered;
}

/** @param {Packed} packed */
function publish({ file, name, version, integrity }) {
  const published = publishedIntegrity(`${name}@${version}`);
  if (published === integrity) return console.log(`${name} ${version} is already published`);
  if (published !== undefined)
    fail(
      `${name} ${version} is published with other contents. Versions cannot be replaced: choose another with npm run set-version.`,
    );
  // npm installs "latest" by default, so a version such as 0.2.0-rc.1 is not that.
  const tag = version.includes('-') ? 'next' : 'latest';
  const { status } = spawnSync('npm', ['publish', file, '--access', 'public', '--tag', tag, ...options], {
    stdio: 'inherit',
  });
  if (status !== 0)
    fail(`npm did not publish ${name} ${version}. Run the command again: it continues there.`);
}

/**
 * Returns the registry's hash; undefined if it has no such version.
 * @param {string} version such as `@ambit/core@0.2.0`
 */
function publishedIntegrity(version) {
  const { stdout } = spawnSync('npm', ['view', version, 'dist.integrity', '--json'], { encoding: 'utf8' });
  const answer = stdout.trim() === '' ? undefined : JSON.parse(stdout);
  if (answer?.error === undefined) return answer;
  if (answer.error.code === 'E404') return undefined;
  return fail(`The registry did not answer: ${answer.error.summary}. Run the command again.`);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
