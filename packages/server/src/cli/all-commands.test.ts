import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { idleActions, runAmbit } from '../testing/run-ambit.ts';
import { ambitCommand } from './ambit-command.ts';
import { readTypedLine } from './completion/shell-line.ts';
import { pathOf, valueOfArgument, valueOfOption } from './completion/wanted-value.ts';

const commands = everyCommand(program());

/** All commands, with actions that do nothing. */
function program(): Command {
  const stdio = { write: () => true, on: () => undefined };
  const terminal = Object.assign(new EventEmitter(), {
    stdin: Object.assign([], {}) as never,
    stdout: stdio,
    stderr: stdio,
    env: {},
    cwd: () => '/work',
  });
  const readerGone = new AbortController().signal;
  return ambitCommand({ actions: idleActions, terminal: terminal as never, readerGone, exitCode: 0 });
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.createHelp().visibleCommands(command).flatMap(everyCommand)].filter(
    (each) => each.name() !== 'help',
  );
}

describe.each(commands.map((command) => pathOf(command)))('ambit %s', (path) => {
  test('has a summary and a description', () => {
    const command = commands.find((each) => pathOf(each) === path);
    expect(command?.description()).toMatch(/^[A-Z].*\.$/);
    if (path !== '') expect(command?.summary()).toMatch(/^[a-z].*[^.]$/);
  });

  test('has examples that parse, and the global options in its help', async () => {
    const { stdout } = await runAmbit([...path.split(' ').filter(Boolean), '--help']);
    expect(stdout).toMatch(/--config <file>.*--data-dir <dir>.*--json/s);
    const lines = examplesIn(stdout);
    expect(lines).not.toEqual([]);
    // Commander handles help.
    for (const line of lines.filter((each) => !each.endsWith('--help'))) {
      const fresh = program();
      for (const each of everyCommand(fresh)) each.action(() => undefined);
      await expect(fresh.parseAsync(wordsOf(line), { from: 'user' }), line).resolves.toBeDefined();
    }
  });
});

function examplesIn(help: string): string[] {
  const [, block = ''] = /\nExamples:\n((?: {2}.+\n?)+)/.exec(help) ?? [];
  return block
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(/ {2,}/)[0] ?? '');
}

/** The arguments of `ambit` in a shell line, without pipes and other commands. */
function wordsOf(line: string): readonly string[] {
  const [, words = ''] = /(?:^|[\s(])ambit ([^|>)]*)/.exec(line.replace(/^.* -- ambit/, 'ambit')) ?? [];
  return readTypedLine(`${words} `, '')?.before ?? [];
}

test('every option and argument has completions, except free text', () => {
  const found = commands.flatMap((command) => {
    const options = command.options
      .filter(({ required, optional, hidden }) => (required || optional) && !hidden)
      .map((option) => [option.long, valueOfOption(option)] as const);
    const args = command.registeredArguments.map(
      (argument) => [`<${argument.name()}>`, valueOfArgument(command, argument)] as const,
    );
    return [...options, ...args].map(([name, value]) =>
      `${pathOf(command)} ${name}: ${typeof value === 'string' ? value : Object.keys(value)[0] === 'stored' ? Object.values(value)[0] : 'choices'}`.trim(),
    );
  });
  expect(found.filter((line) => line.endsWith(': nothing'))).toMatchInlineSnapshot(`
    [
      "--url: nothing",
      "serve --host: nothing",
      "serve --port: nothing",
      "run --command: nothing",
      "run --timeout: nothing",
      "run --memory: nothing",
      "workspace create --quota: nothing",
      "workspace create --expires: nothing",
      "workspace create --label: nothing",
      "skills add --namespace: nothing",
      "skills add --skill: nothing",
      "skills deps --add: nothing",
      "skills approve --until: nothing",
      "skills approve --review: nothing",
      "skills revoke --reason: nothing",
      "skills new --description: nothing",
      "skills new <name>: nothing",
      "skills propose --since: nothing",
      "skills propose --command: nothing",
      "skills propose --timeout: nothing",
      "skills propose --memory: nothing",
      "skills propose <args>: nothing",
      "prompt --tag: nothing",
      "prompt --campaign: nothing",
      "prompt --section: nothing",
      "prompt --budget: nothing",
      "prompt --iteration: nothing",
      "prompt --var: nothing",
      "prompt --max-tokens: nothing",
      "prompt --model: nothing",
      "import --namespace: nothing",
      "audit --actor: nothing",
      "audit --denied: nothing",
      "audit --since: nothing",
      "audit --until: nothing",
      "audit --text: nothing",
      "audit --node: nothing",
      "audit --limit: nothing",
      "audit stats --bucket: nothing",
      "key create --expires: nothing",
      "key create --rate: nothing",
      "key create <name>: nothing",
      "console confirm <decision>: nothing",
      "cluster init --name: nothing",
      "cluster invite --expires: nothing",
      "cluster invite <name>: nothing",
      "cluster drain <name>: nothing",
      "cluster retire <name>: nothing",
      "trust --review: nothing",
    ]
  `);
});

test('docs/cli.md names every command and option', async () => {
  const page = await readFile(new URL('../../../../docs/cli.md', import.meta.url), 'utf8');
  const missing = commands.flatMap((command) => [
    ...(page.includes(`ambit ${pathOf(command)}`.trim()) ? [] : [pathOf(command)]),
    ...command.options
      .filter(({ long, hidden }) => !hidden && !page.includes(long ?? ''))
      .map(({ long }) => `${pathOf(command)} ${long}`),
  ]);
  expect(missing).toEqual([]);
});
