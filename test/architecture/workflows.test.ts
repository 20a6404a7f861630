import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parts } from '../../scripts/check/parts.mjs';
import { repository } from '../support/daemon-process.ts';

interface Workflow {
  permissions?: unknown;
  jobs: Record<
    string,
    { steps: { uses?: string; run?: string }[]; strategy?: { matrix: { part?: string[] } } }
  >;
}

const folder = join(repository, '.github/workflows');
const workflows = readdirSync(folder).map((name): [string, Workflow] => [
  name,
  parse(readFileSync(join(folder, name), 'utf8')),
]);
const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

/** All other commands are scripts of this repository, which anyone can run. */
const otherCommands = [
  'sudo apt-get install --yes --no-install-recommends podman buildah runc debootstrap systemd-container prometheus postgresql strace',
  'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  'gh release create "$GITHUB_REF_NAME" --verify-tag --notes-file CHANGELOG.md dist/packages/*',
];

test.each(workflows)('%s runs only scripts that package.json has', (_, { jobs }) => {
  const run = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
  const unknown = run.filter((command) => {
    const script =
      /^(?:sudo env "PATH=\$PATH" CI=true )?npm (?:run )?([\w:-]+)(?: -- (?:[\w -]+|\$\{\{ matrix\.part \}\}))?$/.exec(
        command,
      )?.[1];
    return script === undefined ? !otherCommands.includes(command) : scripts[script] === undefined;
  });
  expect(unknown).toEqual([]);
});

test('the weekly workflow runs every part of test:all that needs no files of a person', () => {
  const weekly = Object.fromEntries(workflows)['weekly.yml'];
  const ofTheirOwn = parts.filter(({ isInSuites, requires }) => !isInSuites && requires === undefined);
  expect(weekly?.jobs['weekly']?.strategy?.matrix.part).toEqual(ofTheirOwn.map(({ name }) => name));
});

test.each(workflows)('%s can only read by default, and pins actions to commits', (_, workflow) => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  const used = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(used.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
});
