// Threat model: T242

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { invitationIn } from '../commands/cluster.ts';
import { type FakeClient, runAmbit } from '../testing/run-ambit.ts';

const key = `ambit_${'k'.repeat(43)}`;
const invitation = `ambit-join-${'i'.repeat(60)}`;

test.each([
  [
    `skills list --key-file ${key}`,
    key,
    /^ambit: USAGE_INVALID: an argument contains an API key\. Every user/,
  ],
  [`skills list --key-file=${key}`, key, /contains an API key/],
  [`key revoke ${key}`, key, /contains an API key/],
  [`audit --text ${key}`, key, /contains an API key/],
  [
    `cluster join ${invitation}`,
    invitation,
    /contains an invitation\. .* paste the invitation at its prompt/,
  ],
  [`cluster join --invitation-file ${invitation}`, invitation, /contains an invitation/],
  ['skills add https://ada:s3cret@a.example/b', 's3cret', /contains a URL with a password\. /],
  ['skills add git+https://ada:s3cret@a.example/b', 's3cret', /contains a URL with a password\. /],
  ['skills review oci://ada:s3cret@a.example/b', 's3cret', /contains a URL with a password/],
  ['skills list --url https://ada:s3cret@a.example', 's3cret', /contains a URL with a password/],
])('refuses %s before anything starts, and does not repeat the secret', async (line, secret, expected) => {
  for (const more of ['', ' --json']) {
    const { exitCode, stdout, stderr } = await runAmbit(`${line}${more}`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    if (more === '') expect(stderr).toMatch(expected);
    expect(stderr).not.toContain(secret);
  }
});

test('refuses an invitation of another shape as an argument too', async () => {
  expect(await runAmbit('cluster join word')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^ambit: USAGE_INVALID: too many arguments for 'join'/),
  });
});

test('accepts the data of a call, which is the choice of the caller', async () => {
  const sent: unknown[] = [];
  const client: FakeClient = {
    stream: (_skill, input, options) => {
      sent.push({ input, args: options?.args });
      throw new Error('nothing ran');
    },
  };
  await runAmbit(['run', 'x', '--input', JSON.stringify({ text: key })], { client });
  await runAmbit(['run', 'x', '--', key], { client });
  expect(sent).toEqual([{ input: { text: key } }, { args: [key] }]);
});

test('reads an invitation from stdin, from a file, and on a terminal at a prompt', async () => {
  const cwd = await temporaryFolder({ invitation: `${invitation}\n` });
  const stdin = `${invitation}\n`;
  const shown: string[] = [];
  const read = (file: string, isTTY = false) =>
    invitationIn(
      {
        stdin: Object.assign(Readable.from([stdin]), { isTTY }),
        stderr: { write: (text) => shown.push(String(text)), on: () => undefined },
        cwd: () => cwd,
      },
      file,
    );
  expect([await read('-'), await read('invitation'), shown]).toEqual([invitation, invitation, []]);
  expect([await read('-', true), shown]).toEqual([invitation, ['Invitation: ']]);
});

test('refuses an invitation file that is missing or too long', async () => {
  expect(await runAmbit('cluster join --invitation-file none')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^ambit: USAGE_INVALID: cannot read none: it does not exist/),
  });
  expect(await runAmbit('cluster join', { stdin: 'i'.repeat(5000) })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('stdin is larger than 4096 bytes, the limit for an invitation'),
  });
});
