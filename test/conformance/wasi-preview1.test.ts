// Threat model: T170, T172

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../packages/core/src/execute.ts';
import { wasmExecutor } from '../../packages/runtime/src/index.ts';
import { noState } from '../../packages/runtime/src/testing/no-state.ts';
import { type SandboxedExecutor, sandboxed } from '../contract/support/sandboxed.ts';
import { repository } from '../support/daemon-process.ts';
import { beyondTheSuite, wasiBehaviours, wasiSuite, wasiSuiteNotApplicable } from './support/wasi-suite.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures/preview1');

let world: SandboxedExecutor;

beforeAll(async () => {
  const environment = { GREETING: 'a "quoted"\nü', EMPTY: '' };
  world = await sandboxed((sandbox) => wasmExecutor({ sandbox, state: noState, environment, hosts: 2 }));
});
afterAll(() => world.close());

async function outcomeOf(args: readonly string[], env: readonly string[] = []): Promise<Outcome> {
  const capabilities = { env, filesystem: { write: ['workspace'] } };
  const grant = await world.skill(
    { runtime: 'wasm', protocol: 'command', entry: 'preview1.wasm', capabilities },
    { 'preview1.wasm': await readFile(join(fixtures, 'preview1.wasm')) },
    { env },
  );
  const input = { protocol: 'command' as const, args, stdin: 'to be read' };
  return (await world.executor.execute(grant, input, new AbortController().signal)).outcome;
}

const succeeded = (stdout: string): Outcome => ({
  status: 'succeeded',
  output: { exitCode: 0, stdout, stderr: '' },
});

describe('a program for WASI preview 1', () => {
  test.each(wasiBehaviours)('shows a program for WASI preview 1 that %s', async (behaviour) => {
    expect(await outcomeOf([behaviour])).toEqual(succeeded(''));
  });
});

test('passes a program its own name and exactly the arguments of its call', async () => {
  const behaviour = 'arguments_are_all_there';
  expect(await outcomeOf([behaviour])).toEqual(succeeded(`subject,${behaviour}\n`));
  expect(await outcomeOf([behaviour, 'first', '"the \\" second"', '', 'ü'])).toEqual(
    succeeded(`subject,${behaviour},first,"the \\" second",,ü\n`),
  );
});

test('passes a program the granted environment variables and no others', async () => {
  const behaviour = 'the_environment_is_all_there';
  expect(await outcomeOf([behaviour], ['GREETING', 'EMPTY'])).toEqual(
    succeeded('GREETING=a "quoted"\nü,EMPTY=\n'),
  );
  expect(await outcomeOf([behaviour])).toEqual(succeeded(''));
});

test('lets a program write to its streams only', async () => {
  expect(await outcomeOf(['writing_to_a_stream_counts_bytes'])).toEqual(succeeded('hello\n'));
});

test('maps the exit code of a program to its outcome', async () => {
  expect(await outcomeOf(['exiting_with_33_fails'])).toEqual({
    status: 'failed',
    failure: { exitCode: 33 },
    stdout: '',
    stderr: '',
  });
  expect(await outcomeOf(['exiting_with_0_succeeds'])).toEqual(succeeded(''));
});

test('fails a program that checks a behaviour that does not hold', async () => {
  expect(await outcomeOf(['no_such_behaviour'])).toMatchObject({
    status: 'failed',
    failure: { exitCode: 2 },
  });
});

describe('the 72 tests of the WASI test suite for preview 1', () => {
  test('have a behaviour here for every test, or a reason why it does not apply', async () => {
    const cases = await readFile(join(fixtures, 'cases.h'), 'utf8');
    const known = [...cases.matchAll(/^void (\w+)\(void\);$/gm)].map(([, name]) => name);
    const covered = new Set(Object.values(wasiSuite).flat());
    expect(known.filter((name) => !covered.has(name ?? ''))).toEqual(beyondTheSuite);
    expect([...covered].filter((name) => !known.includes(name))).toEqual([]);
    expect(Object.keys(wasiSuite).length + Object.keys(wasiSuiteNotApplicable).length).toBe(72);
  });

  test('are all listed in docs/wasm.md, with these figures', async () => {
    const page = await readFile(join(repository, 'docs/wasm.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (.+) \| (\d+) \| (\d+) \|$/gm)];
    const listed = rows.flatMap(([, tests = '']) =>
      [...tests.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
    );
    expect(listed.toSorted()).toEqual(
      [...Object.keys(wasiSuite), ...Object.keys(wasiSuiteNotApplicable)].toSorted(),
    );
    const total = (column: number): number => rows.reduce((sum, row) => sum + Number(row[column]), 0);
    expect([total(2), total(3)]).toEqual([72, Object.keys(wasiSuite).length]);
    for (const name of Object.keys(wasiSuiteNotApplicable))
      expect(page).toContain(`\`${name}\` does not apply`);
  });
});
