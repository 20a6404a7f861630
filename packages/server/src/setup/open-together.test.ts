import { expect, test } from 'vitest';
import { type OpenResources, openTogether } from './open-together.ts';

const failing = (message: string) => async () => {
  throw new Error(message);
};

test('closes the opened resources in reverse order if opening fails, and rethrows the error', async () => {
  const closed: string[] = [];
  const opening = openTogether(async (opened) => {
    opened.defer(() => closed.push('first'));
    opened.defer(async () => closed.push('second'));
    throw new Error('the third does not open');
  });
  await expect(opening).rejects.toThrow('the third does not open');
  expect(closed).toEqual(['second', 'first']);
});

test('leaves everything open if opening succeeds, and closes it once', async () => {
  const closed: string[] = [];
  const { opened, value } = await openTogether(async (all: OpenResources) => {
    all.defer(() => closed.push('first'));
    return { opened: all, value: all.add(7, (value) => closed.push(`second, ${value}`)) };
  });
  expect([value, closed]).toEqual([7, []]);
  await opened.close();
  await opened.close();
  expect(closed).toEqual(['second, 7', 'first']);
});

test('closes the rest if closing one fails, and reports every failure', async () => {
  const closed: string[] = [];
  const opened = await openTogether(async (all) => {
    all.defer(() => closed.push('first'));
    all.defer(failing('no'));
    return all;
  });
  await expect(opened.close()).rejects.toThrow('no');
  expect(closed).toEqual(['first']);
  const opening = openTogether(async (all) => {
    all.defer(failing('one'));
    all.defer(failing('two'));
    throw new Error('it does not open');
  });
  await expect(opening).rejects.toThrow('it does not open');
  await expect(opening).rejects.toMatchObject({
    errors: [{}, { errors: [{ message: 'two' }, { message: 'one' }] }],
  });
});

test('reports an error once that both opening and closing a resource have', async () => {
  const error = new Error('it does not open');
  const opening = openTogether(async (all) => {
    all.defer(() => Promise.reject(error));
    throw error;
  });
  await expect(opening).rejects.toBe(error);
});
