// Threat model: T93

import { describe, expect, test } from 'vitest';
import { callers } from './support/callers.ts';
import { online, stageOnline } from './support/egress/exchanges.ts';
import { webServers } from './support/egress/servers.ts';

const mebibyte = 1024 * 1024;
/** A call's limits; see `egressBounds`. */
const [connectionsMax, requestBytesMax, responseBytesMax] = [64, 64 * mebibyte, 256 * mebibyte];

describe.each(callers)('as $name', (caller) => {
  const ground = stageOnline(caller);
  let taken = 0;

  const servers = webServers({
    granted: {
      handler(request, response) {
        request.on('data', (piece: Buffer) => {
          taken += piece.length;
        });
        if (request.url !== '/endless') return void response.end('reached');
        const piece = Buffer.alloc(mebibyte, 'x');
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      },
    },
  });

  test.each<[string, unknown]>([
    ['simultaneous connections', [connectionsMax, 80 - connectionsMax]],
    ['an endless response', ['broke off', true]],
    ['an endless request', expect.toBeOneOf([413, 'broke off'])],
  ])('%s', async (only, attack) => {
    const address = `127.0.0.1:${servers.granted.port}`;
    const there = `http://${address}`;
    const { found } = await online(ground, 'network_limits.py', {
      given: { only, host: address, granted: there, most: responseBytesMax },
      network: [there],
    });
    expect({ found, sent: taken <= requestBytesMax }).toEqual({
      found: { [only]: { attack, permitted: [200, 'reached'.length] } },
      sent: true,
    });
  });
});
