import { z } from 'zod';
import { bare, json, stream } from '../answer.ts';
import { defineContracts } from '../contract.ts';
import {
  WorkspaceAnswer,
  WorkspaceBody,
  WorkspaceFileAnswer,
  WorkspaceSummary,
  WorkspacesAnswer,
} from './bodies.ts';

const WorkspaceParams = z.strictObject({ id: z.string().describe("The workspace's id.") });

const FileParams = WorkspaceParams.extend({
  path: z
    .string()
    .describe("The file's path, with each name percent-encoded separately and slashes between them."),
});

const Conditions = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('The `ETag` that the file must have; `*` matches any existing file.'),
  'if-none-match': z
    .string()
    .optional()
    .describe('The `ETag` that the file must not have; `*` matches any existing file.'),
});

const RangeHeaders = Conditions.extend({
  range: z
    .string()
    .optional()
    .describe('A range of bytes, `bytes=START-END`, `bytes=START-` or `bytes=-LENGTH`.'),
});

const tagged = { headers: { ETag: "The file's digest, in quotation marks." } };
const changing = [
  'STORE_UNAVAILABLE',
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_BUSY',
  'PRECONDITION_FAILED',
] as const;

const one = { scope: 'skills:execute', url: '/workspaces/:id', params: WorkspaceParams } as const;

const file = { url: '/workspaces/:id/files/*', params: FileParams, scope: 'skills:execute' } as const;

/** Workspaces, which persist across calls, and their files. */
export const workspaceContracts = defineContracts('Workspaces', {
  createWorkspace: {
    method: 'POST',
    url: '/workspaces',
    scope: 'skills:execute',
    summary: 'Create a workspace',
    description:
      'Creates a workspace for this key alone. It expires when it has not been used for its time. Calls name it in `workspace`.',
    body: WorkspaceBody,
    bodyExample: { label: 'report', expiresInSeconds: 604_800 },
    answers: {
      201: json('The workspace.', WorkspaceAnswer, { headers: { Location: 'The URL of the workspace.' } }),
    },
    problems: ['STORE_UNAVAILABLE', 'INPUT_INVALID', 'WORKSPACE_LIMIT'],
  },
  listWorkspaces: {
    method: 'GET',
    url: '/workspaces',
    scope: 'skills:execute',
    summary: 'List workspaces',
    description: 'The workspaces of this key, oldest first.',
    answers: { 200: json('The workspaces.', WorkspacesAnswer) },
    problems: ['STORE_UNAVAILABLE'],
  },
  getWorkspace: {
    method: 'GET',
    ...one,
    summary: 'Get a workspace',
    description: "A workspace with its files. Another key's workspace is reported as missing.",
    answers: { 200: json('The workspace.', WorkspaceAnswer) },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND'],
  },
  deleteWorkspace: {
    method: 'DELETE',
    ...one,
    summary: 'Delete a workspace',
    description: 'Deletes the workspace and its files, after the calls in it have ended.',
    answers: { 204: bare('The workspace was deleted.') },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND', 'WORKSPACE_BUSY'],
  },
  getWorkspaceFile: {
    method: 'GET',
    ...file,
    headers: RangeHeaders,
    summary: 'Read a file',
    description:
      'The stored version, or with `Range` some of its bytes. A call that runs in the workspace does not affect it until it ends.',
    answers: {
      200: stream(
        'The file.',
        { 'application/octet-stream': { description: 'Its bytes.' } },
        { headers: { ...tagged.headers, 'Last-Modified': 'When its content last changed.' } },
      ),
      206: stream(
        'A range of the file.',
        { 'application/octet-stream': { description: 'Its bytes.' } },
        { headers: { ...tagged.headers, 'Content-Range': 'The range, and the size of the file.' } },
      ),
      304: bare('Not modified.', tagged),
    },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND', 'WORKSPACE_FILE_NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  putWorkspaceFile: {
    method: 'PUT',
    ...file,
    headers: Conditions,
    summary: 'Write a file',
    description:
      'Creates or replaces the file, after earlier calls in the workspace have ended. The body may have as many bytes as the workspace may hold.',
    bytes: "The file's bytes. An empty body creates an empty file.",
    answers: {
      200: json('The file was replaced.', WorkspaceFileAnswer, tagged),
      201: json('The file was created.', WorkspaceFileAnswer, tagged),
    },
    problems: [...changing, 'WORKSPACE_FULL', 'INPUT_INVALID'],
  },
  putWorkspaceFiles: {
    method: 'PUT',
    scope: 'skills:execute',
    url: '/workspaces/:id/files',
    params: WorkspaceParams,
    summary: 'Write many files',
    description:
      'Creates or replaces the files, links and folders of a tar archive in one step, after earlier calls in the workspace have ended. Others stay.',
    bytes: 'The archive, uncompressed.',
    answers: { 200: json('The workspace.', WorkspaceSummary) },
    problems: [
      'STORE_UNAVAILABLE',
      'WORKSPACE_NOT_FOUND',
      'WORKSPACE_BUSY',
      'WORKSPACE_FULL',
      'INPUT_INVALID',
    ],
  },
  deleteWorkspaceFile: {
    method: 'DELETE',
    ...file,
    headers: Conditions,
    summary: 'Delete a file',
    description: 'Deletes the file, after earlier calls in the workspace have ended.',
    answers: { 204: bare('The file was deleted.') },
    problems: [...changing, 'WORKSPACE_FILE_NOT_FOUND'],
  },
});
