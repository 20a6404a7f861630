import { WorkspaceBody } from '@ambit/api';
import type { FileContent } from '@ambit/core/workspace';
import { fileContent } from '@ambit/runtime';
import { z } from 'zod';
import { requestSignal } from '../request/request-signal.ts';
import { type FixedTool, fixedTool } from '../tool/fixed-tool.ts';
import { textResult } from '../tool/result.ts';
import { callerWorkspaces, change, readFile, rewriteFile } from './caller-files.ts';
import { editsMax, editText } from './edit-text.ts';
import { partText, textAt } from './file-part.ts';
import { listing } from './listing.ts';
import { checkedPath, workspaceUri } from './workspace-uri.ts';

const id = z.string().max(200).describe('The id of the workspace.');
const path = z.string().max(1024).describe('The path of the file in the workspace.');
const scope = 'skills:execute';
const changes = (hints: object) => ({ readOnlyHint: false, openWorldHint: false, ...hints });

/** The default and maximum number of bytes to read. */
const [readBytes, readBytesMax] = [32 * 1024, 256 * 1024];

/**
 * The path with which `delete_from_workspace` deletes the workspace itself. No file has this path.
 */
const wholeWorkspace = '/';

/**
 * The workspace tools, with the argument names of the official filesystem server where it has them.
 * They need the same scope as over HTTP: skills:execute.
 */
export const workspaceTools: readonly FixedTool[] = [
  fixedTool('create_workspace', {
    description:
      'Creates a workspace: a folder for files that several calls work on. Pass its id as the workspace of each call of a skill.',
    schema: WorkspaceBody,
    scope,
    annotations: changes({ destructiveHint: false }),
    async run(deps, caller, { expiresInSeconds, ...options }, ctx) {
      const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
      const make = () => callerWorkspaces(deps, caller).create({ ...options, expiresInMs });
      const workspace = await change(deps, requestSignal(deps, caller, ctx), make);
      return textResult(listing.ofOne(workspace, undefined));
    },
  }),
  fixedTool('list_workspaces', {
    description: 'Lists your workspaces or, with "workspace", the files of one.',
    schema: z.strictObject({
      workspace: id.optional(),
      after: z
        .string()
        .max(1024)
        .optional()
        .describe('List only what follows this path, or this id for workspaces.'),
    }),
    scope,
    async run(deps, caller, { workspace, after }) {
      const own = callerWorkspaces(deps, caller);
      return textResult(
        workspace === undefined
          ? listing.ofAll(await own.list(), after)
          : listing.ofOne(await own.get(workspace), after),
      );
    },
  }),
  fixedTool('read_workspace_file', {
    description:
      'Reads a file of a workspace, in parts if it is long. The result says how many bytes the file has. Binary content is in base64.',
    schema: z.strictObject({
      workspace: id,
      path,
      offset: z.int().min(0).default(0).describe('The first byte.'),
      length: z.int().min(1).max(readBytesMax).default(readBytes).describe('The maximum number of bytes.'),
    }),
    scope,
    async run(deps, caller, { workspace, path, ...range }) {
      const { file, content } = await readFile(deps, caller, { id: workspace, path: checkedPath(path) });
      const part = await textAt(path, content, range);
      const { offset, bytes, totalBytes } = part;
      const { key, value } = fileContent(bytes);
      const uri = workspaceUri(workspace, path, { offset, length: bytes.length });
      return {
        content: [
          key === 'text'
            ? { type: 'text', text: value }
            : { type: 'resource', resource: { uri, blob: value } },
          { type: 'text', text: partText(path, part) },
        ],
        _meta: { 'ambit/file': { offset, bytes: bytes.length, totalBytes, sha256: file.sha256 } },
      };
    },
  }),
  fixedTool('write_workspace_file', {
    description: 'Creates a file in a workspace, or replaces the whole file.',
    schema: z
      .strictObject({
        workspace: id,
        path,
        text: z.string().optional().describe('Its content as text.'),
        base64: z
          .base64('must be base64 with padding')
          .optional()
          .describe('Its content in base64, if it is not text.'),
      })
      .refine(
        ({ text, base64 }) => (text === undefined) !== (base64 === undefined),
        'give either "text" or "base64"',
      ),
    scope,
    annotations: changes({ idempotentHint: true }),
    async run(deps, caller, { workspace, path, text, base64 }, ctx) {
      const content = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
      const signal = requestSignal(deps, caller, ctx);
      const put = { path: checkedPath(path), content };
      const { file, isNew } = await change(deps, signal, () =>
        callerWorkspaces(deps, caller).put(workspace, put, () => undefined, signal),
      );
      return textResult(`${isNew ? 'Created' : 'Replaced'} ${JSON.stringify(path)}, ${file.bytes} bytes.`);
    },
  }),
  fixedTool('edit_workspace_file', {
    description:
      'Replaces exact texts in a text file of a workspace. Each oldText must occur exactly once. Either all edits are applied, or none.',
    schema: z.strictObject({
      workspace: id,
      path,
      edits: z
        .array(z.strictObject({ oldText: z.string().min(1), newText: z.string() }))
        .min(1)
        .max(editsMax),
    }),
    scope,
    annotations: changes({}),
    async run(deps, caller, { workspace, path, edits }, ctx) {
      const signal = requestSignal(deps, caller, ctx);
      const edit = (content: FileContent) => editText(path, content, edits);
      const file = await rewriteFile(deps, caller, { id: workspace, path: checkedPath(path) }, edit, signal);
      return textResult(`Edited ${JSON.stringify(path)}, now ${file.bytes} bytes.`);
    },
  }),
  fixedTool('delete_from_workspace', {
    description: 'Deletes a file of a workspace, or the workspace with all its files.',
    schema: z.strictObject({
      workspace: id,
      path: z.string().max(1024).describe(`The file, or "${wholeWorkspace}" for the workspace itself.`),
    }),
    scope,
    annotations: changes({}),
    async run(deps, caller, { workspace, path }, ctx) {
      const own = callerWorkspaces(deps, caller);
      const signal = requestSignal(deps, caller, ctx);
      if (path === wholeWorkspace) await change(deps, signal, () => own.remove(workspace, signal));
      else await change(deps, signal, () => own.drop(workspace, checkedPath(path), () => undefined, signal));
      return textResult(`Deleted ${path === wholeWorkspace ? 'the workspace' : JSON.stringify(path)}.`);
    },
  }),
];
