import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { oneAddress } from '../config/listen-address.ts';

test('resolves localhost to one address and leaves other hosts unchanged', async () => {
  expect(isIP(await oneAddress('localhost'))).toBeGreaterThan(0);
  const others = ['127.0.0.1', '::1', '0.0.0.0', 'ambit.example'];
  expect(await Promise.all(others.map(oneAddress))).toEqual(others);
});
