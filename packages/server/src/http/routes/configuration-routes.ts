import { configurationContracts } from '@ambit/api';
import { asToolSkill, type Capabilities } from '@ambit/core/execute';
import { type CapabilityKind, capabilityKinds, decideItem, oneItem } from '@ambit/core/policy';
import { usableSkill } from '@ambit/core/skill';
import { redactShapes } from '@ambit/runtime';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { hasScope, type KeyRights } from '../../auth/key-rights.ts';
import { firstKeyName, programActor } from '../../auth/reserved-actors.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { AppDeps } from '../route/app-deps.ts';
import type { AccessFor } from '../route/request-state.ts';
import { route } from '../route/route.ts';

/** The configuration in force, the keys, and what the policy decides. They are only read here. */
export function configurationRoutes(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  route(app, configurationContracts.getConfiguration, async () => {
    const values = deps.configurationValues().map(({ key, value, origin }) => ({
      key,
      origin,
      value: key.startsWith('secrets.') ? null : redactedValue(value),
    }));
    return { values };
  });

  route(app, configurationContracts.listKeys, async () => {
    const stored = deps.keys
      .list()
      .map(({ record: { sha256: _, ...record }, status }) => ({ ...record, status }));
    return {
      keys: [{ name: firstKeyName, status: 'good' as const, scopes: ['admin' as const] }, ...stored],
    };
  });

  route(
    app,
    configurationContracts.decidePolicy,
    async ({ body: { skill: id, key, capability } }, request) => {
      const { catalog, execute } = accessFor(request);
      const skill = asToolSkill(await usableSkill(catalog, id));
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
  );
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
