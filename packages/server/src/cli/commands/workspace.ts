import { basename, resolve } from 'node:path';
import type { WorkspaceOptions } from '@ambit/client';
import { contentsBounds, isWorkspacePath } from '@ambit/core/internal';
import { type Command, InvalidArgumentError } from 'commander';
import type { WorkspaceSummary } from '../../wire/answer/workspace.ts';
import { readSpan } from '../../wire/audit-time.ts';
import type { WorkspaceClient } from '../actions/workspace-client.ts';
import { CliError } from '../cli-error.ts';
import { readFileBytes } from '../read-input.ts';
import { printable } from '../text/printable.ts';
import { table } from '../text/table.ts';
import { saveFiles } from '../workspace-files.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit workspace create`, `list`, `put`, `get` and `remove`: folders that a daemon keeps across calls. */
export function addWorkspace(program: Command, context: CommandContext): void {
  const workspace = program
    .command('workspace')
    .summary('keep files across calls')
    .description(
      'Workspaces are kept by a daemon, each for the key that made it, until nobody has used it for its time. A skill that may write its workspace runs in one with ambit run --workspace ID.',
    )
    .addHelpText('after', examples(['ambit workspace list', 'those there are']));
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
    .summary('make a workspace, and print its id')
    .description('Makes an empty workspace and prints its id.')
    .option('--quota <bytes>', 'for all its files together (default: as the daemon has it)', bytes)
    .option('--expires <span>', 'gone so long after its last use: 12h, 7d', seconds)
    .option('--label <text>', 'what to call it in lists')
    .addHelpText(
      'after',
      examples(['ambit workspace create --label notes --expires 7d', 'for a week at a time']),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<CreateFlags>(context, command);
      const { quota: quotaBytes, expires: expiresInSeconds, label } = flags;
      const wishes: WorkspaceOptions = {
        ...(quotaBytes === undefined ? {} : { quotaBytes }),
        ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
        ...(label === undefined ? {} : { label }),
      };
      const made = await (await clientOf(context, command)).create(wishes);
      if (print.json) print.document(made);
      else print.lines(printable(made.id));
    });
}

function addList(workspace: Command, context: CommandContext): void {
  workspace
    .command('list')
    .summary('show workspaces, or the files of one')
    .description('Shows the workspaces of the key, or the files of one of them.')
    .argument('[id]', 'whose files')
    .addHelpText(
      'after',
      examples(
        ['ambit workspace list', 'the workspaces of the key'],
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
            shown.files.map(({ path, bytes, modified }) => [printable(path), `${bytes} bytes`, modified]),
            print.width,
          ),
        );
    });
}

function addPut(workspace: Command, context: CommandContext): void {
  workspace
    .command('put')
    .summary('put a file into a workspace')
    .description('Copies a file into a workspace, over the one that is there.')
    .argument('<id>', 'which workspace')
    .argument('<file>', 'the file to copy')
    .argument('[path]', 'where it goes (default: its own name)')
    .addHelpText(
      'after',
      examples([
        'ambit workspace put 01a2014c-9051-72ec-ba2b-655881a38ec2 report.csv in/report.csv',
        'under another path',
      ]),
    )
    .action(async (id: string, file: string, path: string | undefined, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      const content = await readFileBytes(
        context.terminal.cwd(),
        file,
        contentsBounds.quotaBytes,
        'no workspace holds as much',
      );
      const place = path ?? basename(file);
      const put = await (await clientOf(context, command)).put(id, requirePath(place), content);
      if (print.json) print.document(put);
      else print.note(`${printable(put.path)} is in ${id}, ${put.bytes} bytes.`);
    });
}

function addGet(workspace: Command, context: CommandContext): void {
  workspace
    .command('get')
    .summary('save a file of a workspace, or all of them')
    .description('Writes files of a workspace below a folder, each at its path, over what is there.')
    .argument('<id>', 'which workspace')
    .argument('[path]', 'which file (default: all)')
    .addHelpText(
      'after',
      examples(['ambit workspace get 01a2014c-9051-72ec-ba2b-655881a38ec2 --save out', 'all of it']),
    )
    .requiredOption('--save <folder>', 'where to')
    .action(async (id: string, path: string | undefined, _options, command: Command) => {
      const { flags, print } = flagsOf<{ save: string }>(context, command);
      const client = await clientOf(context, command);
      const paths =
        path === undefined ? (await client.show(id)).files.map((file) => file.path) : [requirePath(path)];
      const folder = resolve(context.terminal.cwd(), flags.save);
      for (const each of paths) {
        const content = await client.get(id, each);
        await saveFiles(folder, [{ path: each, change: 'created', bytes: content.length, content }]);
      }
      if (print.json) print.document({ id, files: paths });
      else print.note(`${paths.length} ${paths.length === 1 ? 'file is' : 'files are'} in ${folder}.`);
    });
}

function addRemove(workspace: Command, context: CommandContext): void {
  workspace
    .command('remove')
    .summary('remove a workspace, or a file of it')
    .description('Removes a workspace with all that is in it, or one file. It waits for the calls in it.')
    .argument('<id>', 'which workspace')
    .argument('[path]', 'only this file')
    .addHelpText(
      'after',
      examples(['ambit workspace remove 01a2014c-9051-72ec-ba2b-655881a38ec2', 'with all its files']),
    )
    .action(async (id: string, path: string | undefined, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      const client = await clientOf(context, command);
      await client.remove(id, path === undefined ? undefined : requirePath(path));
      if (print.json) print.document({ id, ...(path === undefined ? {} : { path }), removed: true });
      else print.note(path === undefined ? `${id} is gone.` : `${printable(path)} is gone from ${id}.`);
    });
}

async function clientOf(context: CommandContext, command: Command): Promise<WorkspaceClient> {
  const { flags } = flagsOf(context, command);
  return context.actions.connectWorkspaces(await context.actions.loadConfig(flags));
}

function summaryRow({ id, label, usedBytes, quotaBytes, fileCount, expiresAt }: WorkspaceSummary): string[] {
  const files = `${fileCount} ${fileCount === 1 ? 'file' : 'files'}`;
  return [id, printable(label ?? ''), files, `${usedBytes} of ${quotaBytes} bytes`, `until ${expiresAt}`];
}

/** What is no path would be another address. */
function requirePath(path: string): string {
  if (isWorkspacePath(path)) return path;
  throw new CliError(
    'USAGE_INVALID',
    `${JSON.stringify(path)} is no place in a workspace; write a relative path`,
  );
}

function bytes(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write bytes, a whole number above 0.');
}

function seconds(text: string): number {
  const span = readSpan(text);
  if (span !== undefined) return Math.ceil(span / 1000);
  throw new InvalidArgumentError('Write for how long: 12h, 7d.');
}
