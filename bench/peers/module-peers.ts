import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { ambit } from './ambit-peer.ts';
import { installPeer } from './install-peer.ts';
import { inputText, moduleScript, type OptionalPeer, processPeer, requireOutput, served } from './peer.ts';

const path = { PATH: '/usr/bin:/bin' };

/** The peers that run a JavaScript module. */
export async function modulePeers(folder: string): Promise<OptionalPeer[]> {
  const place = await mkdtemp(join(folder, 'module-'));
  await writeFile(join(place, 'run.mjs'), moduleScript);
  return [
    await node(place),
    ambit('Ambit, a script in WASM', folder, 'module'),
    await deno(folder, place),
    await workerd(folder, place),
  ];
}

/** The baseline. */
async function node(place: string): Promise<OptionalPeer> {
  const main = join(place, 'node.mjs');
  await writeFile(
    main,
    `import { text } from 'node:stream/consumers';
import run from './run.mjs';
console.log(JSON.stringify(run(JSON.parse(await text(process.stdin)))));`,
  );
  return processPeer('no sandbox, a Node process', process.execPath, [main], path);
}

async function deno(folder: string, place: string): Promise<OptionalPeer> {
  const name = 'Deno process without permissions';
  const installed = await installPeer(folder, 'deno');
  if ('missing' in installed) return { name, ...installed };
  const main = join(place, 'deno.mjs');
  await writeFile(
    main,
    `import run from './run.mjs';
console.log(JSON.stringify(run(await new Response(Deno.stdin.readable).json())));`,
  );
  const platform = `${process.platform}-${process.arch}-glibc`;
  const args = ['run', '--no-prompt', '--no-remote', '--no-npm', '--no-config', main];
  return processPeer(name, join(installed.modules, '@deno', platform, 'deno'), args, {
    ...path,
    DENO_DIR: join(place, 'cache'),
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
  });
}

/** One isolate that serves all calls over HTTP. */
async function workerd(folder: string, place: string): Promise<OptionalPeer> {
  const name = 'workerd';
  const installed = await installPeer(folder, 'workerd');
  if ('missing' in installed) return { name, ...installed };
  await writeFile(
    join(place, 'worker.mjs'),
    `import run from 'run.mjs';
export default { fetch: async (request) => Response.json(run(await request.json())) };`,
  );
  const config = join(place, 'config.capnp');
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    compatibilityDate = "2026-01-01",
    modules = [
      (name = "worker.mjs", esModule = embed "worker.mjs"),
      (name = "run.mjs", esModule = embed "run.mjs"),
    ],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`,
  );
  const platform = `workerd-${process.platform}-${{ x64: '64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64']}`;
  const file = join(installed.modules, '@cloudflare', platform, 'bin/workerd');
  return served(name, async () => {
    const port = await freePort();
    const child = spawn(file, ['serve', config, `--socket-addr=http=127.0.0.1:${port}`], {
      stdio: 'inherit',
    });
    const exited = new Promise((resolve) => child.once('close', resolve));
    const call = async (): Promise<void> => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: inputText });
      requireOutput(name, await response.text());
    };
    // It has started when it answers.
    while (child.exitCode === null) {
      if (
        await call().then(
          () => true,
          () => false,
        )
      )
        break;
    }
    return {
      call,
      close() {
        child.kill('SIGKILL');
        return exited;
      },
    };
  });
}
