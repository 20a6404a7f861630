import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { localServer } from '../../../../test/support/local-server.ts';

/** Serves HTTP on loopback until the test ends. Returns its URL. */
export async function serving(handler: RequestListener): Promise<string> {
  const { origin, close } = await localServer(handler);
  onTestFinished(close);
  return origin;
}
