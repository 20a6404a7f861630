// Threat model: T355, T405

import { expect, test } from 'vitest';
import { policySections, sectionsIn } from './cluster-policy.ts';
import { parseConfigFile } from './file/config-file.ts';
import { settingsSchema } from './file/settings.ts';

const anything = { grants: {}, deny: {}, limits: {}, tiers: {}, mcp: { untrustedTools: false } };
const schema = settingsSchema('/', '/home/ada');

/** Explains why a policy with these sections is refused; `undefined`: it is used. */
function refusal(sections: object): string | undefined {
  try {
    sectionsIn({ ...anything, ...sections });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Explains why a configuration file with these sections is refused; `undefined`: it is used. */
function refusalOfFile(sections: object): string | undefined {
  const { issues } = parseConfigFile(Buffer.from(JSON.stringify(sections)), 'file', schema);
  return issues.length === 0 ? undefined : issues.map((issue) => issue.replace('file: ', '')).join('; ');
}

test.each(['grants', 'deny', 'limits', 'tiers', 'mcp'])('refuses a policy without %s', (key) => {
  expect(refusal({ [key]: undefined })).toBe(`${key} is missing; write a mapping`);
});

test('uses a policy with all sections', () => {
  const sections = sectionsIn({ ...anything, tiers: { local: { timeoutMs: 1000 } } });
  expect(sections).toMatchObject({ grants: {}, tiers: { local: { timeoutMs: 1000 } } });
  expect(sections && sectionsIn(policySections(sections))).toEqual(sections);
});

test.each<[what: string, used: object, refused: object]>([
  [
    'the time of a skill',
    { grants: { a: { limits: { timeoutMs: 2 ** 31 - 1 } } } },
    { grants: { a: { limits: { timeoutMs: 2 ** 31 } } } },
  ],
  [
    'the processes of a skill',
    { grants: { a: { limits: { processes: 32_768 } } } },
    { grants: { a: { limits: { processes: 32_769 } } } },
  ],
  [
    'the output of a skill',
    { grants: { a: { limits: { outputBytes: 2 ** 28 } } } },
    { grants: { a: { limits: { outputBytes: 2 ** 28 + 1 } } } },
  ],
  ['the time of every call', { limits: { timeoutMs: 2 ** 31 - 1 } }, { limits: { timeoutMs: 2 ** 31 } }],
  [
    'the time of a tier',
    { tiers: { local: { timeoutMs: 2 ** 31 - 1 } } },
    { tiers: { local: { timeoutMs: 2 ** 31 } } },
  ],
  [
    'the default of a tier',
    { tiers: { verified: { memoryBytes: { default: 1, max: 2 } } } },
    { tiers: { verified: { memoryBytes: { default: 2, max: 1 } } } },
  ],
  ['a host', { grants: { a: { network: ['*.example'] } } }, { grants: { a: { network: ['*'] } } }],
])('refuses the same values for %s as a configuration file, and uses the same', (_, used, refused) => {
  expect([refusal(used), refusalOfFile(used)]).toEqual([undefined, undefined]);
  const why = refusalOfFile(refused);
  expect(why).toEqual(expect.any(String));
  expect(refusal(refused)).toBe(why);
});
