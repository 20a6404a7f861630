import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pack } from '../../scripts/pack.mjs';
import { repository } from '../support/daemon-process.ts';
import { debianTree } from '../support/debian-tree.ts';
import type { Engine } from './engine.ts';

/** The tag of the image. */
export const image = 'localhost/ambit-test';

/** Base images made here, so that no registry is needed. */
const base = 'localhost/ambit-test-debian';
const node = 'localhost/ambit-test-node';

/** The files that images are built from, in folders of their own. */
export interface BuildContexts {
  /** The folder that `docker build` finds in a clone after `npm run pack`. */
  ambit: string;
  /** In place of `node:24-bookworm-slim`: this Node and its npm, on a Debian. */
  node: string;
}

/** Packs the command, and collects what the images are made of. */
export async function buildContexts(folder: string): Promise<BuildContexts> {
  const contexts = { ambit: join(folder, 'ambit'), node: join(folder, 'node') };
  await mkdir(join(contexts.ambit, 'dist'), { recursive: true });
  await pack(join(contexts.ambit, 'dist/packages'), ['cli', 'python']);
  for (const path of ['.dockerignore', 'packaging/seccomp.json', 'packaging/docker'])
    await cp(join(repository, path), join(contexts.ambit, path), { recursive: true });

  const npm = dirname(dirname(await output('sh', ['-c', 'readlink -f "$(command -v npm)"'])));
  await cp(process.execPath, join(contexts.node, 'local/bin/node'));
  await cp(npm, join(contexts.node, 'local/lib/node_modules/npm'), { recursive: true });
  const authorities = '/etc/ssl/certs/ca-certificates.crt';
  await cp(authorities, join(contexts.node, 'authorities.crt'), { dereference: true });
  // npm reaches the registry of this machine.
  await writeFile(
    join(contexts.node, 'Dockerfile'),
    `FROM ${base}
COPY local /usr/local
COPY authorities.crt ${authorities}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=${authorities} NPM_CONFIG_REGISTRY=${await output('npm', ['config', 'get', 'registry'])}
`,
  );
  return contexts;
}

/** Builds the image as the documentation says. Resolves to the sizes of it and its base, in bytes. */
export async function buildImage(
  engine: Engine,
  contexts: BuildContexts,
): Promise<{ whole: number; base: number }> {
  await engine.import(await debianTree(['ca-certificates']), base);
  await build(engine, ['-t', node, contexts.node]);
  await build(engine, [
    ...['--build-arg', `NODE=${node}`, '--build-arg', `BASE=${base}`, '--build-arg', 'VERSION=1.2.3'],
    ...['-f', join(contexts.ambit, 'packaging/docker/Dockerfile'), '-t', image, contexts.ambit],
  ]);
  const sizeOf = async (tag: string): Promise<number> =>
    Number((await engine.run(['image', 'inspect', '--format', '{{.Size}}', tag])).stdout);
  return { whole: await sizeOf(image), base: await sizeOf(base) };
}

async function build(engine: Engine, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await engine.run(['build', ...engine.buildOptions, ...args]);
  if (code !== 0) throw new Error(`the image was not built:\n${stdout}\n${stderr}`);
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: repository });
  return stdout.trim();
}
