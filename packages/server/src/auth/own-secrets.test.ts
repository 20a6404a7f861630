// Threat model: T207

import { redactShapes } from '@ambit/runtime';
import { expect, test } from 'vitest';
import { invitationText } from '../cluster/enrolment/invitation.ts';
import { consoleSecret, oneTimeCodes } from '../console/one-time-codes.ts';
import { newKey } from './new-key.ts';

const authority = 'f'.repeat(64);
const makers: Record<string, () => string> = {
  'an API key': newKey,
  'a one-time code of the console': () => oneTimeCodes(Date.now).issue('confirm', [], 'approve a').code,
  'half a session of the console': () => consoleSecret('session'),
  'an invitation to a cluster': () =>
    invitationText({ address: 'node-1.example:7434', authority, secret: newKey().slice(-32) }),
};

test.each(Object.entries(makers))('%s is redacted by its shape alone', (_, make) => {
  for (let time = 0; time < 500; time++) {
    const secret = make();
    expect(redactShapes(`refused "${secret}", ${secret}\n#code=${secret}`)).toBe(
      'refused "[redacted]", [redacted]\n#code=[redacted]',
    );
  }
});

test.each([
  ['another key of the same length', `ambit_${'k9'.repeat(21)}K`, '[redacted]'],
  ['a name of a metric', 'ambit_prewarmed_programs_starting 1', 'ambit_prewarmed_programs_starting 1'],
  ['the name of a cookie', 'ambit-console-7433-0123456789ab', 'ambit-console-7433-0123456789ab'],
  ['a word that begins like an invitation', 'ambit-join-failed', 'ambit-join-failed'],
])('a shape does not know which keys exist: %s', (_, text, shown) => {
  expect(redactShapes(text)).toBe(shown);
});
