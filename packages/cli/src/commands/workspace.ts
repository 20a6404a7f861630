import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { readSpan, type WorkspaceSummary } from '@ambit/api';
import type { AmbitClient } from '@ambit/client';
import { UsageError } from '@ambit/core/outcome';
import { isWorkspacePath } from '@ambit/core/workspace';
import type { ArchiveEntry } from '@ambit/server/wire';
import { type CommandContext, defineCommand } from '../command/define-command.ts';
import { openFile } from '../command/read-input.ts';
import { noteLinks, noteReplaced, type SavedFile, saveFiles } from '../command/workspace-files.ts';
import { fileParts, sendEntries } from '../command/workspace-transfer.ts';
import { plural } from '../output/plural.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';
import { folderEntries } from './run/file-arguments.ts';

/** `ambit workspace create`, `list`, `put`, `get` and `remove`: folders that a daemon preserves across calls. */
export const workspaceCommands = [
  defineCommand({
    name: 'workspace',
    summary: 'manage workspaces, which preserve files across calls',
    description:
      'Create, list, fill, read and remove workspaces. A workspace is a folder in the daemon that preserves files across calls. It belongs to the key that created it and expires when it has not been used for a while. Skills that may write their workspace run in one with: ambit run --workspace ID.',
    examples: { 'ambit workspace list': 'your workspaces' },
  }),
  defineCommand({
    name: 'workspace create',
    summary: 'create a workspace',
    description: 'Create an empty workspace and print its id.',
    remote: true,
    options: {
      quota: {
        value: 'bytes',
        text: "limit the total size of its files (default: the daemon's)",
        parse: bytes,
      },
      expires: {
        value: 'span',
        text: "expire this long after the last use: 12h, 7d (default: the daemon's)",
        parse: seconds,
      },
      label: { value: 'text', text: 'show this label in lists' },
    },
    examples: { 'ambit workspace create --label notes --expires 7d': 'expires after a week without use' },
    async run(context, flags) {
      const { print } = context;
      const { quota: quotaBytes, expires: expiresInSeconds, label } = flags;
      const workspaces = await workspacesOf(context);
      const made = await workspaces.create({ quotaBytes, expiresInSeconds, label });
      if (print.json) print.document(made);
      else print.lines(printable(made.id));
    },
  }),
  defineCommand({
    name: 'workspace list',
    summary: 'list workspaces, or the files of one',
    description: 'List the workspaces of the key, or the files of one workspace.',
    remote: true,
    args: { id: { text: 'list the files of this workspace', optional: true, completes: 'workspace' } },
    examples: {
      'ambit workspace list': 'your workspaces',
      'ambit workspace list 01a2014c-9051-72ec-ba2b-655881a38ec2': 'the files of one',
    },
    async run(context, _flags, { id }) {
      const { print } = context;
      const workspaces = await workspacesOf(context);
      if (id === undefined) {
        const listed = await workspaces.list();
        if (print.json) print.document({ workspaces: listed });
        else print.lines(...table(listed.map(summaryRow), print.width));
        return;
      }
      const shown = await workspaces.get(id);
      if (print.json) print.document(shown);
      else
        print.lines(
          ...table(
            [
              ...shown.files.map(({ path, bytes, modified }) => [
                printable(path),
                `${bytes} bytes`,
                modified,
              ]),
              ...shown.links.map(({ path, link }) => [printable(path), printable(`-> ${link}`), '']),
              ...shown.folders.map((path) => [printable(`${path}/`), 'empty folder', '']),
            ],
            print.width,
          ),
        );
    },
  }),
  defineCommand({
    name: 'workspace put',
    summary: 'copy a file or a folder into a workspace',
    description:
      'Copy a file, or a folder with everything below it, into a workspace in one step. Existing files are replaced, and others stay.',
    remote: true,
    args: {
      id: { text: 'the id of the workspace', completes: 'workspace' },
      file: { text: 'the file or folder to copy' },
      path: {
        text: 'its path in the workspace (default: its own name); . copies a folder to the top',
        optional: true,
      },
    },
    examples: {
      'ambit workspace put 01a2014c-9051-72ec-ba2b-655881a38ec2 report.csv in/report.csv':
        'under another path',
    },
    async run(context, _flags, { id, file, path }) {
      const { print } = context;
      const cwd = context.terminal.cwd();
      if ((await stat(resolve(cwd, file)).catch(() => undefined))?.isDirectory()) {
        const entries = await folderEntries(cwd, file, path ?? basename(resolve(cwd, file)));
        const summary = await sendEntries(await workspacesOf(context), id, entries);
        if (print.json) print.document(summary);
        else print.note(`Copied ${entryCounts(entries)} into ${id}, which has ${summary.usedBytes} bytes.`);
        return;
      }
      const content = await openFile(cwd, file);
      const place = path ?? basename(file);
      const put = await (await workspacesOf(context)).put(id, requirePath(place), content);
      if (print.json) print.document(put);
      else print.note(`Copied ${printable(put.path)} into ${id}, ${put.bytes} bytes.`);
    },
  }),
  defineCommand({
    name: 'workspace get',
    summary: 'save files of a workspace',
    description:
      'Save all files of a workspace below a folder, or one of them: all or none. Existing and hidden files need --overwrite and --hidden.',
    remote: true,
    args: {
      id: { text: 'the id of the workspace', completes: 'workspace' },
      path: { text: 'save only this file (default: all)', optional: true },
    },
    options: {
      save: { value: 'folder', text: 'save below this folder', required: true },
      overwrite: { text: 'also replace existing files' },
      hidden: { text: 'also save hidden files; tools run commands from some of them' },
    },
    examples: { 'ambit workspace get 01a2014c-9051-72ec-ba2b-655881a38ec2 --save out': 'all files' },
    async run(context, flags, { id, path }) {
      const { print } = context;
      const workspaces = await workspacesOf(context);
      if (path !== undefined) requirePath(path);
      const shown = await workspaces.get(id);
      const isWanted = (each: { path: string }): boolean => path === undefined || each.path === path;
      const wanted = path === undefined ? shown.files : [shown.files.find(isWanted) ?? { path }];
      const paths = wanted.map((each) => each.path);
      const folder = resolve(context.terminal.cwd(), flags.save);
      const files: SavedFile[] = wanted.map((each) => ({
        path: each.path,
        content: () =>
          fileParts(workspaces, id, each.path, { bytes: 'bytes' in each ? each.bytes : undefined }),
        executable: 'executable' in each,
      }));
      if (path === undefined)
        files.push(...shown.folders.map((each) => ({ path: each, folder: true as const })));
      noteLinks(print, shown.links.filter(isWanted));
      const onReplace = noteReplaced(print, folder);
      await saveFiles(folder, files, { ...flags, onReplace, daemon: context.daemon });
      if (print.json) print.document({ id, files: paths });
      else print.note(`Saved ${plural(paths.length, 'file')} in ${folder}.`);
    },
  }),
  defineCommand({
    name: 'workspace remove',
    summary: 'remove a workspace, or one of its files',
    description:
      'Remove a workspace with all its files, or only one file. Waits for running calls in the workspace.',
    remote: true,
    args: {
      id: { text: 'the id of the workspace', completes: 'workspace' },
      path: { text: 'remove only this file', optional: true },
    },
    examples: { 'ambit workspace remove 01a2014c-9051-72ec-ba2b-655881a38ec2': 'with all its files' },
    async run(context, _flags, { id, path }) {
      const { print } = context;
      const workspaces = await workspacesOf(context);
      if (path === undefined) await workspaces.remove(id);
      else await workspaces.removeFile(id, requirePath(path));
      if (print.json) print.document({ id, path, removed: true });
      else print.note(path === undefined ? `Removed ${id}.` : `Removed ${printable(path)} from ${id}.`);
    },
  }),
];

/** `2 files, 1 link`: files always, the others if there are any. */
function entryCounts(entries: readonly ArchiveEntry[]): string {
  const links = entries.filter((entry) => 'link' in entry).length;
  const folders = entries.filter((entry) => 'folder' in entry).length;
  const counts = [plural(entries.length - links - folders, 'file')];
  if (links > 0) counts.push(plural(links, 'link'));
  if (folders > 0) counts.push(plural(folders, 'empty folder'));
  return counts.join(', ');
}

async function workspacesOf(context: CommandContext): Promise<AmbitClient['workspaces']> {
  return (await context.client(await context.loadConfig(context.flags))).workspaces;
}

function summaryRow({ id, label, usedBytes, quotaBytes, fileCount, expiresAt }: WorkspaceSummary): string[] {
  return [
    id,
    printable(label ?? ''),
    plural(fileCount, 'file'),
    `${usedBytes} of ${quotaBytes} bytes`,
    `expires ${expiresAt}`,
  ];
}

/** An invalid path could form another URL. */
function requirePath(path: string): string {
  if (isWorkspacePath(path)) return path;
  throw new UsageError(
    `${JSON.stringify(path)} is not a valid workspace path; write a relative path such as data/in.csv`,
  );
}

function bytes(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError('Write a positive whole number of bytes.');
}

function seconds(text: string): number {
  const span = readSpan(text);
  if (span !== undefined) return Math.ceil(span / 1000);
  throw new UsageError('Write a duration such as 12h or 7d.');
}
