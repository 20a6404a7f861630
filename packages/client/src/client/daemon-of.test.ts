import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { UnsendableError } from '../failure/unsendable-error.ts';
import { answers, scriptedServer } from '../testing/scripted-server.ts';
import { daemonOf } from './daemon-of.ts';
import { ambitClient } from './open-client.ts';

test.each([
  ['http://ada:hunter2@127.0.0.1:1', /^url has a user or a password in it: /],
  ['http://127.0.0.1:1/?token=hunter2', /^url has a query or a fragment: /],
  ['http://127.0.0.1:1/#hunter2', /^url has a query or a fragment: /],
  ['hunter2', /^url is not the address of a daemon: write it as http:/],
  ['localhost:7433', /^url is no address of a daemon: /],
  ['ftp://127.0.0.1', /^url is no address of a daemon: /],
])('%s is refused before anything is sent, and not repeated', (url, message) => {
  const open = () => ambitClient({ url });
  expect(open).toThrow(UnsendableError);
  expect(open).toThrow(message);
  expect(open).not.toThrow(/hunter2/);
});

test.each(['', ' ', 'hunter2\nX-Other: 1', 'hunter2 b', 'hunter2\u20ac'])(
  'the key %j is refused before anything is sent, and not repeated',
  (key) => {
    const open = () => ambitClient({ url: 'http://127.0.0.1:1', key });
    expect(open).toThrow(/^key is empty, or has a character that no key has: /);
    expect(open).not.toThrow(/hunter2/);
  },
);

test('an address below a path is one, and a key that a file ends with a line break is sent without', () => {
  expect(daemonOf({ url: 'https://a.example/ambit/', key: 'hunter2\n' })).toEqual({
    url: 'https://a.example/ambit/',
    key: 'hunter2',
  });
  expect(daemonOf({ url: 'http://[::1]:7433' })).toEqual({ url: 'http://[::1]:7433', key: undefined });
});

test.each(['', 'a\nb', '\u20ac', 'k'.repeat(256)])(
  'the idempotency key %j is refused, and nothing sent',
  async (idempotencyKey) => {
    const { url, asked } = await scriptedServer(answers({}));
    const ambit = ambitClient({ url });
    await expect(ambit.execute('a', 1, { idempotencyKey })).rejects.toThrow(/^idempotencyKey is 1 to 255 /);
    await expect(ambit.start('a', 1, { idempotencyKey })).rejects.toThrow(TypeError);
    expect(asked).toEqual([]);
  },
);

test('who looks into a client does not find its key', () => {
  const ambit = ambitClient({ url: 'http://127.0.0.1:1', key: 'hunter2' });
  expect(inspect(ambit, { depth: 9, showHidden: true }) + JSON.stringify(ambit)).not.toContain('hunter2');
});
