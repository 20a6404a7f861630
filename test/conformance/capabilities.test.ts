// The features of boternity's capabilities and tiers that users rely on: each capability has a counterpart that
// is granted or refused.
import { describe, expect, test } from 'vitest';
import {
  asToolSkill,
  Capabilities,
  type Grant,
  grantCall,
  type Policy,
  type Tier,
  type ToolSkill,
} from '../../packages/core/src/execute.ts';
import { SkillError } from '../../packages/core/src/index.ts';
import { type Denial, tierCeilings } from '../../packages/core/src/policy.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

/** By boternity's name: what a sidecar requests and an operator grants. */
const names = {
  read_file: { filesystem: { read: ['/srv/data'] } },
  write_file: { filesystem: { write: ['/srv/data'] } },
  http_get: { network: [{ host: 'api.example.com', methods: ['GET'] }] },
  http_post: { network: [{ host: 'api.example.com', methods: ['POST'] }] },
  exec_command: { exec: ['python3'] },
  read_env: { env: ['TZ'] },
  recall_memory: { memory: 'read' },
  get_secret: { secrets: [{ name: 'TOKEN', hosts: ['api.example.com'] }] },
} as const;

function asking(capabilities: object, tier: Tier, runtime: string): ToolSkill {
  const run = { runtime, entry: runtime === 'wasm' ? 'a.wasm' : 'scripts/run.py', capabilities };
  const skill = asToolSkill({ ...aSkill('subject', { run }), tier });
  if (skill === undefined) throw new Error('the skill has a run, so it is a tool');
  return skill;
}

function granted(
  capabilities: object,
  grants: object,
  { deny = {}, tier = 'local' as Tier, runtime = 'wasm' } = {},
): Grant {
  const policy: Policy = {
    digest: 'sha256:test',
    tiers: tierCeilings,
    grants: new Map([['subject', Capabilities.parse(grants)]]),
    deny: Capabilities.parse(deny),
    limits: {},
  };
  return grantCall(policy, asking(capabilities, tier, runtime));
}

/** The refused capabilities of a request. */
function refusedOf(...args: Parameters<typeof granted>): string[] {
  try {
    granted(...args);
    return [];
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== 'CAPABILITY_DENIED') throw error;
    const denials = (error.details?.['denials'] ?? []) as Denial[];
    return denials.map(({ capability }) => capability);
  }
}

describe.each(Object.entries(names))('%s', (_, capabilities) => {
  const [kind] = refusedOf(capabilities, {}, { tier: 'untrusted' });

  test('is granted by a line of configuration', () => {
    expect(granted(capabilities, capabilities).capabilities).toEqual(Capabilities.parse(capabilities));
  });

  test('is refused at tier untrusted without a grant, and after its removal', () => {
    expect(kind).toBeDefined();
    expect(refusedOf(capabilities, {}, { tier: 'untrusted' })).toEqual([kind]);
  });

  test('is refused by a deny rule despite any grant', () => {
    expect(refusedOf(capabilities, capabilities, { deny: capabilities })).toEqual([kind]);
  });
});

test('grants all of several capabilities, or refuses with an error that names the missing ones', () => {
  const [env, memory] = [names.read_env, names.recall_memory];
  const both = { ...env, ...memory };
  expect(refusedOf(both, both)).toEqual([]);
  expect(refusedOf(both, env)).toEqual(['memory']);
  expect(refusedOf(both, {})).toEqual(['env', 'memory']);
});

test('does not treat a grant for GET as one for POST', () => {
  expect(refusedOf(names.http_post, names.http_get)).toEqual(['network']);
  expect(refusedOf(names.http_get, names.http_get)).toEqual([]);
});

test('limits memory and time by tier, which a skill cannot choose', () => {
  const MiB = 1024 * 1024;
  const limitsAt = (tier: Tier, runtime = 'wasm') => {
    const { memoryBytes, timeoutMs } = granted({}, {}, { tier, runtime }).limits;
    return [memoryBytes / MiB, timeoutMs / 1000];
  };
  expect([limitsAt('untrusted'), limitsAt('verified'), limitsAt('local')]).toEqual([
    [64, 10],
    [64, 30],
    [256, 60],
  ]);
  expect(limitsAt('local', 'process')[1]).toBe(60);
  expect(() => aSkill('subject', { tier: 'local' })).toThrow('"tier"');
});
