import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runText } from '../run-program.ts';
import { ambit } from './ambit-peer.ts';
import { installPeer } from './install-peer.ts';
import {
  input,
  inputText,
  type OptionalPeer,
  type Peer,
  processPeer,
  requireOutput,
  served,
  shellScript,
} from './peer.ts';

/** The peers that run a shell script; `script` is its path. */
export async function shellPeers(folder: string, script: string): Promise<OptionalPeer[]> {
  return [
    // The baseline.
    processPeer('no sandbox, spawned by Node', '/bin/sh', [script]),
    ambit('Ambit, a shell skill', folder, 'shell'),
    await sandboxRuntime(script),
    plainMcp(script),
    await justBash(folder),
  ];
}

/** Settings as in `bench/sandbox-runtime.ts`: no network and no writable files. */
const strictest = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
};

async function sandboxRuntime(script: string): Promise<OptionalPeer> {
  const name = 'sandbox-runtime';
  const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
  const { errors } = SandboxManager.checkDependencies();
  if (errors.length > 0) return { name, missing: `${errors.join('; ')} (apt-get install socat ripgrep)` };
  const library = import.meta.resolve('@anthropic-ai/sandbox-runtime');
  return {
    name,
    cold: () =>
      runNode(
        name,
        `import { SandboxManager } from '${library}';
import { execFileSync } from 'node:child_process';
await SandboxManager.initialize(${JSON.stringify(strictest)});
const command = await SandboxManager.wrapWithSandbox('/bin/sh ${script}');
process.stdout.write(execFileSync('/bin/sh', ['-c', command], { input: '${inputText}' }));
await SandboxManager.reset();`,
      ),
    async start() {
      await SandboxManager.initialize(strictest);
      return {
        async call() {
          const command = await SandboxManager.wrapWithSandbox(`/bin/sh ${script}`);
          requireOutput(name, await runText('/bin/sh', ['-c', command], inputText));
          SandboxManager.cleanupAfterCommand();
        },
        close: () => SandboxManager.reset(),
      };
    },
  };
}

function plainMcp(script: string): Peer {
  const name = 'plain MCP server, spawns it';
  return served(name, async () => {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    const args = [join(import.meta.dirname, 'mcp-server.mjs'), script];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    return {
      async call() {
        const { content } = await client.callTool({ name: 'run', arguments: { input } });
        const [first] = content as { text?: string }[];
        requireOutput(name, first?.text ?? '');
      },
      close: () => client.close(),
    };
  });
}

/** An interpreter of Bash in JavaScript, in the process that calls it. */
async function justBash(folder: string): Promise<OptionalPeer> {
  const name = 'just-bash';
  const installed = await installPeer(folder, 'just-bash');
  if ('missing' in installed) return { name, ...installed };
  // In the folder of the installation, where it finds the package.
  const file = join(installed.modules, '../bash.mjs');
  await writeFile(file, `export { Bash } from 'just-bash';`);
  const library = pathToFileURL(file).href;
  const text = JSON.stringify(shellScript);
  return {
    name,
    cold: () =>
      runNode(
        name,
        `import { Bash } from '${library}';
const { stdout } = await new Bash().exec(${text}, { stdin: '${inputText}' });
process.stdout.write(stdout);`,
      ),
    async start() {
      const { Bash } = await import(library);
      return {
        async call() {
          const { stdout } = await new Bash().exec(shellScript, { stdin: inputText });
          requireOutput(name, stdout);
        },
        close: async () => undefined,
      };
    },
  };
}

/** A call by a new Node process. */
async function runNode(name: string, program: string): Promise<void> {
  requireOutput(name, await runText(process.execPath, ['--input-type=module', '-e', program], ''));
}
