// Threat model: T206

import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logShortSecrets } from './log-short-secrets.ts';

/** The lines that are logged about these secrets, by the names of their variables. */
async function logged(values: Readonly<Record<string, string>>): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  const named = Object.keys(values).map((name) => [name, { env: name }] as const);
  const secrets = {
    ...Object.fromEntries(named),
    MISSING: { env: 'MISSING' },
    PROMPTED: { command: ['/bin/false'] },
  };
  await logShortSecrets({ secrets }, values, pino({ base: null, timestamp: false }, stream));
  return lines.map((line) => JSON.parse(line));
}

test('warns about the secrets that are too short to be redacted, by name, and about no other', async () => {
  const random = 'aB3dE5gH7jK9mN1p';
  const [short, long] = [random.slice(1), random];
  const values = {
    SHORT: short,
    LONG: long,
    SHORT_TOKEN: `ghp_${short}`,
    LONG_TOKEN: `ghp_${long}`,
    SHORT_PASSWORD: `postgres://app:${short}@db.example/x`,
    LONG_PASSWORD: `postgres://app:${long}@db.example/x`,
  };
  expect(await logged(values)).toEqual([
    {
      level: 40,
      secrets: ['SHORT', 'SHORT_TOKEN', 'SHORT_PASSWORD'],
      msg: 'these secrets are not redacted: they have fewer than 16 bytes beyond a public beginning such as ghp_; use longer ones',
    },
  ]);
  expect(await logged({ LONG: long, LONG_TOKEN: `ghp_${long}` })).toEqual([]);
});
