import { CapabilityKind, itemRules } from '@ambit/core/policy';
import { z } from 'zod';
import { json } from './answer.ts';
import { defineContracts } from './contract.ts';
import { KeyTime, keyRights } from './key-rights.ts';
import { skillProblems } from './skill-params.ts';

const ListedKey = z
  .strictObject({
    name: z.string().describe('`first` is the key of the first start.'),
    status: z.enum(['good', 'expired', 'revoked']),
    ...keyRights,
    revokedAt: KeyTime.exactOptional(),
    createdAt: KeyTime.exactOptional(),
  })
  .meta({ id: 'ListedKey', description: 'A key and its rights, without the key or its digest.' });

const ConfigurationValue = z
  .strictObject({
    key: z.string().describe('As in the file: `listen.port`, `grants.git-summary`.'),
    value: z.unknown().describe('`null` for secrets, of which only the name is shown.'),
    origin: z
      .string()
      .describe('`default`, `file:` and a path, `env:` and a variable, or `flag:` and a flag.'),
  })
  .meta({ id: 'ConfigurationValue', description: 'A value of the configuration in force.' });

const Decision = z
  .strictObject({
    allowed: z.boolean(),
    rule: z
      .enum([...itemRules, 'key'])
      .describe(
        'What decides: the request of the skill, a rule or a missing grant, a grant, the tier, the ceiling or the rights of the key.',
      ),
    because: z.string(),
    remedy: z.string().nullable().describe('What to do to allow it; `null`: it is allowed.'),
  })
  .meta({
    id: 'PolicyDecision',
    description: 'Whether a call may use a capability, and the rule that decides.',
  });

/** The configuration in force, the keys, and what the policy decides. They are only read. */
export const configurationContracts = defineContracts('Configuration', {
  getConfiguration: {
    method: 'GET',
    url: '/configuration',
    scope: 'admin',
    summary: 'Read the configuration in force',
    description:
      'Each value with its origin, as `ambit config` prints it. Installed skills are at `GET /installs`. Values that look like secrets are redacted.',
    answers: { 200: json('The values.', z.strictObject({ values: z.array(ConfigurationValue) })) },
    problems: [],
  },
  listKeys: {
    method: 'GET',
    url: '/keys',
    scope: 'admin',
    summary: 'List keys',
    description:
      'All keys with their rights, expired and revoked ones too. Keys are created and revoked with `ambit key`.',
    answers: { 200: json('The keys.', z.strictObject({ keys: z.array(ListedKey) })) },
    problems: [],
  },
  decidePolicy: {
    method: 'POST',
    url: '/policy/decide',
    scope: 'admin',
    stepUp: 'none',
    summary: 'Ask what the policy decides',
    description:
      'Whether a call of a skill may use a capability, decided by the code that grants calls. Runs nothing and changes nothing. A call that lacks another capability is not granted at all, and the answer says which.',
    body: z.strictObject({
      skill: z.string().min(1).max(200).describe('A skill, by id or name.'),
      key: z.string().max(200).exactOptional().describe('The name of a key; absent: a key without bounds.'),
      capability: z.strictObject({
        kind: CapabilityKind,
        item: z
          .string()
          .min(1)
          .max(4096)
          .describe('As in a grant: a path, a host, a name. A secret by its name.'),
      }),
    }),
    bodyExample: { skill: 'web-fetch', capability: { kind: 'network', item: 'api.example:443' } },
    answers: { 200: json('The decision.', Decision) },
    problems: [...skillProblems, 'SKILL_NOT_EXECUTABLE'],
  },
});
