import { asToolSkill, type Capabilities } from '@ambit/core/execute';
import { CapabilityKind, capabilityKinds, decideItem, itemRules, oneItem } from '@ambit/core/policy';
import { redactShapes } from '@ambit/runtime';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { KeyRecord } from '../../auth/key-record.ts';
import { hasScope, type KeyRights } from '../../auth/key-rights.ts';
import { firstKeyName, programActor } from '../../auth/reserved-actors.ts';
import { Refusal } from '../../errors/refusal.ts';
import { json } from '../route/answer.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { defineRoute } from '../route/define-route.ts';
import type { AccessFor } from '../route/request-state.ts';
import { foundSkill, skillProblems } from './skills/found-skill.ts';

const { scopes, skills, ceiling, ratePerMinute, expiresAt, createdAt, revokedAt } = KeyRecord.shape;

const ListedKey = z
  .strictObject({
    name: z.string().describe('`first` is the key of the first start.'),
    status: z.enum(['good', 'expired', 'revoked']),
    scopes,
    skills,
    ceiling,
    ratePerMinute,
    expiresAt,
    revokedAt,
    createdAt: createdAt.exactOptional(),
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

/** The configuration in force, the keys, and what the policy decides. They are only read here. */
export function configurationRoutes(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  const common = { scope: 'admin', group: 'Configuration' } as const;

  defineRoute(app, {
    method: 'GET',
    url: '/configuration',
    ...common,
    id: 'getConfiguration',
    summary: 'Read the configuration in force',
    description:
      'Each value with its origin, as `ambit config` prints it. Installed skills are at `GET /installs`. Values that look like secrets are redacted.',
    answers: { 200: json('The values.', z.strictObject({ values: z.array(ConfigurationValue) })) },
    problems: [],
    async handle() {
      const values = deps.configurationValues().map(({ key, value, origin }) => ({
        key,
        origin,
        value: key.startsWith('secrets.') ? null : redactedValue(value),
      }));
      return { values };
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/keys',
    ...common,
    id: 'listKeys',
    summary: 'List keys',
    description:
      'All keys with their rights, expired and revoked ones too. Keys are created and revoked with `ambit key`.',
    answers: { 200: json('The keys.', z.strictObject({ keys: z.array(ListedKey) })) },
    problems: [],
    async handle() {
      const stored = deps.keys
        .list()
        .map(({ record: { sha256: _, ...record }, status }) => ({ ...record, status }));
      return {
        keys: [{ name: firstKeyName, status: 'good' as const, scopes: ['admin' as const] }, ...stored],
      };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/policy/decide',
    ...common,
    stepUp: 'none',
    id: 'decidePolicy',
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
    async handle({ body: { skill: id, key, capability } }, request) {
      const { catalog, execute } = accessFor(request);
      const skill = asToolSkill(await foundSkill(catalog, id));
      if (skill === undefined)
        throw new Refusal('SKILL_NOT_EXECUTABLE', `${id} has nothing to run, so it uses no capabilities`);
      const wanted = itemOf(capability);
      const rights = key === undefined ? undefined : rightsOfKey(deps, key, skill.id);
      if (rights?.refused !== undefined)
        return {
          allowed: false,
          rule: 'key' as const,
          because: rights.refused,
          remedy: 'use another key, or ask the operator for one',
        };
      return decideItem(execute.policy, skill, wanted, rights?.ceiling);
    },
  });
}

/** A value of the configuration with the texts in it redacted: a URL may have a password. */
function redactedValue(value: unknown): unknown {
  if (typeof value === 'string') return redactShapes(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(redactedValue);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactedValue(each)]));
}

function itemOf({ kind, item }: { kind: CapabilityKind; item: string }): Capabilities {
  const refused = (why: string): Refusal =>
    new Refusal('REQUEST_INVALID', `${JSON.stringify(item.slice(0, 200))} is no item of ${kind}: ${why}`);
  try {
    const wanted = oneItem(kind, item);
    if (capabilityKinds(wanted).length === 0) throw refused('it allows nothing');
    return wanted;
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw refused(error.issues.map(({ message }) => message).join('; '));
  }
}

/** The ceiling of a key for a call of a skill, or why it may not call it. Throws `REQUEST_INVALID` for an unknown key. */
function rightsOfKey(
  { keys }: Pick<AppDeps, 'keys'>,
  name: string,
  skillId: string,
): { refused?: string; ceiling?: KeyRights['ceiling'] } {
  const found = keys.rightsOf(name === firstKeyName ? programActor.firstKey : name);
  if (found.status === 'expired' || found.status === 'revoked')
    return {
      refused: `the key ${name} ${found.status === 'expired' ? 'expired' : 'was revoked'} on ${found.since}`,
    };
  if (found.status !== 'accepted')
    throw new Refusal(
      'REQUEST_INVALID',
      `the key ${JSON.stringify(name)} does not exist; GET /keys lists the keys`,
    );
  const { rights } = found;
  if (!hasScope(rights, 'skills:execute')) return { refused: `the key ${name} has no scope skills:execute` };
  if (rights.skills?.has(skillId) === false)
    return { refused: `the key ${name} is bound to ${[...rights.skills].join(', ')}` };
  return { ceiling: rights.ceiling };
}
