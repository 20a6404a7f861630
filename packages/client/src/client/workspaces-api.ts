import { bytesOf } from '../request/body-of.ts';
import type { Caller } from '../request/caller.ts';
import type { RequestOptions } from '../request/end-of.ts';
import { isStream } from '../request/request-input.ts';
import type { RequestBody, ResponseBody } from '../request/routes.ts';

/** A workspace with its files. */
export type Workspace = ResponseBody<'GET /workspaces/:id'>;

/** A workspace in a list, without its files. */
export type WorkspaceSummary = ResponseBody<'PUT /workspaces/:id/files'>;

/** A file of a workspace, without its bytes. */
export type WorkspaceFile = ResponseBody<'PUT /workspaces/:id/files/*'>;

/** Options for a new workspace. The daemon has defaults. */
export type WorkspaceOptions = RequestBody<'POST /workspaces'>;

/** The persistent workspaces of the client's key. */
export interface WorkspacesApi {
  create(fields?: WorkspaceOptions, options?: RequestOptions): Promise<Workspace>;
  list(options?: RequestOptions): Promise<readonly WorkspaceSummary[]>;
  get(id: string, options?: RequestOptions): Promise<Workspace>;
  remove(id: string, options?: RequestOptions): Promise<void>;
  /** The content of a file, or its bytes from `start` to before `end`. */
  read(
    id: string,
    path: string,
    options?: RequestOptions & { range?: { start: number; end: number } | undefined },
  ): Promise<Uint8Array>;
  /** Creates or replaces a file, after earlier calls have ended. A `Blob`, such as one of `openAsBlob`, is not read into memory. */
  put(id: string, path: string, content: Uint8Array | Blob, options?: RequestOptions): Promise<WorkspaceFile>;
  /** Creates or replaces the files of a tar archive in one step. A stream is sent as it is read, and is not repeated. */
  putAll(
    id: string,
    archive: Uint8Array | Blob | ReadableStream<Uint8Array>,
    options?: RequestOptions,
  ): Promise<WorkspaceSummary>;
  removeFile(id: string, path: string, options?: RequestOptions): Promise<void>;
}

/** The workspaces API. `caller` sends its requests. */
export function workspacesApi({ get, getAs, transport, within }: Caller): WorkspacesApi {
  return {
    // Not safe to repeat: it would create two.
    create: (fields, options = {}) =>
      transport.json(
        'POST /workspaces',
        'quotaBytes',
        { body: fields ?? {} },
        { ...within(options), isRepeatable: false },
      ),
    list: async (options) => (await get('GET /workspaces', 'workspaces', {}, options)).workspaces,
    get: (id, options) => get('GET /workspaces/:id', 'quotaBytes', { params: { id } }, options),
    remove: (id, options) => getAs('DELETE /workspaces/:id', { params: { id } }, options, nothing),
    read(id, path, { range, ...options } = {}) {
      const request = { params: placeOf(id, path) };
      const ranged = range && { ...request, headers: { range: `bytes=${range.start}-${range.end - 1}` } };
      return getAs('GET /workspaces/:id/files/*', ranged ?? request, options, bytesOf);
    },
    put: (id, path, bytes, options) =>
      get('PUT /workspaces/:id/files/*', 'sha256', { params: placeOf(id, path), bytes }, options),
    putAll: (id, bytes, options = {}) =>
      transport.json(
        'PUT /workspaces/:id/files',
        'quotaBytes',
        { params: { id }, bytes },
        { ...within(options), isRepeatable: !isStream(bytes) },
      ),
    removeFile: (id, path, options) =>
      getAs('DELETE /workspaces/:id/files/*', { params: placeOf(id, path) }, options, nothing),
  };
}

function placeOf(id: string, path: string): { id: string; path: readonly string[] } {
  return { id, path: path.split('/') };
}

async function nothing(): Promise<void> {
  // The success is the whole result.
}
