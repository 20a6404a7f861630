import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execution, giveTo, type Stage, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { type Kind, kinds, type Manner, type Question, toldOf, wentOn } from './support/wasm/asking.ts';
import { askingSkill } from './support/wasm/wasm-skill.ts';

/** What ECMAScript has and TypeScript's library does not know yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Each host function that needs a grant: what it is asked, what that violates, and what it gives with a grant. */
const questions: [capability: string, question: (file: string) => Question, given: unknown][] = [
  ['state', () => ['state_get', 'key'], null],
  ['state', () => ['state_set', 'key', 1], null],
  ['filesystem.read', (file) => ['read_file', file], 'a file'],
  ['filesystem.write', (file) => ['write_file', file, 'a file'], null],
  ['env', () => ['env', 'GRANTED_NAME'], 'granted value'],
];

const everything = {
  filesystem: { read: ['granted'], write: ['granted'] },
  env: ['GRANTED_NAME'],
  state: 'write',
  memory: 'read',
};

describe.each(callers)('as $name', (caller) => {
  let ground: Stage;
  let file: string;

  beforeAll(async () => {
    ground = await stage(caller, async () => ({
      env: { GRANTED_NAME: 'granted value', OTHER_NAME: 'not granted' },
    }));
    file = join(ground.folder, 'file');
    await writeFile(file, 'a file');
    await giveTo(ground.program.skillUser, file);
  });
  afterAll(() => ground.close());

  interface Conditions {
    capabilities?: object;
    manner?: Manner;
    limits?: object;
    told?: Record<string, unknown>;
  }

  const told = async (
    kind: Kind,
    question: Question,
    { told: context, ...conditions }: Conditions = {},
  ): Promise<unknown> => {
    const skill = await askingSkill(ground.folder, kind, question, conditions);
    const granted = { filesystem: { read: [file], write: [file] }, env: ['GRANTED_NAME'], memory: 'read' };
    const grant = conditions.capabilities === undefined ? {} : granted;
    return toldOf(
      (await execution(ground.program, skill, { grant, ...(context && { told: context }) })).outcome,
    );
  };

  describe.each(kinds)('a %s', (kind) => {
    test.each(questions)('asks for %s, which it was not granted: case %#', async (capability, of, given) => {
      const question = of(file);
      const violated = {
        status: 'capability-violated',
        capability,
        detail: expect.stringContaining(question[0]),
      };
      expect({
        plainly: await told(kind, question),
        'and catches it and goes on': await told(kind, question, { manner: 'and goes on' }),
        'and catches it and never ends': await told(kind, question, {
          manner: 'and never ends',
          limits: { timeoutMs: 5000 },
        }),
        permitted: await told(kind, question, { capabilities: everything }),
        untouched: await readFile(file, 'utf8'),
      }).toEqual({
        plainly: violated,
        'and catches it and goes on': violated,
        'and catches it and never ends': violated,
        permitted: { value: given },
        untouched: 'a file',
      });
    });

    test('writes state with a grant to read it', async () => {
      const asked: Question = ['state_set', 'key', 1];
      expect([
        await told(kind, asked, { capabilities: { state: 'read' } }),
        await told(kind, ['state_get', 'key'], { capabilities: { state: 'read' } }),
        await told(kind, asked, { capabilities: { state: 'write' } }),
      ]).toEqual([
        {
          status: 'capability-violated',
          capability: 'state',
          detail: expect.stringContaining('state: write'),
        },
        { value: expect.toBeOneOf([null, 1]) },
        { value: null },
      ]);
      await told(kind, ['state_set', 'key', null], { capabilities: { state: 'write' } });
    });

    test.each(['OTHER_NAME', 'granted_name', 'PATH', 'GRANTED_NAME\0', '__proto__', 'constructor', ''])(
      'asks for a variable that it was not granted beside one that it was: %j',
      async (name) => {
        expect([
          await told(kind, ['env', name], { capabilities: everything }),
          await told(kind, ['env', 'GRANTED_NAME'], { capabilities: everything }),
        ]).toEqual([
          { status: 'capability-violated', capability: 'env', detail: `env asks for ${name}` },
          { value: 'granted value' },
        ]);
      },
    );

    test('recalls what its caller remembers, without a grant', async () => {
      const context = { memory: ['the secret is 7'], task: 'a task' };
      expect({
        recalled: await told(kind, ['recall_memory', ''], { told: context }),
        context: await told(kind, ['context'], { told: context }),
        permitted: await told(kind, ['recall_memory', ''], { told: context, capabilities: everything }),
      }).toEqual({
        recalled: { value: [] },
        context: {
          value: {
            executionId: 'an execution',
            skill: { id: 'attacker', version: null },
            caller: { task: 'a task' },
          },
        },
        permitted: { value: ['the secret is 7'] },
      });
    });

    test('asks with a number that is not finite', async () => {
      const [refused, permitted] = [rawJSON('1e400'), rawJSON('1e308')];
      expect([
        await told(kind, ['state_set', 'key', [refused]], { capabilities: everything }),
        await told(kind, ['state_set', 'key', refused], { capabilities: everything }),
        await told(kind, ['state_set', 'key', [permitted]], { capabilities: everything }),
        await told(kind, ['state_get', 'key'], { capabilities: everything }),
      ]).toEqual([
        ...new Array(2).fill({
          error:
            kind === 'script'
              ? 'JSON cannot hold Infinity; use a finite number'
              : 'state_set: its arguments have a number that is not finite',
        }),
        { value: null },
        { value: [1e308] },
      ]);
      await told(kind, ['state_set', 'key', null], { capabilities: everything });
    });

    test('keeps a value that is nested deeper than an output may be', async () => {
      const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
      expect([
        await told(kind, ['state_set', 'key', nested(513)], { capabilities: everything }),
        await told(kind, ['state_set', 'key', nested(512)], { capabilities: everything }),
      ]).toEqual([
        { error: 'state_set: its arguments have values nested more than 512 deep' },
        { value: null },
      ]);
      await told(kind, ['state_set', 'key', null], { capabilities: everything });
    });

    test('catches what it may catch, and goes on', async () => {
      const missing: Question = ['read_file', 'none'];
      expect(await told(kind, missing)).toEqual({ error: 'none is no file of the skill' });
      expect(await told(kind, missing, { manner: 'and goes on' })).toEqual(
        kind === 'script'
          ? wentOn
          : // A module is told by a number, and there is nothing to catch.
            { error: 'none is no file of the skill' },
      );
    });
  });

  test('a script asks with more than anybody takes', async () => {
    const long = 'x'.repeat(2 ** 20);
    const conditions = { capabilities: everything, told: { memory: ['remembered'] } };
    const permitted = 'remembered'.padEnd(1000);
    expect([
      await told('script', ['state_set', 'key', long], conditions),
      await told('script', ['state_set', 'key', new Array(40_000).fill(0)], conditions),
      await told('script', ['state_set', 'key', new Array(30_000).fill(0)], conditions),
      await told('script', ['recall_memory', `${permitted} `], conditions),
      await told('script', ['read_file', `/${long}`], conditions),
      await told('script', ['recall_memory', permitted], conditions),
    ]).toEqual([
      { error: 'state_set: its arguments are longer than 524288 characters' },
      { error: 'state_set: its arguments have more than 40000 values' },
      { value: null },
      { error: 'a query has at most 1000 characters' },
      {
        status: 'capability-violated',
        capability: 'filesystem.read',
        detail: `read_file asks for /${long}`.slice(0, 1000),
      },
      { value: ['remembered'] },
    ]);
  });
});
