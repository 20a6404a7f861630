import { refusedOf } from '@ambit/api';
import { SkillError } from '@ambit/core';
import { fileContent } from '@ambit/runtime';
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { refusalOf } from '../request/refused.ts';
import { readFile } from './caller-files.ts';
import { bytesAt } from './file-part.ts';
import {
  type ByteRange,
  fileTemplate,
  rangeTemplate,
  readWorkspaceUri,
  workspaceUri,
} from './workspace-uri.ts';

/** The bytes of a file in one response: clients read messages whole, some only up to 10 MiB. */
const answerBytesMax = 1024 * 1024;

/**
 * The files of the caller's workspaces as resources: whole files of up to 1 MiB, and any range of
 * up to 1 MiB. `resources/list` does not include them, because there may be very many;
 * `list_workspaces` lists them.
 */
export function workspaceResources(deps: McpDeps, caller: McpCaller, mcp: McpServer): void {
  if (!caller.mayExecute) return;
  const read = (uri: URL): Promise<ReadResourceResult> =>
    readResource(deps, caller, uri.href).catch((error: unknown) => {
      const { code, message } = refusalOf(deps, error);
      const text = [message, refusedOf(code)?.next?.model].filter((each) => each !== undefined).join('. ');
      throw new ProtocolError(
        code === 'INTERNAL' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
        text,
        { code, uri: uri.href },
      );
    });
  const cacheHint = { ttlMs: 0, cacheScope: 'private' } as const;
  const register = (name: string, template: string, description: string): void => {
    mcp.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined }),
      { cacheHint, description },
      read,
    );
  };
  register('workspace-file', fileTemplate, 'A file of a workspace of this key, up to 1 MiB.');
  register(
    'workspace-file-range',
    rangeTemplate,
    'Bytes of a file, up to 1 MiB at a time, always as a blob.',
  );
}

async function readResource(deps: McpDeps, caller: McpCaller, uri: string): Promise<ReadResourceResult> {
  const { id, path, range } = readWorkspaceUri(uri);
  const slice: ByteRange = range === undefined ? { offset: 0 } : { length: answerBytesMax, ...range };
  const { file, content } = await readFile(deps, caller, { id, path });
  const length = Math.min(slice.length ?? content.length, content.length - slice.offset);
  if (length > answerBytesMax) throw tooLarge(id, path, length);
  const { offset, bytes, totalBytes } = await bytesAt(path, content, slice);
  const { key, value } = range === undefined ? fileContent(bytes) : blob(bytes);
  const _meta = { 'ambit/file': { offset, bytes: bytes.length, totalBytes, sha256: file.sha256 } };
  return { contents: [key === 'text' ? { uri, _meta, text: value } : { uri, _meta, blob: value }] };
}

function blob(bytes: Uint8Array): { key: 'base64'; value: string } {
  return { key: 'base64', value: Buffer.from(bytes).toString('base64') };
}

function tooLarge(id: string, path: string, bytes: number): SkillError {
  const first = workspaceUri(id, path, { offset: 0, length: answerBytesMax });
  return new SkillError(
    'INPUT_INVALID',
    `the file has ${bytes} bytes, and a response at most ${answerBytesMax}; read it in ranges, starting with ${first}`,
  );
}
