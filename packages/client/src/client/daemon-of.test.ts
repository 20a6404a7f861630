// Threat model: T247

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { UnsendableError } from '../failure/unsendable-error.ts';
import { answers, scriptedServer } from '../testing/scripted-server.ts';
import { daemonOf } from './daemon-of.ts';
import { ambitClient } from './open-client.ts';

test.each([
  ['http://ada:hunter2@127.0.0.1:1', /^url contains a user name or a password: /],
  ['http://127.0.0.1:1/?token=hunter2', /^url has a query or a fragment: /],
  ['http://127.0.0.1:1/#hunter2', /^url has a query or a fragment: /],
  ['hunter2', /^url is not the address of a daemon: write it as http:/],
  ['localhost:7433', /^url is not the address of a daemon: /],
  ['ftp://127.0.0.1', /^url is not the address of a daemon: /],
])('refuses the URL %s before anything is sent, and does not repeat it', (url, message) => {
  const open = () => ambitClient({ url });
  expect(open).toThrow(UnsendableError);
  expect(open).toThrow(message);
  expect(open).not.toThrow(/hunter2/);
});

test.each(['', ' ', 'hunter2\nX-Other: 1', 'hunter2 b', 'hunter2\u20ac'])(
  'refuses the key %j before anything is sent, and does not repeat it',
  (key) => {
    const open = () => ambitClient({ url: 'http://127.0.0.1:1', key });
    expect(open).toThrow(/^key is empty or contains an invalid character: /);
    expect(open).not.toThrow(/hunter2/);
  },
);

test('accepts an address with a path, and a key with a line break at its end', () => {
  expect(daemonOf({ url: 'https://a.example/ambit/', key: 'hunter2\n' })).toEqual({
    url: 'https://a.example/ambit/',
    key: 'hunter2',
  });
  expect(daemonOf({ url: 'http://[::1]:7433' })).toEqual({ url: 'http://[::1]:7433', key: undefined });
});

test.each(['', 'a\nb', '\u20ac', 'k'.repeat(256)])(
  'refuses the idempotency key %j, and sends nothing',
  async (idempotencyKey) => {
    const { url, requests } = await scriptedServer(answers({}));
    const ambit = ambitClient({ url });
    await expect(ambit.execute('a', 1, { idempotencyKey })).rejects.toThrow(
      /^idempotencyKey must have 1 to 255 /,
    );
    await expect(ambit.start('a', 1, { idempotencyKey })).rejects.toThrow(UnsendableError);
    expect(requests).toEqual([]);
  },
);

test('does not show its key when it is inspected', () => {
  const ambit = ambitClient({ url: 'http://127.0.0.1:1', key: 'hunter2' });
  expect(inspect(ambit, { depth: 9, showHidden: true }) + JSON.stringify(ambit)).not.toContain('hunter2');
});
