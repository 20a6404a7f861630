import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallContext, ExecuteResult, Outcome } from '../../packages/core/src/execute.ts';
import { JsonText } from '../../packages/core/src/json.ts';
import type { StateWorld } from './support/state-world.ts';

/** Differences between runtimes. */
export interface StateDifferences {
  /** Whether saved values remain if the run fails afterwards. */
  savesImmediately: boolean;
}

const KiB = 1024;

/** The guarantees for a skill with `state` or `memory`, in every runtime. */
export function skillStateContract(
  name: string,
  open: () => Promise<StateWorld>,
  { savesImmediately }: StateDifferences,
): void {
  let world: StateWorld;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world.close());

  const succeeded = (output: unknown): Outcome => ({ status: 'succeeded', output });
  const outcomeOf = async (...call: Parameters<StateWorld['call']>): Promise<Outcome> =>
    (await world.call(...call)).outcome;
  const stored = async (id: string): Promise<unknown> => Object.fromEntries(await world.state.all(id));

  describe(`state and memory of ${name}`, () => {
    test('returns a value to the next call, and null for a missing key', async () => {
      const id = await world.skill({ state: 'write' });
      const value = { list: [1, 'ü', null], deep: { a: true } };
      expect(await outcomeOf(id, [{ get: 'a' }, { set: 'a', to: value }])).toEqual(succeeded([null, null]));
      expect(await outcomeOf(id, [{ get: 'a' }, { get: 'b' }])).toEqual(succeeded([value, null]));
    });

    test('shows a call its own changes, and removes a key set to null', async () => {
      const id = await world.skill({ state: 'write' });
      const steps = [{ set: 'a', to: 1 }, { get: 'a' }, { set: 'b', to: 2 }, { set: 'a', to: null }];
      expect(await outcomeOf(id, [...steps, { get: 'a' }])).toEqual(succeeded([null, 1, null, null, null]));
      expect(await stored(id)).toEqual({ b: '2' });
    });

    test('accepts any text as a key', async () => {
      const id = await world.skill({ state: 'write' });
      const keys = ['__proto__', 'constructor', '', 'ü 😀', '"\\\n'];
      await world.call(
        id,
        keys.map((key) => ({ set: key, to: `of ${key}` })),
      );
      const steps = keys.map((key) => ({ get: key }));
      expect(await outcomeOf(id, steps)).toEqual(succeeded(keys.map((key) => `of ${key}`)));
    });

    test('hides values from other skills', async () => {
      const [one, other] = [await world.skill({ state: 'write' }), await world.skill({ state: 'write' })];
      await world.call(one, [{ set: 'a', to: 'mine' }]);
      expect(await outcomeOf(other, [{ get: 'a' }, { set: 'a', to: 'yours' }])).toEqual(
        succeeded([null, null]),
      );
      expect(await outcomeOf(one, [{ get: 'a' }])).toEqual(succeeded(['mine']));
    });

    test('allows reading without writing', async () => {
      const id = await world.skill({ state: 'read' });
      await world.state.set(id, 'a', 'there');
      expect(await outcomeOf(id, [{ get: 'a' }])).toEqual(succeeded(['there']));
      expect((await outcomeOf(id, [{ set: 'a', to: 'gone' }])).status).not.toBe('succeeded');
      expect(await stored(id)).toEqual({ a: '"there"' });
    });

    test('lets a caller withdraw the right to write', async () => {
      const id = await world.skill({ state: 'write' });
      const narrowing = { capabilities: { state: 'read' } } as const;
      const narrowed = await outcomeOf(id, [{ set: 'a', to: 1 }], { narrowing });
      expect(narrowed.status).not.toBe('succeeded');
      expect(await stored(id)).toEqual({});
      expect(await outcomeOf(id, [{ set: 'a', to: 1 }])).toEqual(succeeded([null]));
    });

    test('shows the state to a trial, and drops what it changes', async () => {
      const id = await world.skill({ state: 'write' });
      await world.state.set(id, 'a', 'there');
      const steps = [{ get: 'a' }, { set: 'a', to: 'gone' }];
      expect(await outcomeOf(id, steps, { narrowing: { trial: true } })).toEqual(succeeded(['there', null]));
      expect(await stored(id)).toEqual({ a: '"there"' });
      expect(await outcomeOf(id, steps)).toEqual(succeeded(['there', null]));
      expect(await stored(id)).toEqual({ a: '"gone"' });
    });

    test('allows neither reading nor writing without a grant', async () => {
      const id = await world.skill({});
      await world.state.set(id, 'a', 'there');
      expect((await outcomeOf(id, [{ get: 'a' }])).status).not.toBe('succeeded');
      expect((await outcomeOf(id, [{ set: 'a', to: 'gone' }])).status).not.toBe('succeeded');
      expect(await outcomeOf(id, [])).toEqual(succeeded([]));
      expect(await stored(id)).toEqual({ a: '"there"' });
    });

    test('records what was requested and granted', async () => {
      const id = await world.skill({ state: 'write', memory: 'read' });
      const { executionId } = await world.call(id, [{ set: 'a', to: 1 }], {
        narrowing: { capabilities: { memory: 'none' } },
      });
      const record = await world.record(executionId);
      expect([record?.capabilities.requested, record?.capabilities.granted]).toMatchObject([
        { state: 'write', memory: 'read' },
        { state: 'write', memory: 'none' },
      ]);
    });

    describe('the limits of a store', () => {
      test.each<[string, string, unknown, string]>([
        ['a key', 'k'.repeat(257), 1, 'a key may have at most 256 characters'],
        ['a value', 'k', 'v'.repeat(64 * KiB), 'a value may have at most 65536 bytes'],
      ])('limits the length of %s', async (_, key, to, words) => {
        const id = await world.skill({ state: 'write' });
        expect(reasonOf(await world.call(id, [{ set: key, to }]))).toContain(words);
        expect(await stored(id)).toEqual({});
        const within = { set: key.slice(0, 256), to: typeof to === 'string' ? to.slice(2) : to };
        expect(await outcomeOf(id, [within])).toEqual(succeeded([null]));
      });

      test('limits the number of keys', async () => {
        const id = await world.skill({ state: 'write' });
        const full = new Map(Array.from({ length: 1000 }, (_, index) => [`k${index}`, '1']));
        await world.state.change(id, full);
        expect(reasonOf(await world.call(id, [{ set: 'more', to: 1 }]))).toContain(
          'a skill may store at most 1000 keys',
        );
        expect(await world.state.all(id)).toEqual(full);
        expect(
          await outcomeOf(id, [
            { set: 'k0', to: null },
            { set: 'more', to: 1 },
          ]),
        ).toEqual(succeeded([null, null]));
      });

      test('limits the bytes of all keys and values', async () => {
        const id = await world.skill({ state: 'write' });
        const value = JSON.stringify('v'.repeat(60 * KiB));
        await world.state.change(id, new Map(Array.from({ length: 17 }, (_, index) => [`k${index}`, value])));
        expect(reasonOf(await world.call(id, [{ set: 'more', to: 'v'.repeat(60 * KiB) }]))).toContain(
          'a skill may store at most 1048576 bytes',
        );
        expect((await world.state.all(id)).size).toBe(17);
        expect(await outcomeOf(id, [{ set: 'more', to: 1 }])).toEqual(succeeded([null]));
      });
    });

    test(`has the changes of a failed run ${savesImmediately ? 'saved' : 'not saved'}`, async () => {
      const id = await world.skill({ state: 'write' });
      await world.call(id, [{ set: 'a', to: 1 }]);
      const outcome = await outcomeOf(id, [{ set: 'a', to: 2 }, { set: 'b', to: 3 }, { fail: true }]);
      expect(outcome.status).toBe('failed');
      expect(await stored(id)).toEqual(savesImmediately ? { a: '2', b: '3' } : { a: '1' });
    });

    test(`has the changes of a run with invalid output ${savesImmediately ? 'saved' : 'not saved'}`, async () => {
      const id = await world.skill({ state: 'write' }, { type: 'string' });
      expect((await outcomeOf(id, [{ set: 'a', to: 1 }])).status).toBe('output-invalid');
      expect(await stored(id)).toEqual(savesImmediately ? { a: '1' } : {});
    });

    test('saves all keys that concurrent calls set', async () => {
      const id = await world.skill({ state: 'write' });
      const keys = Array.from({ length: 6 }, (_, index) => `k${index}`);
      await Promise.all(keys.map((key) => world.call(id, [{ set: key, to: key }])));
      expect(await stored(id)).toEqual(Object.fromEntries(keys.map((key) => [key, JSON.stringify(key)])));
    });

    test('saves one of the values that concurrent calls set for one key', async () => {
      const id = await world.skill({ state: 'write' });
      await Promise.all([1, 2, 3].map((to) => world.call(id, [{ set: 'a', to }])));
      expect(await stored(id)).toEqual({ a: expect.toBeOneOf(['1', '2', '3']) });
    });

    describe('memory', () => {
      const memory = ['uses tabs', { text: 'likes ☕', since: 2020 }];

      test("is the caller's memory for each call", async () => {
        const id = await world.skill({ memory: 'read' });
        const read = (context: CallContext) => outcomeOf(id, [{ memory: true }], { context });
        expect(await read({ memory })).toEqual(succeeded([['uses tabs', 'likes ☕']]));
        expect(await read({ memory: ["another caller's"] })).toEqual(succeeded([["another caller's"]]));
        expect(await read({})).toEqual(succeeded([[]]));
        expect(await outcomeOf(id, [{ memory: true }])).toEqual(succeeded([[]]));
      });

      test('is empty without a grant', async () => {
        const id = await world.skill({});
        expect(await outcomeOf(id, [{ memory: true }], { context: { memory } })).toEqual(succeeded([[]]));
      });

      test('is empty if the caller withdraws it', async () => {
        const id = await world.skill({ memory: 'read' });
        const call = { context: { memory }, narrowing: { capabilities: { memory: 'none' } } } as const;
        expect(await outcomeOf(id, [{ memory: true }], call)).toEqual(succeeded([[]]));
      });

      test('arrives complete at the largest size', async () => {
        const id = await world.skill({ memory: 'read' });
        const large = '"\n'.repeat(131_072);
        const outcome = await outcomeOf(id, [{ memory: true }], { context: { memory: [large] } });
        // As a digest, because printing a difference of half a megabyte takes minutes.
        expect(digestOf(outcome)).toBe(digestOf(succeeded([[large]])));
      });
    });
  });
}

/** The digest of an outcome's JSON; a large output is already JSON. */
function digestOf(outcome: Outcome): string {
  const output = outcome.status === 'succeeded' && outcome.output;
  const text = output instanceof JsonText ? new TextDecoder().decode(output.bytes) : JSON.stringify(output);
  return `${outcome.status} ${hash('sha256', text)}`;
}

/** Returns why a run did not succeed. */
function reasonOf({ outcome }: ExecuteResult): string {
  if (outcome.status === 'output-invalid') return outcome.detail;
  if (outcome.status === 'failed') return 'trap' in outcome.failure ? outcome.failure.trap : outcome.stderr;
  return outcome.status;
}
