/**
 * The image, built from a fresh package and run by the container engines of this machine: `npm run test:all -- image`. Uses
 * Docker too if `dockerd` is installed. With `--engine`, only podman or docker.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openClaims } from '../support/claims.ts';
import { buildContexts } from './build.ts';
import { writeConfiguration } from './configuration.ts';
import { checkContainer } from './container-claims.ts';
import { checkDocumentation } from './documented.ts';
import { docker, podman } from './engine.ts';
import { checkImage } from './image-claims.ts';
import { checkKubernetes } from './kubernetes-claims.ts';
import { checkSettings } from './setting-claims.ts';

const { values } = parseArgs({ options: { engine: { type: 'string' } } });
const folder = await mkdtemp(join(tmpdir(), 'ambit-image-'));
const claims = openClaims();
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => interruption.abort(new Error(`${signal}: ending after this claim`)));

/** Containers and mounts are removed after an interruption, too. */
async function claim(text: string, check: () => Promise<void>): Promise<void> {
  interruption.signal.throwIfAborted();
  await claims.claim(text, check);
}

try {
  const contexts = await buildContexts(join(folder, 'contexts'));
  const configuration = join(folder, 'configuration');
  await writeConfiguration(configuration);
  await checkDocumentation({ claim });
  for (const start of [podman, docker].filter(({ name }) => (values.engine ?? name) === name)) {
    const engine = await start(await madeFolder(join(folder, start.name)));
    if (engine === undefined) {
      claims.skip('the same with Docker', 'on Debian or Ubuntu: apt-get install docker.io');
      continue;
    }
    try {
      const { stdout } = await engine.run(['--version']);
      console.log(`\n${stdout.trim()}`);
      const setup = { engine, configuration, claim };
      await checkImage(setup, contexts);
      await checkContainer(setup);
      await checkKubernetes(setup);
      await checkSettings(setup);
    } finally {
      await engine.end();
    }
  }
  process.exitCode = claims.end();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function madeFolder(path: string): Promise<string> {
  await mkdir(path);
  return path;
}
