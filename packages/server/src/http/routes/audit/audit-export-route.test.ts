import type { AddressInfo } from 'node:net';
import type { CallRecord } from '@ambit/core/audit';
import { expect, test } from 'vitest';
import { authorization, httpWorld } from '../../testing/http-world.ts';

/** More than is put into one piece of an answer. */
const large = { executionId: 'e', request: 'x'.repeat(100_000) } as CallRecord;

test.each([true, false])(
  'an export ends with its records, and breaks off when its key is revoked: %s',
  async (isRevoked) => {
    const [key, rest] = [new AbortController(), Promise.withResolvers<void>()];
    async function* records() {
      yield large;
      await rest.promise;
      yield large;
    }
    const { app } = httpWorld({ log: { export: records }, rights: { revoked: key.signal } });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const { body } = await fetch(`http://127.0.0.1:${port}/audit/export`, { headers: { authorization } });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    if (isRevoked) key.abort(new Error('the key tester was revoked'));
    rest.resolve();
    const toEnd = async (): Promise<string> => {
      for (;;) if ((await reader.read()).done) return 'its end';
    };
    expect(await toEnd().catch(() => 'broken off')).toBe(isRevoked ? 'broken off' : 'its end');
  },
);
