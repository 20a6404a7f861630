// Threat model: T242

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterActions } from '@ambit/server/cluster';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../server/src/testing/plain-config.ts';
import { type CliEnvironment, noWorkspaces, runAmbit } from '../testing/run-ambit.ts';

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
  expect(await runAmbit('cluster join word', joining().around)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^ambit: USAGE_INVALID: too many arguments for 'join'/),
  });
});

test('accepts the data of a call, which is the choice of the caller', async () => {
  const sent: unknown[] = [];
  const around: CliEnvironment = {
    actions: {
      connectRunner: async () => ({
        execute: async (call) => {
          sent.push(call.input);
          return Promise.reject(new Error('nothing ran'));
        },
        workspaces: noWorkspaces,
        close: async () => undefined,
      }),
    },
  };
  await runAmbit(['run', 'x', '--input', JSON.stringify({ text: key })], around);
  await runAmbit(['run', 'x', '--', key], around);
  expect(sent).toEqual([
    expect.objectContaining({ input: { text: key } }),
    expect.objectContaining({ args: [key] }),
  ]);
});

test('reads an invitation from stdin, from a file, and on a terminal at a prompt', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'invitation'), `${invitation}\n`);
  const { joined, around } = joining();
  const done = { exitCode: 0, stdout: 'Joined the cluster c as node b.\n', stderr: 'Next: ambit serve\n' };
  const stdin = `${invitation}\n`;
  expect(await runAmbit('cluster join', { ...around, stdin })).toEqual(done);
  expect(await runAmbit('cluster join --invitation-file invitation', { ...around, cwd: folder })).toEqual(
    done,
  );
  expect(await runAmbit('cluster join', { ...around, stdin, stdinIsTerminal: true })).toEqual({
    ...done,
    stderr: `Invitation: ${done.stderr}`,
  });
  expect(joined).toEqual([invitation, invitation, invitation]);
});

test('refuses an invitation file that is missing or too long', async () => {
  const { joined, around } = joining();
  expect(await runAmbit('cluster join --invitation-file none', around)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^ambit: USAGE_INVALID: cannot read none: it does not exist/),
  });
  expect(await runAmbit('cluster join', { ...around, stdin: 'i'.repeat(5000) })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('stdin is larger than 4096 bytes, the limit for an invitation'),
  });
  expect(joined).toEqual([]);
});

function joining(): { joined: string[]; around: CliEnvironment } {
  const joined: string[] = [];
  const join = async (_: unknown, text: string) => {
    joined.push(text);
    return { cluster: 'c', name: 'b' };
  };
  return {
    joined,
    around: {
      actions: {
        loadConfig: async () => plainConfig,
        cluster: async () => ({ join }) as unknown as ClusterActions,
      },
    },
  };
}
