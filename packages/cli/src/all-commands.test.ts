import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { commandsOf } from './all-commands.ts';
import { type Command, globalOptions, longOf, nameOf } from './command/define-command.ts';
import { completesOf } from './command/value-spec.ts';
import { readTypedLine } from './completion/shell-line.ts';
import { parseLine } from './testing/parse-line.ts';
import { runAmbit } from './testing/run-ambit.ts';

const every = await commandsOf([]);
const commands = every.filter(({ hidden }) => !hidden);

const idleCommands = every.map((command): Command => ({ ...command, run: () => undefined }));

test.each(commands)('ambit $name has a summary and a description', ({ summary, description }) => {
  expect(description).toMatch(/^[A-Z].*\.$/);
  expect(summary).toMatch(/^[a-z].*[^.]$/);
});

describe.each(['', ...commands.map(({ name }) => name)])('ambit %s', (name) => {
  test('has examples that parse, and the global options in its help', async () => {
    const { stdout } = await runAmbit([...name.split(' ').filter(Boolean), '--help']);
    expect(stdout).toMatch(/--config <file>.*--data-dir <dir>.*--json/s);
    const lines = examplesIn(stdout);
    expect(lines).not.toEqual([]);
    // The parser handles help.
    for (const line of lines.filter((each) => !each.endsWith('--help')))
      await expect(parseLine(idleCommands, wordsOf(line)), line).resolves.toBeDefined();
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
  const program: Pick<Command, 'name' | 'options' | 'args'> = { name: '', options: globalOptions };
  const found = [program, ...commands].flatMap(({ name, options = {}, args = {} }) => [
    ...Object.entries(options).flatMap(([key, spec]) =>
      spec.value === undefined ? [] : [[name, longOf(key, spec), completesOf(spec, spec.value)]],
    ),
    ...Object.entries(args).map(([key, spec]) => [name, `<${nameOf(key)}>`, completesOf(spec, nameOf(key))]),
  ]);
  const free = found.filter(([, , completes]) => completes === 'nothing');
  expect(free.map(([name, value]) => `${name} ${value}`.trim())).toMatchInlineSnapshot(`
    [
      "--url",
      "serve --host",
      "serve --port",
      "run --command",
      "run --timeout",
      "run --memory",
      "workspace create --quota",
      "workspace create --expires",
      "workspace create --label",
      "skills add --namespace",
      "skills add --skill",
      "skills deps --add",
      "skills approve --until",
      "skills approve --review",
      "skills revoke --reason",
      "skills new --description",
      "skills new <name>",
      "skills propose --since",
      "skills propose --review",
      "skills propose --command",
      "skills propose --timeout",
      "skills propose --memory",
      "skills propose <args>",
      "grant --network",
      "grant --exec",
      "grant --env",
      "grant --secret",
      "grant --limit",
      "grant --review",
      "prompt --tag",
      "prompt --campaign",
      "prompt --section",
      "prompt --budget",
      "prompt --iteration",
      "prompt --var",
      "prompt --max-tokens",
      "prompt --model",
      "import --namespace",
      "audit --actor",
      "audit --denied",
      "audit --since",
      "audit --until",
      "audit --text",
      "audit --node",
      "audit --limit",
      "audit stats --bucket",
      "key create --expires",
      "key create --rate",
      "key create <name>",
      "console confirm <decision>",
      "cluster init --name",
      "cluster invite --expires",
      "cluster invite <name>",
      "cluster drain <name>",
      "cluster retire <name>",
      "trust --review",
    ]
  `);
});

test('docs/cli.md names every command and option', async () => {
  const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const missing = commands.flatMap(({ name, options = {} }) =>
    [`ambit ${name}`, ...Object.entries(options).map(([key, spec]) => longOf(key, spec))]
      .filter((each) => !page.includes(each))
      .map((each) => `${name}: ${each}`),
  );
  expect(missing).toEqual([]);
});
