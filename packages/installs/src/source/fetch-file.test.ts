// Threat model: T150

import { egress } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { serving } from '../testing/serving.ts';
import { fetchFile } from './fetch-file.ts';

/** Fetches with names that the test resolves; connects to servers of the test only. */
async function fetching(url: string, network: readonly string[], names: Record<string, string>) {
  const dialled: string[] = [];
  const proxy = egress(async () => Promise.reject(new Error('no secrets')), {
    resolve: async (host) => [names[host] ?? '0.0.0.0'],
    dial(address, port) {
      dialled.push(`${address}:${port}`);
      throw new Error(`the test does not connect to ${address}:${port}`);
    },
  });
  onTestFinished(() => proxy.close());
  const { signal } = new AbortController();
  const fetched = await fetchFile(url, 100, { egress: proxy, network, deny: [], signal }).catch(
    (error: { code: string }) => error.code,
  );
  return { fetched, dialled };
}

test.each(['10.0.0.7', '169.254.169.254', '::1', '::ffff:192.168.1.1'])(
  'never connects to an allowed name that resolves to %s',
  async (address) => {
    const names = { 'lists.example': address };
    expect(await fetching('https://lists.example/deny.json', ['lists.example'], names)).toEqual({
      ...{ fetched: 'SOURCE_NOT_ALLOWED', dialled: [] },
    });
  },
);

test('connects to an allowed name with a public address', async () => {
  const names = { 'lists.example': '192.0.2.1' };
  const { dialled } = await fetching('https://lists.example/deny.json', ['lists.example'], names);
  expect(dialled.every((each) => each === '192.0.2.1:443')).toBe(true);
});

test('does not follow a redirect to a private address', async () => {
  const base = await serving((request, response) => {
    if (request.url === '/here') response.end('ok');
    else if (request.url === '/moved') response.writeHead(302, { location: '/here' }).end();
    else response.writeHead(302, { location: 'http://10.0.0.7/deny.json' }).end();
  });
  const dialled: string[] = [];
  const { connect } = await import('node:net');
  const proxy = egress(async () => Promise.reject(new Error('no secrets')), {
    dial(address, port) {
      dialled.push(address);
      return connect({ host: '127.0.0.1', port });
    },
  });
  onTestFinished(() => proxy.close());
  const options = { egress: proxy, deny: [], signal: new AbortController().signal };
  const network = [base, 'http://10.0.0.0:80'];
  const fetched = await fetchFile(`${base}/moved`, 100, { ...options, network });
  expect(Buffer.from(fetched).toString()).toBe('ok');
  await expect(fetchFile(`${base}/away`, 100, { ...options, network })).rejects.toMatchObject({
    code: 'SOURCE_NOT_ALLOWED',
  });
  expect(new Set(dialled)).toEqual(new Set(['127.0.0.1']));
  await expect(fetchFile(`${base}/here`, 1, { ...options, network })).rejects.toMatchObject({
    code: 'SOURCE_TOO_LARGE',
  });
});
