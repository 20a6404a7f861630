// Threat model: T362

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { localServer } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const version = '10.0.1';

test('fetches a pnpm with the pinned tarball once, and runs it', async () => {
  const world = await bootstrapWorld();
  const genuine = await world.pnpmTarball('genuine');
  await world.pin(genuine);
  const registry = await world.serve(genuine);
  expect(await world.bootstrap()).toMatchObject({ code: 0, stdout: 'genuine\n' });
  await registry.close();
  expect(await world.bootstrap()).toEqual({ code: 0, stdout: 'genuine\n', stderr: '' });
});

test('refuses a tarball that the registry has replaced, and runs nothing from it', async () => {
  const world = await bootstrapWorld();
  const [genuine, tampered] = [await world.pnpmTarball('genuine'), await world.pnpmTarball('tampered')];
  await world.pin(genuine);
  await world.serve(tampered);
  const { code, stdout, stderr } = await world.bootstrap();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`pnpm@${version} is refused, and nothing of it was run`);
  expect(stderr).toContain(`expected ${integrityOf(genuine)}\n  found    ${integrityOf(tampered)}\n`);
  expect(await world.whatRan()).toEqual([]);
  expect(await readdir(join(world.root, '.toolchain'))).toEqual([]);
});

test('fetches pnpm again if it was installed without a check of its tarball', async () => {
  const world = await bootstrapWorld();
  const genuine = await world.pnpmTarball('genuine');
  await world.pin(genuine);
  await world.serve(genuine);
  const old = join(world.root, '.toolchain/node_modules/pnpm');
  await cp(await world.pnpmFolder('earlier'), old, { recursive: true });
  expect(await world.bootstrap()).toMatchObject({ code: 0, stdout: 'genuine\n' });
  expect(await world.whatRan()).toEqual(['genuine']);
});

test('does not install the dependency of a pinned package', async () => {
  const world = await bootstrapWorld();
  const wanting = await world.pnpmTarball('wanting', { dependencies: { other: '1.0.0' } });
  await world.pin(wanting);
  const registry = await world.serve(wanting);
  expect(await world.bootstrap()).toMatchObject({ code: 1, stdout: '' });
  expect(registry.asked.filter((path) => path.includes('other'))).toEqual([]);
  expect(await world.whatRan()).toEqual([]);
});

function integrityOf(tarball: Buffer): string {
  return `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
}

/** A repository with only the bootstrap, on a machine with Node and npm but without pnpm. */
async function bootstrapWorld() {
  const folder = await temporaryFolder();
  const [root, ran, bin] = [join(folder, 'root'), join(folder, 'ran'), join(folder, 'bin')];
  for (const path of ['scripts/bootstrap.mjs', 'scripts/bootstrap', 'packages/cli/src/current-bundle.mjs'])
    await cp(join(repository, path), join(root, path), { recursive: true });
  await mkdir(ran);
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  await symlink(await npmOnPath(), join(bin, 'npm'));
  const env: Record<string, string> = {
    PATH: bin,
    HOME: folder,
    RAN: ran,
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
    npm_config_registry: 'http://127.0.0.1:1/',
  };

  const run = (file: string, args: readonly string[], cwd: string) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(file, args, { cwd, env }, (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
          stdout,
          stderr,
        }),
      );
    });

  /** A pnpm that creates a file with its name when any part of it runs, and prints the name. */
  const pnpmFolder = async (name: string, rest: object = {}): Promise<string> => {
    const place = join(folder, name);
    const leave = `require('node:fs').writeFileSync(require('node:path').join(process.env.RAN, '${name}'), '')`;
    await mkdir(join(place, 'bin'), { recursive: true });
    await writeFile(join(place, 'bin/pnpm.cjs'), `${leave}\nconsole.log('${name}')\n`);
    const scripts = { preinstall: `node -e "${leave}"`, postinstall: `node -e "${leave}"` };
    const manifest = { name: 'pnpm', version, bin: { pnpm: 'bin/pnpm.cjs' }, scripts, ...rest };
    await writeFile(join(place, 'package.json'), JSON.stringify(manifest));
    return place;
  };

  return {
    root,
    pnpmFolder,
    whatRan: () => readdir(ran),
    bootstrap: () => run(process.execPath, ['scripts/bootstrap.mjs', 'pnpm', '--version'], root),
    pin: (tarball: Buffer) => {
      const hex = createHash('sha512').update(tarball).digest('hex');
      const packageManager = `pnpm@${version}+sha512.${hex}`;
      return writeFile(join(root, 'package.json'), JSON.stringify({ packageManager }));
    },
    async pnpmTarball(name: string, rest: object = {}): Promise<Buffer> {
      const place = await pnpmFolder(name, rest);
      const packed = await run('npm', ['pack', '--ignore-scripts', '--loglevel=error'], place);
      return readFile(join(place, packed.stdout.trim()));
    },
    /** Serves the tarball as the available pnpm, with a matching integrity. */
    async serve(tarball: Buffer) {
      const asked: string[] = [];
      const { origin, close } = await localServer(({ url = '/', headers: { host } }, answer) => {
        asked.push(url);
        if (url.endsWith('.tgz')) return answer.end(tarball);
        if (url !== '/pnpm') return answer.writeHead(404).end('{}');
        const dist = {
          tarball: `http://${host}/pnpm/-/pnpm-${version}.tgz`,
          integrity: integrityOf(tarball),
        };
        const versions = { [version]: { name: 'pnpm', version, dist } };
        return answer.end(JSON.stringify({ name: 'pnpm', 'dist-tags': { latest: version }, versions }));
      });
      onTestFinished(close);
      env['npm_config_registry'] = `${origin}/`;
      return { asked, close };
    },
  };
}

async function npmOnPath(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const names = await readdir(folder).catch((): string[] => []);
    if (names.includes('npm')) return join(folder, 'npm');
  }
  throw new Error(`there is no npm on PATH or beside ${dirname(process.execPath)}`);
}
