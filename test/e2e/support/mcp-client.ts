import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { type Daemon, repository } from '../../support/daemon-process.ts';
import { commands } from '../../support/on-demand-daemons.ts';
import { privateHome, userFolders } from '../../support/private-home.ts';
import { shortIdle } from './on-demand.ts';

/** The protocol that a client starts with: 2026, 2025 with a session, or the server's choice. */
export type Era = 'modern' | 'legacy' | 'auto';

/** The protocols that every claim about MCP is tested with. */
export const eras: [name: string, era: Era][] = [
  ['the protocol of 2026', 'modern'],
  ['a session of 2025', 'legacy'],
];

/** The tools of any daemon, for a key that may run skills. */
export const generalTools = [
  'list_skills',
  'load_skill',
  'read_skill_file',
  'run_skill_script',
  'create_workspace',
  'list_workspaces',
  'read_workspace_file',
  'write_workspace_file',
  'edit_workspace_file',
  'delete_from_workspace',
];

/** The text of a tool's result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** A request for which the official client has no method. */
export async function ask(client: Client, method: string, params: object) {
  const anything = {
    '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
  };
  // biome-ignore lint/suspicious/noExplicitAny: received JSON, which the tests compare completely
  return (await client.request({ method, params: { ...params } }, anything)) as Record<string, any>;
}

/** The first message of a session of 2025. */
export const initialize = (protocolVersion = '2025-06-18') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

/** The header that MCP over HTTP requires. */
export const accept = { accept: 'application/json, text/event-stream' };

/** Sends a message to a daemon's `/mcp` unchanged. */
export function sendMessage(
  { url, key }: Pick<Daemon, 'url' | 'key'>,
  message: unknown,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      ...accept,
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...headers,
    },
    body: JSON.stringify(message),
    ...(signal && { signal }),
  });
}

/** The official client at a daemon's `/mcp`. It is closed when the test ends. */
export async function httpClient(
  { url, key }: Pick<Daemon, 'url' | 'key'>,
  era: Era = 'modern',
  { onToolsChanged, fetch }: { onToolsChanged?: () => void; fetch?: typeof globalThis.fetch } = {},
): Promise<Client> {
  return await connected(
    era,
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      ...(fetch === undefined ? {} : { fetch }),
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
    onToolsChanged,
  );
}

/** The official client with its own `ambit mcp`. The daemon that this starts, if none runs, ends with its temporary folder. */
export async function stdioClient(
  config: string,
  era: Era = 'modern',
  {
    args = [],
    env = {},
    onToolsChanged,
  }: { args?: readonly string[]; env?: Record<string, string>; onToolsChanged?: () => void } = {},
): Promise<Client> {
  commands.haveRun = true;
  return await connected(
    era,
    new StdioClientTransport({
      command: process.execPath,
      args: [`${repository}/packages/cli/src/ambit.mjs`, 'mcp', '--config', config, ...args],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: privateHome,
        NO_COLOR: '1',
        ...userFolders(),
        ...shortIdle,
        ...env,
      },
    }),
    onToolsChanged,
  );
}

/** The official client with an `ambit mcp` in a folder. */
export async function stdioClientIn(
  cwd: string,
  args: readonly string[] = [],
  era: Era = 'modern',
  env: Record<string, string> = {},
): Promise<Client> {
  return await connected(
    era,
    new StdioClientTransport({
      cwd,
      command: process.execPath,
      stderr: 'ignore',
      args: [`${repository}/packages/cli/src/ambit.mjs`, 'mcp', ...args],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: privateHome,
        NO_COLOR: '1',
        ...userFolders(),
        ...shortIdle,
        ...env,
      },
    }),
  );
}

async function connected(
  era: Era,
  transport: Parameters<Client['connect']>[0],
  onToolsChanged?: () => void,
): Promise<Client> {
  const client = new Client(
    { name: 'ambit-test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : era },
      ...(onToolsChanged && { listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } } }),
    },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}
