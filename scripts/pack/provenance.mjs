import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readManifest } from './manifest.mjs';
import { root } from './root.mjs';

const run = promisify(execFile);

/**
 * Writes the digests of all files in a folder as `SHA256SUMS`, and beside it the provenance of the files. Without the
 * latter if tracked files differ from the commit, because then the commit does not describe the build.
 * @param {string} folder
 */
export async function describeFiles(folder) {
  const names = (await readdir(folder)).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, digest: { sha256: await sha256Of(join(folder, name)) } })),
  );
  const sums = files.map(({ name, digest }) => `${digest.sha256}  ${name}\n`);
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''));
  if ((await git('status', '--porcelain', '--untracked-files=no')) !== '') return;
  const workspace = await readManifest('.');
  await writeFile(
    join(folder, `ambit-${workspace.version}.provenance.json`),
    JSON.stringify(await provenanceOf(files, workspace), undefined, 2),
  );
}

/**
 * Names the commit and the tools that made files, as a statement of in-toto with SLSA provenance. It is not signed.
 * @param {readonly object[]} subject the files
 * @param {{ version: string, repository?: string }} workspace
 * @see https://slsa.dev/spec/v1.0/provenance
 */
async function provenanceOf(subject, { version, repository }) {
  const { stdout: npm } = await run('npm', ['--version']);
  const digest = { gitCommit: await git('rev-parse', 'HEAD') };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:ambit:npm-run-pack:1',
        externalParameters: { version, repository },
        internalParameters: {
          node: process.versions.node,
          npm: npm.trim(),
          platform: `${process.platform}-${process.arch}`,
        },
        resolvedDependencies: [
          repository === undefined
            ? { name: 'the repository', digest }
            : { uri: `git+${repository}`, digest },
          { name: 'pnpm-lock.yaml', digest: { sha256: await sha256Of(join(root, 'pnpm-lock.yaml')) } },
        ],
      },
      runDetails: { builder: { id: builderOf(process.env) } },
    },
  };
}

/** @param {string} file */
async function sha256Of(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

/** @param {readonly string[]} args */
async function git(...args) {
  return (await run('git', args, { cwd: root })).stdout.trim();
}

/**
 * The workflow in GitHub Actions (and forges with the same variables), or a person's machine.
 * @param {NodeJS.ProcessEnv} env
 */
function builderOf({ GITHUB_SERVER_URL: server, GITHUB_WORKFLOW_REF: workflow }) {
  return server === undefined || workflow === undefined ? 'urn:ambit:local-build' : `${server}/${workflow}`;
}
