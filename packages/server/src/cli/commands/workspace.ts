import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { readSpan, type WorkspaceSummary } from '@ambit/api';
import type { WorkspaceOptions } from '@ambit/client';
import { defined } from '@ambit/core/json';
import { UsageError } from '@ambit/core/outcome';
import { isWorkspacePath } from '@ambit/core/workspace';
import { type Command, InvalidArgumentError } from 'commander';
import { type ArchiveEntry, tarOf } from '../../wire/tar.ts';
import { type CommandContext, examples, flagsOf } from '../command/command-context.ts';
import { openFile } from '../command/read-input.ts';
import {
  noteLinks,
  noteReplaced,
  type SavedFile,
  type SaveOptions,
  saveFiles,
} from '../command/workspace-files.ts';
import { plural } from '../output/plural.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';
import type { WorkspaceClient } from '../ports/actions.ts';
import { folderEntries } from './run/file-arguments.ts';

/** `ambit workspace create`, `list`, `put`, `get` and `remove`: folders that a daemon preserves across calls. */
export function addWorkspace(program: Command, context: CommandContext): void {
  const workspace = program
    .command('workspace')
    .summary('manage workspaces, which preserve files across calls')
    .description(
      'Create, list, fill, read and remove workspaces. A workspace is a folder in the daemon that preserves files across calls. It belongs to the key that created it and expires when it has not been used for a while. Skills that may write their workspace run in one with: ambit run --workspace ID.',
    )
    .addHelpText('after', examples(['ambit workspace list', 'your workspaces']));
  addCreate(workspace, context);
  addList(workspace, context);
  addPut(workspace, context);
  addGet(workspace, context);
  addRemove(workspace, context);
}

interface CreateFlags {
  quota?: number;
  expires?: number;
  label?: string;
}

function addCreate(workspace: Command, context: CommandContext): void {
  workspace
    .command('create')
    .summary('create a workspace')
    .description('Create an empty workspace and print its id.')
    .option('--quota <bytes>', "limit the total size of its files (default: the daemon's)", bytes)
    .option(
      '--expires <span>',
      "expire this long after the last use: 12h, 7d (default: the daemon's)",
      seconds,
    )
    .option('--label <text>', 'show this label in lists')
    .addHelpText(
      'after',
      examples(['ambit workspace create --label notes --expires 7d', 'expires after a week without use']),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<CreateFlags>(context, command);
      const { quota: quotaBytes, expires: expiresInSeconds, label } = flags;
      const options = defined<WorkspaceOptions>({ quotaBytes, expiresInSeconds, label });
      const made = await (await clientOf(context, command)).create(options);
      if (print.json) print.document(made);
      else print.lines(printable(made.id));
    });
}

function addList(workspace: Command, context: CommandContext): void {
  workspace
    .command('list')
    .summary('list workspaces, or the files of one')
    .description('List the workspaces of the key, or the files of one workspace.')
    .argument('[id]', 'list the files of this workspace')
    .addHelpText(
      'after',
      examples(
        ['ambit workspace list', 'your workspaces'],
        ['ambit workspace list 01a2014c-9051-72ec-ba2b-655881a38ec2', 'the files of one'],
      ),
    )
    .action(async (id: string | undefined, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      const client = await clientOf(context, command);
      if (id === undefined) {
        const workspaces = await client.list();
        if (print.json) print.document({ workspaces });
        else print.lines(...table(workspaces.map(summaryRow), print.width));
        return;
      }
      const shown = await client.show(id);
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
    });
}

function addPut(workspace: Command, context: CommandContext): void {
  workspace
    .command('put')
    .summary('copy a file or a folder into a workspace')
    .description(
      'Copy a file, or a folder with everything below it, into a workspace in one step. Existing files are replaced, and others stay.',
    )
    .argument('<id>', 'the id of the workspace')
    .argument('<file>', 'the file or folder to copy')
    .argument('[path]', 'its path in the workspace (default: its own name); . copies a folder to the top')
    .addHelpText(
      'after',
      examples([
        'ambit workspace put 01a2014c-9051-72ec-ba2b-655881a38ec2 report.csv in/report.csv',
        'under another path',
      ]),
    )
    .action(async (id: string, file: string, path: string | undefined, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      const cwd = context.terminal.cwd();
      if ((await stat(resolve(cwd, file)).catch(() => undefined))?.isDirectory()) {
        const entries = await folderEntries(cwd, file, path ?? basename(resolve(cwd, file)));
        const summary = await (await clientOf(context, command)).putAll(id, tarOf(entries));
        if (print.json) print.document(summary);
        else print.note(`Copied ${entryCounts(entries)} into ${id}, which has ${summary.usedBytes} bytes.`);
        return;
      }
      const content = await openFile(cwd, file);
      const place = path ?? basename(file);
      const put = await (await clientOf(context, command)).put(id, requirePath(place), content);
      if (print.json) print.document(put);
      else print.note(`Copied ${printable(put.path)} into ${id}, ${put.bytes} bytes.`);
    });
}

/** `2 files, 1 link`: files always, the others if there are any. */
function entryCounts(entries: readonly ArchiveEntry[]): string {
  const links = entries.filter((entry) => 'link' in entry).length;
  const folders = entries.filter((entry) => 'folder' in entry).length;
  const counts = [plural(entries.length - links - folders, 'file')];
  if (links > 0) counts.push(plural(links, 'link'));
  if (folders > 0) counts.push(plural(folders, 'empty folder'));
  return counts.join(', ');
}

function addGet(workspace: Command, context: CommandContext): void {
  workspace
    .command('get')
    .summary('save files of a workspace')
    .description(
      'Save all files of a workspace below a folder, or one of them: all or none. Existing and hidden files need --overwrite and --hidden.',
    )
    .argument('<id>', 'the id of the workspace')
    .argument('[path]', 'save only this file (default: all)')
    .addHelpText(
      'after',
      examples(['ambit workspace get 01a2014c-9051-72ec-ba2b-655881a38ec2 --save out', 'all files']),
    )
    .requiredOption('--save <folder>', 'save below this folder')
    .option('--overwrite', 'also replace existing files')
    .option('--hidden', 'also save hidden files; tools run commands from some of them')
    .action(async (id: string, path: string | undefined, _options, command: Command) => {
      const { flags, print } = flagsOf<SaveOptions & { save: string }>(context, command);
      const client = await clientOf(context, command);
      if (path !== undefined) requirePath(path);
      const shown = await client.show(id);
      const isWanted = (each: { path: string }): boolean => path === undefined || each.path === path;
      const wanted = path === undefined ? shown.files : [shown.files.find(isWanted) ?? { path }];
      const paths = wanted.map((each) => each.path);
      const folder = resolve(context.terminal.cwd(), flags.save);
      const files: SavedFile[] = wanted.map((each) => ({
        path: each.path,
        content: () => client.get(id, each.path, 'bytes' in each ? each.bytes : undefined),
        executable: 'executable' in each,
      }));
      if (path === undefined)
        files.push(...shown.folders.map((each) => ({ path: each, folder: true as const })));
      noteLinks(print, shown.links.filter(isWanted));
      await saveFiles(folder, files, { ...flags, onReplace: noteReplaced(print, folder) });
      if (print.json) print.document({ id, files: paths });
      else print.note(`Saved ${plural(paths.length, 'file')} in ${folder}.`);
    });
}

function addRemove(workspace: Command, context: CommandContext): void {
  workspace
    .command('remove')
    .summary('remove a workspace, or one of its files')
    .description(
      'Remove a workspace with all its files, or only one file. Waits for running calls in the workspace.',
    )
    .argument('<id>', 'the id of the workspace')
    .argument('[path]', 'remove only this file')
    .addHelpText(
      'after',
      examples(['ambit workspace remove 01a2014c-9051-72ec-ba2b-655881a38ec2', 'with all its files']),
    )
    .action(async (id: string, path: string | undefined, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      const client = await clientOf(context, command);
      await client.remove(id, path === undefined ? undefined : requirePath(path));
      if (print.json) print.document({ id, path, removed: true });
      else print.note(path === undefined ? `Removed ${id}.` : `Removed ${printable(path)} from ${id}.`);
    });
}

async function clientOf(context: CommandContext, command: Command): Promise<WorkspaceClient> {
  const { flags } = flagsOf(context, command);
  return context.actions.connectWorkspaces(await context.actions.loadConfig(flags));
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
  throw new InvalidArgumentError('Write a positive whole number of bytes.');
}

function seconds(text: string): number {
  const span = readSpan(text);
  if (span !== undefined) return Math.ceil(span / 1000);
  throw new InvalidArgumentError('Write a duration such as 12h or 7d.');
}
