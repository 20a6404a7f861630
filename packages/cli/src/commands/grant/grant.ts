import { userPlaces } from '@ambit/client/node';
import { UsageError } from '@ambit/core/outcome';
import type { GrantChange } from '@ambit/server/local';
import { unifiedDiff } from '@ambit/server/propose';
import {
  defineCommand,
  defineOptions,
  type FlagsOf,
  type GlobalFlags,
} from '../../command/define-command.ts';
import { withSearchedPlaces } from '../../command/searched-places.ts';
import { printable, printableLine } from '../../output/printable.ts';
import { appliedLines } from './applied-lines.ts';
import { isPerson } from './is-person.ts';

const options = defineOptions({
  read: {
    value: 'path',
    text: 'let it read this file or folder; repeatable',
    repeatable: true,
    completes: 'files',
  },
  write: {
    value: 'path',
    text: 'let it change this file or folder; repeatable',
    repeatable: true,
    completes: 'files',
  },
  network: {
    value: 'host',
    text: 'let it call this host; repeatable',
    details: 'A [rule](network.md) in YAML can name more: `{ host: a.example, methods: [GET] }`',
    repeatable: true,
  },
  exec: { value: 'program', text: 'let it start this program; repeatable', repeatable: true },
  env: { value: 'name', text: 'pass this environment variable to it; repeatable', repeatable: true },
  secret: {
    value: 'name@host',
    text: 'add this secret to its requests to the host; repeatable',
    repeatable: true,
  },
  limit: {
    value: 'name=value',
    text: 'give it this limit, such as memoryBytes=1GiB; repeatable',
    details: 'The configuration has the [names of limits](configuration.md#limits-of-a-call)',
    repeatable: true,
  },
  remove: { text: 'remove these items, or without items the whole grant' },
  dryRun: { text: 'show the change and its name, and change nothing' },
  review: {
    value: 'name',
    text: 'make exactly the change that --dry-run showed under this name; without a terminal',
  },
});
type GrantFlags = FlagsOf<typeof options>;

/** `ambit grant`: changes the grant of one skill in the configuration. */
export const grantCommand = defineCommand({
  name: 'grant',
  summary: 'grant a skill access beyond its sandbox',
  description:
    'Add items to the grant of a skill in the configuration, or remove them. The command shows the change, writes it, trusts exactly what it wrote, and reloads a running daemon. Comments and order stay. A configuration that you do not trust is refused. Without a terminal, the command needs the name of the change: run it with --dry-run first, and read what that prints.',
  args: { skill: { text: 'the id of the skill' } },
  options,
  examples: {
    'ambit grant git-summary --read ~/shop': 'let it read a folder',
    'ambit grant web-fetch --network docs.example.com --limit timeoutMs=2m': 'a host, and more time',
    'ambit grant git-summary --remove --read ~/shop': 'remove one item',
    'ambit grant web-fetch --remove': 'remove the whole grant',
  },
  async run(context, flags, { skill: id }) {
    const { dryRun = false, remove = false, review } = flags;
    if (dryRun && review !== undefined)
      throw new UsageError('--dry-run changes nothing: omit it, or omit --review');
    const config = await context.loadConfig(flags);
    const { terminal, print } = context;
    const { changeGrant } = await import('@ambit/server/local');
    const { home } = userPlaces(terminal.env);
    const sources = { config, environment: terminal.env, home, cwd: terminal.cwd() };
    const isDecided = (change: GrantChange): boolean => {
      if (!print.json) print.lines(...diffLines(change));
      print.note(...change.notes.map((note) => printableLine(`warning: ${note}`)));
      if (dryRun) return false;
      return review === undefined ? isPerson(context) : review === change.review;
    };
    const { change, applied } = await changeGrant(
      sources,
      id,
      { items: typedItems(flags), remove },
      isDecided,
    ).catch(async (error) => {
      throw await withSearchedPlaces(error, context, config, id);
    });
    const isUnchanged = change.before === change.after;
    if (!isUnchanged && applied === null && !dryRun) context.exitCode = 3;
    if (print.json) print.document(documentOf(change, applied));
    else if (isUnchanged) print.lines(`No changes: ${printableLine(change.path)} grants this already.`);
    else if (applied !== null) print.lines(...(await appliedLines(context, flags, [change], applied)));
    else print.note(...unchangedLines(change, flags));
  },
});

function typedItems({ read, write, network, exec, env, secret, limit }: GrantFlags) {
  return {
    read: read ?? [],
    write: write ?? [],
    network: network ?? [],
    exec: exec ?? [],
    env: env ?? [],
    secrets: secret ?? [],
    limits: limit ?? [],
  };
}

function diffLines({ path, before, after }: GrantChange): string[] {
  return printable(unifiedDiff({ name: path, before, after }))
    .trimEnd()
    .split('\n');
}

function documentOf(
  { skill, path, before, after, review, notes }: GrantChange,
  applied: Parameters<typeof appliedLines>[3] | null,
): object {
  const diff = before === after ? '' : unifiedDiff({ name: path, before, after });
  return { skill, file: path, diff, review, notes, changed: applied !== null, ...applied };
}

/** Says why nothing was changed. The name of the change is printed only where it was asked for. */
function unchangedLines(
  { review }: GrantChange,
  { dryRun, review: named }: GrantFlags & GlobalFlags,
): string[] {
  if (dryRun) return [`Nothing was changed. The name of this change: ${review}`];
  return [
    named === undefined
      ? 'Nothing was changed: a person decides, in a terminal. Here is no terminal.'
      : `Nothing was changed: the above is not what ${printableLine(named)} names. A person decides, after reading it.`,
  ];
}
