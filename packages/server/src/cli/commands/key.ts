import { resolve } from 'node:path';
import { Narrowing, Scope } from '@ambit/api';
import { defined } from '@ambit/core/json';
import { UsageError } from '@ambit/core/outcome';
import { describeIssues, parseLargeYaml } from '@ambit/core/skill';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { KeyRequest } from '../../auth/key-record.ts';
import { type CommandContext, collect, examples, flagsOf } from '../command/command-context.ts';
import { spanOrDate } from '../command/future-time.ts';
import { readInput } from '../command/read-input.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';
import type { ListedKey } from '../ports/key-actions.ts';

/** `ambit key create`, `list` and `revoke`: API keys of the daemon. */
export function addKey(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .summary('create, list and revoke API keys')
    .description(
      'Create, list and revoke API keys. The data directory stores their digests only. A running daemon applies changes at its next request. Keys cannot be created over the network.',
    )
    .addHelpText('after', examples(['ambit key list', 'all keys and what they allow']));
  addCreate(key, context);
  addList(key, context);
  addRevoke(key, context);
}

interface CreateFlags {
  scope?: Scope[];
  skill?: string[];
  expires?: number;
  rate?: number;
  ceiling?: string;
}

function addCreate(key: Command, context: CommandContext): void {
  key
    .command('create')
    .summary('create a key and print it once')
    .description('Create a key and print it. It is not stored: if you lose it, create another one.')
    .argument('<name>', 'the name of the key, shown in the audit log')
    .addOption(
      new Option('--scope <scope>', 'allow this use; repeatable').choices(Scope.options).argParser(scope),
    )
    .option('--skill <id>', 'allow only this skill; repeatable (default: all)', collect)
    .option(
      '--expires <time>',
      'expire after this time, or on this date: 12h, 30d, 2027-01-31 (default: never)',
      spanOrDate,
    )
    .option('--rate <number>', 'allow this many requests a minute (default: unlimited)', Number)
    .option('--ceiling <file>', 'limit its calls to the capabilities and limits in this YAML or JSON file')
    .addHelpText(
      'after',
      examples(
        ['ambit key create bot --scope skills:execute --skill csv-profile --rate 60', 'to run one skill'],
        ['ambit key create auditor --scope audit:read --expires 30d', 'to read the log for 30 days'],
      ),
    )
    .action(async (name: string, _options, command: Command) => {
      const { flags, print } = flagsOf<CreateFlags>(context, command);
      const config = await context.actions.loadConfig(flags);
      const ceiling =
        flags.ceiling === undefined
          ? undefined
          : await readCeiling(context, flags.ceiling, config.bodyLimitBytes);
      const request = keyRequest(name, flags, ceiling);
      const made = await context.actions.keys.create(config, request);
      if (print.json) print.document(made);
      else {
        print.lines(made.key);
        print.note(
          `Created the key ${name}. Copy it now: it is not shown again. Rights: ${printable(rightsText(made))}.`,
          'Send it in the header "Authorization: Bearer KEY".',
        );
      }
    });
}

function addList(key: Command, context: CommandContext): void {
  key
    .command('list')
    .summary('list keys')
    .description(
      'List all keys with their rights, including expired and revoked ones. The keys themselves are not shown.',
    )
    .addHelpText('after', examples(['ambit key list --json', 'as JSON']))
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
    .summary('revoke a key')
    .description(
      'Revoke a key. Its next request is refused, and its running calls are canceled within two seconds.',
    )
    .argument('<name>', 'the name of the key')
    .addHelpText('after', examples(['ambit key revoke bot', 'immediately, also in a running daemon']))
    .action(async (name: string, _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const revoked = await context.actions.keys.revoke(await context.actions.loadConfig(flags), name);
      if (print.json) print.document(revoked);
      else print.lines(`The key ${name} was revoked at ${revoked.revokedAt}.`);
    });
}

function scope(text: string, scopes: Scope[] = []): Scope[] {
  const known = Scope.safeParse(text);
  if (known.success) return [...scopes, known.data];
  throw new InvalidArgumentError(`Allowed scopes: ${Scope.options.join(', ')}.`);
}

function keyRequest(name: string, flags: CreateFlags, ceiling: Narrowing | undefined): KeyRequest {
  const { scope: scopes = [], skill: skills, expires, rate } = flags;
  if (scopes.length === 0)
    throw new UsageError(
      `a key needs at least one scope: add --scope with one of ${Scope.options.join(', ')}`,
    );
  const request = defined<KeyRequest>({
    name,
    scopes: [...new Set(scopes)],
    skills: skills && [...new Set(skills)],
    expiresAt: expires === undefined ? undefined : new Date(expires).toISOString(),
    ratePerMinute: rate,
    ceiling,
  });
  const parsed = KeyRequest.safeParse(request);
  if (parsed.success) return parsed.data;
  throw new UsageError(describeIssues(parsed.error, KeyRequest, request).join('; '));
}

async function readCeiling({ terminal }: CommandContext, file: string, bytesMax: number): Promise<Narrowing> {
  const text = await readInput(terminal, file, bytesMax);
  let value: unknown;
  try {
    value = parseLargeYaml(text);
  } catch (cause) {
    throw new UsageError(`${file} is neither YAML nor JSON: ${(cause as Error).message}`, { cause });
  }
  const parsed = Narrowing.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(
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
    scopes.join(', '),
    ...(skills === undefined ? [] : [`skills ${skills.join(', ')}`]),
    ...(ceiling === undefined ? [] : ['with a ceiling']),
    ...(ratePerMinute === undefined ? [] : [`${ratePerMinute} requests a minute`]),
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
    ...(revokedAt === undefined ? [] : [`revoked ${revokedAt}`]),
  ].join('; ');
}
