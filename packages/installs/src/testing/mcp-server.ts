import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { digestOf } from './registry.ts';
import { serving } from './serving.ts';

type Answer = object | ((response: ServerResponse, base: string, id: number) => void);

/** An entry of `skills/list` for a skill with these files, by path. */
export function skillEntry(folder: string, files: Readonly<Record<string, string | Uint8Array>>): object {
  return {
    uri: `skill://${folder}/SKILL.md`,
    frontmatter: { name: folder.split('/').at(-1), description: 'd' },
    resources: Object.entries(files).map(([path, content]) => ({
      uri: `skill://${folder}/${path}`,
      digest: digestOf(content),
      size: Buffer.byteLength(content),
    })),
  };
}

/**
 * An MCP server of the protocol of 2025 with the skills extension. `files` are its resources, by URI; `answers` replace the
 * answers of methods. Returns its URL.
 */
export async function testMcp(
  skills: readonly object[],
  files: Readonly<Record<string, string | Uint8Array>>,
  answers: Readonly<Record<string, Answer>> = {},
): Promise<string> {
  return serving((request, response) => {
    void answer(request, response, `http://${request.headers.host}`);
  });

  async function answer(request: IncomingMessage, response: ServerResponse, base: string): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = (await json(request)) as {
      id?: number;
      method: string;
      params?: { uri?: string; protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    const own = answers[method];
    if (typeof own === 'function') return own(response, base, id);
    const file = files[params?.uri ?? ''];
    const results: Record<string, object | undefined> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
        serverInfo: { name: 'test', version: '1' },
      },
      'skills/list': { skills },
      'resources/read': file === undefined ? undefined : contentOf(params?.uri ?? '', file),
    };
    const result = own ?? results[method];
    const error = result === undefined ? { code: -32601, message: `no ${method}` } : undefined;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error, result }));
  }
}

function contentOf(uri: string, file: string | Uint8Array): object {
  const content = typeof file === 'string' ? { text: file } : { blob: Buffer.from(file).toString('base64') };
  return { contents: [{ uri, ...content }] };
}
