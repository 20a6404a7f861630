// Threat model: T177, T178, T283, T284

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { execution, giveTo, stage } from './support/attacker.ts';
import { firstCaller } from './support/callers.ts';
import { answerOf, continued, type Kind, kinds, type Manner, type Question } from './support/wasm/asking.ts';
import { askingSkill } from './support/wasm/wasm-skill.ts';

/** An ECMAScript feature that TypeScript's library lacks. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Each host function that needs a grant: a request, its violation, and its result with a grant. */
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

describe.each(firstCaller)('as $name', (caller) => {
  const ground = stage(caller, async () => ({
    env: { GRANTED_NAME: 'granted value', OTHER_NAME: 'not granted' },
  }));
  let file: string;

  beforeAll(async () => {
    file = join(ground.folder, 'file');
    await writeFile(file, 'a file');
    await giveTo(ground.program.skillUser, file);
  });

  interface Conditions {
    capabilities?: object;
    manner?: Manner;
    limits?: object;
    callerContext?: Record<string, unknown>;
  }

  const answerTo = async (
    kind: Kind,
    question: Question,
    { callerContext, ...conditions }: Conditions = {},
  ): Promise<unknown> => {
    const skill = await askingSkill(ground.folder, kind, question, conditions);
    const granted = { filesystem: { read: [file], write: [file] }, env: ['GRANTED_NAME'], memory: 'read' };
    const grant = conditions.capabilities === undefined ? {} : granted;
    return answerOf(
      (await execution(ground.program, skill, { grant, ...(callerContext && { callerContext }) })).outcome,
    );
  };

  describe.each(kinds)('a %s', (kind) => {
    test.each(questions)(
      'a request for %s without a grant ends the call: case %#',
      async (capability, of, given) => {
        const question = of(file);
        const violated = {
          status: 'capability-violated',
          capability,
          detail: expect.stringContaining(question[0]),
        };
        expect({
          plainly: await answerTo(kind, question),
          'and catches it and continues': await answerTo(kind, question, { manner: 'and continues' }),
          'and catches it and never ends': await answerTo(kind, question, {
            manner: 'and never ends',
            limits: { timeoutMs: 60_000 },
          }),
          permitted: await answerTo(kind, question, { capabilities: everything }),
          untouched: await readFile(file, 'utf8'),
        }).toEqual({
          plainly: violated,
          'and catches it and continues': violated,
          'and catches it and never ends': violated,
          permitted: { value: given },
          untouched: 'a file',
        });
      },
    );

    test('writing state with a grant to read it ends the call', async () => {
      const asked: Question = ['state_set', 'key', 1];
      expect([
        await answerTo(kind, asked, { capabilities: { state: 'read' } }),
        await answerTo(kind, ['state_get', 'key'], { capabilities: { state: 'read' } }),
        await answerTo(kind, asked, { capabilities: { state: 'write' } }),
      ]).toEqual([
        {
          status: 'capability-violated',
          capability: 'state',
          detail: expect.stringContaining('state: write'),
        },
        { value: expect.toBeOneOf([null, 1]) },
        { value: null },
      ]);
      await answerTo(kind, ['state_set', 'key', null], { capabilities: { state: 'write' } });
    });

    test.each(['OTHER_NAME', 'granted_name', 'PATH', 'GRANTED_NAME\0', '__proto__', 'constructor', ''])(
      'a request for a variable beside the granted one ends the call: %j',
      async (name) => {
        expect([
          await answerTo(kind, ['env', name], { capabilities: everything }),
          await answerTo(kind, ['env', 'GRANTED_NAME'], { capabilities: everything }),
        ]).toEqual([
          { status: 'capability-violated', capability: 'env', detail: `env asks for ${name}` },
          { value: 'granted value' },
        ]);
      },
    );

    test('memory is empty without a grant', async () => {
      const context = { memory: ['the secret is 7'], task: 'a task' };
      expect({
        recalled: await answerTo(kind, ['recall_memory', ''], { callerContext: context }),
        context: await answerTo(kind, ['context'], { callerContext: context }),
        permitted: await answerTo(kind, ['recall_memory', ''], {
          callerContext: context,
          capabilities: everything,
        }),
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

    test('a number that is not finite is refused', async () => {
      const [refused, permitted] = [rawJSON('1e400'), rawJSON('1e308')];
      expect([
        await answerTo(kind, ['state_set', 'key', [refused]], { capabilities: everything }),
        await answerTo(kind, ['state_set', 'key', refused], { capabilities: everything }),
        await answerTo(kind, ['state_set', 'key', [permitted]], { capabilities: everything }),
        await answerTo(kind, ['state_get', 'key'], { capabilities: everything }),
      ]).toEqual([
        ...new Array(2).fill({
          error:
            kind === 'script'
              ? 'JSON cannot hold Infinity; use a finite number'
              : 'state_set: arguments contain a number that is not finite',
        }),
        { value: null },
        { value: [1e308] },
      ]);
      await answerTo(kind, ['state_set', 'key', null], { capabilities: everything });
    });

    test('a value nested deeper than an output may be is refused', async () => {
      const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
      expect([
        await answerTo(kind, ['state_set', 'key', nested(513)], { capabilities: everything }),
        await answerTo(kind, ['state_set', 'key', nested(512)], { capabilities: everything }),
      ]).toEqual([
        { error: 'state_set: arguments contain values nested more than 512 deep' },
        { value: null },
      ]);
      await answerTo(kind, ['state_set', 'key', null], { capabilities: everything });
    });

    test('a skill can catch ordinary errors and continue', async () => {
      const missing: Question = ['read_file', 'none'];
      expect(await answerTo(kind, missing)).toEqual({ error: 'none is not a file of the skill' });
      expect(await answerTo(kind, missing, { manner: 'and continues' })).toEqual(
        kind === 'script'
          ? continued
          : // A module gets a number, so there is nothing to catch.
            { error: 'none is not a file of the skill' },
      );
    });
  });

  test('oversized requests of a script are refused', async () => {
    const long = 'x'.repeat(2 ** 20);
    const conditions = { capabilities: everything, callerContext: { memory: ['remembered'] } };
    const permitted = 'remembered'.padEnd(1000);
    expect([
      await answerTo('script', ['state_set', 'key', long], conditions),
      await answerTo('script', ['state_set', 'key', new Array(40_000).fill(0)], conditions),
      await answerTo('script', ['state_set', 'key', new Array(30_000).fill(0)], conditions),
      await answerTo('script', ['recall_memory', `${permitted} `], conditions),
      await answerTo('script', ['read_file', `/${long}`], conditions),
      await answerTo('script', ['recall_memory', permitted], conditions),
    ]).toEqual([
      { error: 'state_set: arguments are longer than 524288 characters' },
      { error: 'state_set: arguments contain more than 40000 values' },
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
