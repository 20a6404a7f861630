import { resolve } from 'node:path';
import { Narrowing, Scope } from '@ambit/api';
import { defined } from '@ambit/core/json';
import { UsageError } from '@ambit/core/outcome';
import { describeIssues, parseLargeYaml } from '@ambit/core/skill';
import { KeyRequest } from '@ambit/server/auth';
import type { ListedKey } from '@ambit/server/local';
import {
  type CommandContext,
  defineCommand,
  defineOptions,
  type FlagsOf,
} from '../command/define-command.ts';
import { readInput } from '../command/read-input.ts';
import { spanOrDate } from '../command/times.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';

const createOptions = defineOptions({
  scope: {
    value: 'scope',
    text: 'allow this use; repeatable',
    choices: Scope.options,
    parse: scope,
    repeatable: true,
  },
  skill: { value: 'id', text: 'allow only this skill; repeatable (default: all)', repeatable: true },
  expires: {
    value: 'time',
    text: 'expire after this time, or on this date: 12h, 30d, 2027-01-31 (default: never)',
    parse: spanOrDate,
  },
  rate: {
    value: 'number',
    text: 'allow this many requests a minute (default: unlimited)',
    parse: Number,
  },
  ceiling: {
    value: 'file',
    text: 'limit its calls to the capabilities and limits in this YAML or JSON file',
  },
});

/** `ambit key create`, `list` and `revoke`: API keys of the daemon. */
export const keyCommands = [
  defineCommand({
    name: 'key',
    summary: 'create, list and revoke API keys',
    description:
      'Create, list and revoke API keys. The data directory stores their digests only. A running daemon applies changes at its next request. Keys cannot be created over the network.',
    examples: { 'ambit key list': 'all keys and what they allow' },
  }),
  defineCommand({
    name: 'key create',
    summary: 'create a key and print it once',
    description: 'Create a key and print it. It is not stored: if you lose it, create another one.',
    args: { name: { text: 'the name of the key, shown in the audit log' } },
    options: createOptions,
    examples: {
      'ambit key create bot --scope skills:execute --skill csv-profile --rate 60': 'to run one skill',
      'ambit key create auditor --scope audit:read --expires 30d': 'to read the log for 30 days',
    },
    async run(context, flags, { name }) {
      const { print } = context;
      const config = await context.loadConfig(flags);
      const ceiling =
        flags.ceiling === undefined
          ? undefined
          : await readCeiling(context, flags.ceiling, config.bodyLimitBytes);
      const request = keyRequest(name, flags, ceiling);
      const { createKey } = await import('@ambit/server/local');
      const made = await createKey(config, context.terminal.env, request);
      if (print.json) print.document(made);
      else {
        print.lines(made.key);
        print.note(
          `Created the key ${name}. Copy it now: it is not shown again. Rights: ${printable(rightsText(made))}.`,
          'Send it in the header "Authorization: Bearer KEY".',
        );
      }
    },
  }),
  defineCommand({
    name: 'key list',
    summary: 'list keys',
    description:
      'List all keys with their rights, including expired and revoked ones. The keys themselves are not shown.',
    examples: { 'ambit key list --json': 'as JSON' },
    async run({ loadConfig, terminal, print }, flags) {
      const { listKeys } = await import('@ambit/server/local');
      const keys = await listKeys(await loadConfig(flags), terminal.env);
      if (print.json) print.document({ keys });
      else
        print.lines(
          ...table(
            keys.map((each) => [each.name, each.status, rightsText(each)]),
            print.width,
          ),
        );
    },
  }),
  defineCommand({
    name: 'key revoke',
    summary: 'revoke a key',
    description:
      'Revoke a key. Its next request is refused, and its running calls are canceled within two seconds.',
    args: { name: { text: 'the name of the key', completes: 'key' } },
    examples: { 'ambit key revoke bot': 'immediately, also in a running daemon' },
    async run({ loadConfig, terminal, print }, flags, { name }) {
      const { revokeKey } = await import('@ambit/server/local');
      const revoked = await revokeKey(await loadConfig(flags), terminal.env, name);
      if (print.json) print.document(revoked);
      else print.lines(`The key ${name} was revoked at ${revoked.revokedAt}.`);
    },
  }),
];

function scope(text: string): Scope {
  const known = Scope.safeParse(text);
  if (known.success) return known.data;
  throw new UsageError(`Allowed scopes: ${Scope.options.join(', ')}.`);
}

function keyRequest(
  name: string,
  flags: FlagsOf<typeof createOptions>,
  ceiling: Narrowing | undefined,
): KeyRequest {
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
