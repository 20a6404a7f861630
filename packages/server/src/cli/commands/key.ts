import { resolve } from 'node:path';
import { describeIssues } from '@ambit/core/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parse as parseYaml } from 'yaml';
import { KeyRequest } from '../../auth/key-record.ts';
import { Scope } from '../../auth/scope.ts';
import { readSpan, readTime } from '../../wire/audit-time.ts';
import { Narrowing } from '../../wire/narrowing.ts';
import type { ListedKey } from '../actions/key-actions.ts';
import { CliError } from '../cli-error.ts';
import { readInput } from '../read-input.ts';
import { printable } from '../text/printable.ts';
import { table } from '../text/table.ts';
import { type CommandContext, collect, examples, flagsOf } from './command-context.ts';

/** `ambit key create`, `list` and `revoke`: who may call the daemon, and what for. */
export function addKey(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .summary('make, list and revoke keys')
    .description(
      'Keys are kept in the data directory, as digests. A daemon that runs knows each change at its next request; nothing that it answers can make a key.',
    )
    .addHelpText('after', examples(['ambit key list', 'who may call, and what for']));
  addCreate(key, context);
  addList(key, context);
  addRevoke(key, context);
}

interface CreateFlags {
  scope?: string[];
  skill?: string[];
  expires?: number;
  rate?: number;
  ceiling?: string;
}

function addCreate(key: Command, context: CommandContext): void {
  key
    .command('create')
    .summary('make a key, and print it once')
    .description('Makes a key and prints it. It is not kept: whoever loses it has another made.')
    .argument('<name>', 'how the log calls whoever uses it')
    .addOption(
      new Option('--scope <scope>', 'what it is for; may be given again')
        .choices(Scope.options)
        .argParser(scope),
    )
    .option('--skill <id>', 'the only skill there is for it; may be given again (default: all)', collect)
    .option(
      '--expires <time>',
      'good for so long, or until then: 12h, 30d, 2027-01-31 (default: for ever)',
      future,
    )
    .option('--rate <number>', 'so many requests a minute at most (default: no bound)', Number)
    .option('--ceiling <file>', 'YAML or JSON: the capabilities and limits that its calls have at most')
    .addHelpText(
      'after',
      examples(
        ['ambit key create bot --scope skills:execute --skill csv-profile --rate 60', 'for one skill'],
        ['ambit key create auditor --scope audit:read --expires 30d', 'for the log, for a month'],
      ),
    )
    .action(async (name: string, _options, command: Command) => {
      const { flags, print } = flagsOf<CreateFlags>(context, command);
      const config = await context.actions.loadConfig(flags);
      const ceiling =
        flags.ceiling === undefined
          ? undefined
          : await readCeiling(context, flags.ceiling, config.bodyLimitBytes);
      const wish = wishOf(name, flags, ceiling);
      const made = await context.actions.keys.create(config, wish);
      if (print.json) print.document(made);
      else {
        print.lines(made.key);
        print.note(
          `The key ${name} is above, and nowhere else. It ${printable(rightsText(made))}.`,
          'Send it as "Authorization: Bearer KEY".',
        );
      }
    });
}

function addList(key: Command, context: CommandContext): void {
  key
    .command('list')
    .summary('show the keys there are')
    .description('Shows every key by name with what it may do, those that are over too; never a key itself.')
    .addHelpText('after', examples(['ambit key list --json', 'for a program']))
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const keys = await context.actions.keys.list(await context.actions.loadConfig(flags));
      if (print.json) print.document({ keys });
      else
        print.lines(
          ...table(
            keys.map((each) => [each.name, each.status, rightsText(each)]),
            print.width,
          ),
        );
    });
}

function addRevoke(key: Command, context: CommandContext): void {
  key
    .command('revoke')
    .summary('end a key')
    .description(
      'Ends a key: its next request is refused, and calls that it has begun are canceled within two seconds.',
    )
    .argument('<name>', 'as "ambit key list" shows it')
    .addHelpText('after', examples(['ambit key revoke bot', 'at once, also in a daemon that runs']))
    .action(async (name: string, _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const revoked = await context.actions.keys.revoke(await context.actions.loadConfig(flags), name);
      if (print.json) print.document(revoked);
      else print.lines(`The key ${name} is revoked since ${revoked.revokedAt}.`);
    });
}

function scope(text: string, scopes: string[] = []): string[] {
  const known = Scope.safeParse(text);
  if (known.success) return [...scopes, known.data];
  throw new InvalidArgumentError(`The scopes that there are: ${Scope.options.join(', ')}.`);
}

/** Here a span is of the time to come. */
function future(text: string): number {
  const span = readSpan(text);
  const time = span === undefined ? readTime(text, Date.now()) : Date.now() + span;
  if (time !== undefined) return time;
  throw new InvalidArgumentError('Write for how long (12h, 30d), or until when (2027-01-31).');
}

function wishOf(name: string, flags: CreateFlags, ceiling: Narrowing | undefined): KeyRequest {
  const { scope: scopes = [], skill: skills, expires, rate } = flags;
  const wish = {
    name,
    scopes: [...new Set(scopes)],
    ...(skills === undefined ? {} : { skills: [...new Set(skills)] }),
    ...(expires === undefined ? {} : { expiresAt: new Date(expires).toISOString() }),
    ...(rate === undefined ? {} : { ratePerMinute: rate }),
    ...(ceiling === undefined ? {} : { ceiling }),
  };
  const parsed = KeyRequest.safeParse(wish);
  if (parsed.success) return parsed.data;
  throw new CliError('USAGE_INVALID', describeIssues(parsed.error, KeyRequest, wish).join('; '));
}

async function readCeiling({ terminal }: CommandContext, file: string, bytesMax: number): Promise<Narrowing> {
  const text = await readInput(terminal, file, bytesMax);
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (cause) {
    throw new CliError('USAGE_INVALID', `${file} is neither YAML nor JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  const parsed = Narrowing.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CliError(
    'USAGE_INVALID',
    `${resolve(terminal.cwd(), file)}: ${describeIssues(parsed.error, Narrowing, value).join('; ')}`,
  );
}

function rightsText({
  scopes,
  skills,
  ceiling,
  ratePerMinute,
  expiresAt,
  revokedAt,
}: Omit<ListedKey, 'name' | 'status'>): string {
  return [
    `is for ${scopes.join(', ')}`,
    ...(skills === undefined ? [] : [`of ${skills.join(', ')}`]),
    ...(ceiling === undefined ? [] : ['within a ceiling']),
    ...(ratePerMinute === undefined ? [] : [`${ratePerMinute} a minute`]),
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
    ...(revokedAt === undefined ? [] : [`revoked ${revokedAt}`]),
  ].join('; ');
}
