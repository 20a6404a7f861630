// Threat model: T4, T8, T108, T117, T231, T363, T367

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Capabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import { type Tier, tierCeilings, tiersWith } from '../capability/tier.ts';
import type { SkillError } from '../outcome/skill-error.ts';
import type { Script, ToolSkill } from '../skill/skill.ts';
import { asToolSkill } from '../skill/tool-skill.ts';
import { someSkill } from '../testing/some-skill.ts';
import { grantCall, type Narrowing } from './grant.ts';
import type { Policy } from './policy.ts';

type Wishes = Parameters<typeof Capabilities.parse>[0];

function skill(
  capabilities: Wishes,
  {
    tier = 'local',
    runtime = 'process',
    limits = {},
  }: { tier?: Tier; runtime?: string; limits?: object } = {},
): ToolSkill {
  const sidecar = JSON.stringify({ run: { runtime, entry: 'run', capabilities, limits } });
  const made = asToolSkill(someSkill('pdf-fill', { sidecar, tier }));
  if (made === undefined) throw new Error('the sidecar above has a run');
  return made;
}

function policy(operator: Wishes = {}, deny: Wishes = {}, limits: Policy['limits'] = {}): Policy {
  return {
    digest: 'sha256:p',
    tiers: tierCeilings,
    grants: new Map([['pdf-fill', Capabilities.parse(operator)]]),
    deny: Capabilities.parse(deny),
    limits,
  };
}

function denials(of: () => unknown): readonly Denial[] {
  try {
    of();
  } catch (error) {
    expect((error as SkillError).code).toBe('CAPABILITY_DENIED');
    return (error as SkillError).details['denials'] as readonly Denial[];
  }
  throw new Error('nothing was denied');
}

const higherTier =
  'if you trust its source, add to ambit.config.yaml: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show pdf-fill" prints FOLDER';

test.each<[string, Wishes, Wishes, Wishes, string]>([
  [
    'a host path',
    { filesystem: { read: ['/srv/a'] } },
    { filesystem: { read: ['/srv'] } },
    { filesystem: { read: ['/srvx'] } },
    'grants: { pdf-fill: { filesystem: { read: [/srv/a] } } }',
  ],
  [
    'writing a path',
    { filesystem: { write: ['/srv/a'] } },
    { filesystem: { write: ['/srv/a'] } },
    { filesystem: { read: ['/srv/a'] } },
    'grants: { pdf-fill: { filesystem: { write: [/srv/a] } } }',
  ],
  [
    'the network',
    { network: ['a.example:443'] },
    { network: ['*.example'] },
    { network: ['a.example:80'] },
    'grants: { pdf-fill: { network: ["a.example:443"] } }',
  ],
  [
    'a secret',
    { secrets: [{ name: 'TOKEN', hosts: ['a.example'] }] },
    { secrets: [{ name: 'TOKEN', hosts: ['*.example'] }] },
    { secrets: [{ name: 'TOKEN', hosts: ['b.example'] }] },
    'grants: { pdf-fill: { secrets: [{ name: TOKEN, hosts: ["a.example"] }] } }',
  ],
  [
    'an environment variable',
    { env: ['TZ'] },
    { env: ['TZ'] },
    { env: ['LANG'] },
    'grants: { pdf-fill: { env: [TZ] } }',
  ],
  ['memory', { memory: 'read' }, { memory: 'read' }, {}, 'grants: { pdf-fill: { memory: read } }'],
])('access outside the sandbox needs a grant: %s', (_, requested, enough, notEnough, remedy) => {
  expect(grantCall(policy(enough), skill(requested)).capabilities).toEqual(Capabilities.parse(requested));
  const [refusal] = denials(() => grantCall(policy({}), skill(requested)));
  expect(refusal).toMatchObject({ reason: 'is not granted', remedy });
  const [less] = denials(() => grantCall(policy(notEnough), skill(requested)));
  expect(less).toMatchObject({ reason: 'is not granted' });
  // The line includes the earlier grants and is sufficient.
  const line = parse(less?.remedy ?? '').grants['pdf-fill'];
  grantCall(policy(line), skill(notEnough));
  grantCall(policy(line), skill(requested));
});

test.each([
  ['covers the same host in other case and with a trailing dot', 'API.example.', 'api.example', true],
  ['covers port 443 if it names no port', 'api.example', 'api.example:443', true],
  ['covers only the port that it names', 'api.example:8443', 'api.example', false],
  ['with a star covers every subdomain', '*.example', 'a.b.example', true],
  ['with a star does not cover the name after the star', '*.example', 'example', false],
  ['with a star does not cover a name that only ends in the same letters', '*.example', 'evilexample', false],
  ['does not cover a wider star', '*.a.example', '*.example', false],
  ['covers a narrower star', '*.example', '*.a.example', true],
  [
    'covers fewer methods',
    { host: 'a.example', methods: ['GET', 'POST'] },
    { host: 'a.example', methods: ['GET'] },
    true,
  ],
  ['does not cover more methods', { host: 'a.example', methods: ['GET'] }, 'a.example', false],
  [
    'covers paths below its own',
    { host: 'a.example', paths: ['/v1/**'] },
    { host: 'a.example', paths: ['/v1/x'] },
    true,
  ],
  [
    'does not cover sibling paths',
    { host: 'a.example', paths: ['/v1/**'] },
    { host: 'a.example', paths: ['/v10'] },
    false,
  ],
])('a network grant %s', (_, grant, wish, covered) => {
  const call = (): unknown => grantCall(policy({ network: [grant] }), skill({ network: [wish] }));
  if (covered) expect(call).not.toThrow();
  else expect(denials(call)).toHaveLength(1);
});

describe('capabilities inside the sandbox are granted on request', () => {
  const inside = { exec: ['python3'], state: 'write', filesystem: { write: ['workspace'] } } as const;

  test.each(['local', 'verified'] as const)('at tier %s', (tier) => {
    expect(grantCall(policy(), skill(inside, { tier })).capabilities).toEqual(Capabilities.parse(inside));
  });

  test('but not at tier untrusted, where they need a grant', () => {
    const untrusted = skill({ state: 'write' }, { tier: 'untrusted', runtime: 'wasm' });
    expect(denials(() => grantCall(policy(), untrusted))).toMatchObject([
      { capability: 'state', requested: 'write' },
    ]);
    expect(grantCall(policy({ state: 'write' }), untrusted).capabilities.state).toBe('write');
  });
});

describe('no grant exceeds the ceiling of a tier', () => {
  test('a process skill of tier untrusted does not run', () => {
    expect(denials(() => grantCall(policy(), skill({}, { tier: 'untrusted' })))).toEqual([
      {
        capability: 'run',
        requested: 'process',
        reason: 'is not allowed at tier untrusted',
        remedy: higherTier,
      },
    ]);
    expect(() => grantCall(policy(), skill({}, { tier: 'verified' }))).not.toThrow();
  });

  test.each([
    ['network', { network: ['a.example'] }],
    ['secrets', { secrets: [{ name: 'T', hosts: ['a.example'] }] }],
  ])('an untrusted skill gets no %s, even if granted', (kind, wish) => {
    const untrusted = skill(wish, { tier: 'untrusted', runtime: 'wasm' });
    expect(denials(() => grantCall(policy(wish), untrusted))).toMatchObject([
      { capability: kind, reason: 'is not allowed at tier untrusted' },
    ]);
    expect(() => grantCall(policy(wish), skill(wish))).not.toThrow();
  });
});

test.each<[string, Wishes, Wishes]>([
  ['a parent path', { filesystem: { read: ['/srv/a'] } }, { filesystem: { read: ['/srv'] } }],
  ['a path below', { filesystem: { read: ['/srv'] } }, { filesystem: { read: ['/srv/secret'] } }],
  ['a host, on any port', { network: ['a.internal:8443'] }, { network: ['*.internal'] }],
  ['a host that a star covers', { network: ['*.internal'] }, { network: ['db.internal'] }],
])('a deny rule wins over a grant: %s', (_, wish, deny) => {
  expect(denials(() => grantCall(policy(wish, deny), skill(wish)))).toMatchObject([
    { reason: expect.stringMatching(/^is denied by the rule /) },
  ]);
  expect(() => grantCall(policy(wish), skill(wish))).not.toThrow();
});

describe('a call that leaves out what a deny rule excludes', () => {
  const both = { filesystem: { read: ['/srv/a', '/srv/b'], write: [] }, network: ['a.test', 'b.test'] };
  const rules = { filesystem: { read: ['/srv/b'] }, network: ['b.test'] };
  const call = (capabilities: NonNullable<Narrowing['capabilities']>, granted: Wishes = both) =>
    grantCall(policy(granted, rules), skill(both), { narrowing: { capabilities } });

  test('runs with the rest, as each remedy says', () => {
    expect(denials(() => call({}))).toEqual([
      {
        capability: 'filesystem.read',
        requested: '/srv/b',
        reason: 'is denied by the rule /srv/b',
        remedy: 'narrow the call with "capabilities": leave out filesystem.read /srv/b',
      },
      {
        capability: 'network',
        requested: 'b.test',
        reason: 'is denied by the rule b.test',
        remedy: 'narrow the call with "capabilities": leave out network b.test',
      },
    ]);
    const left = { filesystem: { read: ['/srv/a'] }, network: ['a.test'] };
    expect(call(left).capabilities).toEqual(Capabilities.parse(left));
  });

  test('is refused if it names a part of that', () => {
    expect(denials(() => call({ filesystem: { read: ['/srv/a', '/srv/b/c'] }, network: [] }))).toMatchObject([
      { capability: 'filesystem.read', requested: '/srv/b/c' },
    ]);
  });

  test('is refused if the operator does not grant what the skill requests', () => {
    const narrow = { filesystem: { read: ['/srv/a'] }, network: [] };
    expect(
      denials(() => call(narrow, { filesystem: { read: ['/srv/a'] }, network: ['a.test', 'b.test'] })),
    ).toMatchObject([{ requested: '/srv/b', reason: 'is not granted' }]);
  });

  test('may name paths beside a denied one in a granted folder', () => {
    const reader = skill({ filesystem: { read: ['/srv'] } });
    const denied = policy({ filesystem: { read: ['/srv'] } }, rules);
    expect(denials(() => grantCall(denied, reader))).toMatchObject([
      {
        remedy:
          'narrow the call with "capabilities": replace filesystem.read /srv with what the rule leaves of it',
      },
    ]);
    const narrowing = { capabilities: { filesystem: { read: ['/srv/a'] } } };
    expect(grantCall(denied, reader, { narrowing }).capabilities.filesystem.read).toEqual(['/srv/a']);
  });
});

describe('"granted" stands for the paths that the operator grants', () => {
  const reader = skill({ filesystem: { read: ['granted'] } });

  test('all of them', () => {
    const grant = grantCall(policy({ filesystem: { read: ['/srv/a', '/srv/b'] } }), reader);
    expect(grant.capabilities.filesystem).toEqual({ read: ['/srv/a', '/srv/b'], write: [] });
    expect(grant.hostRoots).toEqual({ read: ['/srv/a', '/srv/b'], write: [] });
  });

  test('without the denied ones, unless a deny rule covers all of them', () => {
    const reading = (...paths: string[]) => ({ filesystem: { read: paths } });
    const granted = reading('/srv/a', '/srv/b/c');
    const readable = (deny: Wishes) => grantCall(policy(granted, deny), reader).capabilities.filesystem.read;
    expect(readable(reading('/srv/b'))).toEqual(['/srv/a']);
    expect(readable({ filesystem: { write: ['/srv/b/c'] } })).toEqual(['/srv/a']);
    expect(denials(() => readable(reading('/srv')))).toMatchObject([
      { requested: '/srv/a', reason: 'is denied by the rule /srv' },
      { requested: '/srv/b/c', reason: 'is denied by the rule /srv' },
    ]);
    expect(denials(() => readable(reading('/srv/b/c/d')))).toMatchObject([
      { requested: '/srv/b/c', reason: 'is denied by the rule /srv/b/c/d' },
    ]);
  });

  test('and the call is refused if there are none', () => {
    expect(denials(() => grantCall(policy(), reader))).toEqual([
      {
        capability: 'filesystem.read',
        requested: 'granted',
        reason: 'is not granted',
        remedy: 'grants: { pdf-fill: { filesystem: { read: [/path/to/folder] } } }',
      },
    ]);
  });
});

describe('"granted" stands for the hosts that the operator grants', () => {
  const fetcher = skill({ network: ['granted'] });
  const rules = ['*.example.org', { host: 'example.com', methods: ['GET'] }];

  test('all of them, as written', () => {
    expect(grantCall(policy({ network: rules }), fetcher).capabilities.network).toEqual(rules);
  });

  test('and a caller can leave some of them out', () => {
    const narrowing = { capabilities: { network: ['a.example.org'] } };
    expect(grantCall(policy({ network: rules }), fetcher, { narrowing }).capabilities.network).toEqual([
      'a.example.org',
    ]);
    expect(
      denials(() =>
        grantCall(policy({ network: rules }), fetcher, {
          narrowing: { capabilities: { network: ['a.test'] } },
        }),
      ),
    ).toMatchObject([{ capability: 'network', requested: 'a.test' }]);
  });

  test('and for no other host', () => {
    const beside = skill({ network: ['granted', 'a.test'] });
    expect(denials(() => grantCall(policy({ network: rules }), beside))).toMatchObject([
      { capability: 'network', requested: 'a.test', reason: 'is not granted' },
    ]);
  });

  test('and for no denied host', () => {
    expect(
      denials(() => grantCall(policy({ network: rules }, { network: ['example.com'] }), fetcher)),
    ).toEqual([
      {
        capability: 'network',
        requested: '{ host: "example.com", methods: ["GET"] }',
        reason: 'is denied by the rule example.com',
        remedy:
          'narrow the call with "capabilities": leave out network { host: "example.com", methods: ["GET"] }',
      },
    ]);
  });

  test('and the call is refused if there are none', () => {
    expect(denials(() => grantCall(policy(), fetcher))).toEqual([
      {
        capability: 'network',
        requested: 'granted',
        reason: 'is not granted',
        remedy: 'grants: { pdf-fill: { network: [host.example] } }',
      },
    ]);
  });
});

describe('a caller can narrow a call', () => {
  const wide = policy({ filesystem: { read: ['/srv'] }, env: ['TZ', 'LANG'] });
  const asks = skill({
    filesystem: { read: ['granted'], write: ['workspace'] },
    env: ['TZ', 'LANG'],
    state: 'write',
  });

  test.each<[string, NonNullable<Narrowing['capabilities']>, Wishes]>([
    [
      'to a path below',
      { filesystem: { read: ['/srv/a'] } },
      { filesystem: { read: ['/srv/a'], write: ['workspace'] }, env: ['TZ', 'LANG'], state: 'write' },
    ],
    [
      'to nothing of one kind',
      { env: [] },
      { filesystem: { read: ['/srv'], write: ['workspace'] }, env: [], state: 'write' },
    ],
    [
      'to a lower level',
      { state: 'read' },
      { filesystem: { read: ['/srv'], write: ['workspace'] }, env: ['TZ', 'LANG'], state: 'read' },
    ],
  ])('%s', (_, capabilities, effective) => {
    expect(grantCall(wide, asks, { narrowing: { capabilities } }).capabilities).toEqual(
      Capabilities.parse(effective),
    );
  });

  test.each<[string, NonNullable<Narrowing['capabilities']>]>([
    ['a sibling path', { filesystem: { read: ['/etc'] } }],
    ['a parent path', { filesystem: { read: ['/'] } }],
    ['another variable', { env: ['PATH'] }],
    ['an item that was not requested', { exec: ['bash'] }],
  ])('but never widen it: %s', (_, capabilities) => {
    expect(denials(() => grantCall(wide, asks, { narrowing: { capabilities } }))).toMatchObject([
      { reason: expect.stringContaining('a call can only narrow that') },
    ]);
  });
});

describe('a limit', () => {
  const MiB = 1024 * 1024;
  const memory = (
    tier: 'local' | 'verified',
    of: Partial<Record<'skill' | 'call' | 'granted' | 'every' | 'key', number>>,
    others: Partial<Policy> = {},
  ): number => {
    const limits = (bytes: number | undefined) => (bytes === undefined ? {} : { memoryBytes: bytes * MiB });
    const granted = { ...Capabilities.parse({}), limits: limits(of.granted) };
    return (
      grantCall(
        { ...policy({}, {}, limits(of.every)), grants: new Map([['pdf-fill', granted]]), ...others },
        skill({}, { tier, limits: limits(of.skill) }),
        { narrowing: { limits: limits(of.call) }, ceiling: { limits: limits(of.key) } },
      ).limits.memoryBytes / MiB
    );
  };

  test.each<[string, Parameters<typeof memory>[1], local: number, verified: number]>([
    ['is the default of the tier', {}, 512, 512],
    ['is what the skill asks for, if that is less', { skill: 9 }, 9, 9],
    ['is what the skill asks for, up to the maximum of the tier', { skill: 4096 }, 2048, 1024],
    ['is what the call asks for, whatever the skill asks for', { skill: 9, call: 700 }, 700, 700],
    ['is what the call asks for, up to the maximum of the tier', { call: 4096 }, 2048, 1024],
    ['is what is granted to the skill, if no one asks', { granted: 3000 }, 3000, 3000],
    ['is what is granted to the skill, if that is less than the default', { granted: 8 }, 8, 8],
    ['is what the call asks for, up to the granted maximum', { granted: 3000, call: 4000 }, 3000, 3000],
    ['is what the skill asks for, below the granted maximum', { granted: 3000, skill: 2500 }, 2500, 2500],
    ['never exceeds the limit of every call', { every: 100, granted: 200, call: 300 }, 100, 100],
    ['never exceeds the ceiling of the key', { key: 100, granted: 200, call: 300 }, 100, 100],
    ['is not raised by a ceiling above the default', { key: 1000 }, 512, 512],
    ['is not raised by a limit of every call above the default', { every: 1000 }, 512, 512],
    ['is the least of all bounds', { every: 7, key: 6, granted: 5, call: 8 }, 5, 5],
  ])('%s', (_, of, local, verified) => {
    expect([memory('local', of), memory('verified', of)]).toEqual([local, verified]);
  });

  test('that is a default is at most the memory that all runs share; what is asked for stays', () => {
    const small = { memoryShareBytes: 300 * MiB };
    expect(memory('local', {}, small)).toBe(300);
    expect(memory('local', { skill: 400 }, small)).toBe(400);
  });

  test('that the operator sets for a tier is its maximum, and both with default and max', () => {
    const tiers = tiersWith({
      local: { memoryBytes: 100 * MiB },
      verified: { memoryBytes: { default: 600 * MiB, max: 4096 * MiB } },
    });
    expect(memory('local', { call: 200 }, { tiers })).toBe(100);
    expect(memory('local', {}, { tiers })).toBe(100);
    expect(memory('verified', {}, { tiers })).toBe(600);
    expect(memory('verified', { call: 8192 }, { tiers })).toBe(4096);
  });

  test('of processor time follows the timeout, so that a program on several processors ends at its timeout', () => {
    const times = (call: object, granted: object = {}, tiers = tierCeilings, runtime = 'process') => {
      const grants = new Map([['pdf-fill', { ...Capabilities.parse({}), limits: granted }]]);
      const { limits } = grantCall({ ...policy(), grants, tiers }, skill({}, { runtime }), {
        narrowing: { limits: call },
      });
      return [limits.timeoutMs, limits.cpuMs];
    };
    expect(times({})).toEqual([60_000, 960_000]);
    expect(times({ timeoutMs: 600_000 })).toEqual([600_000, 9_600_000]);
    expect(times({ timeoutMs: 5000, cpuMs: 700 })).toEqual([5000, 700]);
    expect(times({}, { timeoutMs: 3_600_000 })).toEqual([3_600_000, 57_600_000]);
    expect(times({}, {}, tiersWith({ local: { timeoutMs: 1000 } }))).toEqual([1000, 16_000]);
    expect(times({}, {}, tiersWith({ local: { cpuMs: 90_000 } }))).toEqual([60_000, 90_000]);
    expect(times({}, {}, tierCeilings, 'wasm')).toEqual([60_000, 60_000]);
  });

  test('that a call asks for is cut to the maximum, however large', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const everything = { timeoutMs: most, memoryBytes: most, cpuMs: most, processes: most, fileBytes: most };
    expect(grantCall(policy(), skill({}), { narrowing: { limits: everything } }).limits).toEqual(
      tierCeilings.local.limits.process.max,
    );
  });
});

test('the message of a denial names each missing capability and the line that grants all of them', () => {
  expect(() => grantCall(policy(), skill({ network: ['evil.example:443'], env: ['TZ'] }))).toThrow(
    'pdf-fill needs network evil.example:443 and env TZ, which are not granted. ' +
      'Add to ambit.config.yaml: grants: { pdf-fill: { network: ["evil.example:443"], env: [TZ] } }',
  );
});

describe("the ceiling of a caller's key", () => {
  const wish = { network: ['*.example.com'], state: 'write' } as const;
  const granted = (ceiling?: Narrowing, narrowing?: Narrowing) => {
    const { capabilities, limits, narrowed } = grantCall(
      policy({ network: ['*.example.com'] }),
      skill(wish),
      { narrowing, ceiling },
    );
    return [capabilities.network, capabilities.state, limits.timeoutMs, narrowed];
  };

  test.each<[claim: string, ceiling: Narrowing | undefined, narrowing: Narrowing, left: unknown[]]>([
    ['removes nothing if absent', undefined, {}, [['*.example.com'], 'write', 60_000, false]],
    ['removes nothing if empty', {}, {}, [['*.example.com'], 'write', 60_000, false]],
    [
      'leaves kinds that it does not name unchanged',
      { capabilities: { network: ['a.example.com'] } },
      {},
      [['a.example.com'], 'write', 60_000, true],
    ],
    [
      'adds nothing that the skill does not request',
      { capabilities: { network: ['*.example.com', 'b.example'], env: ['LANG'] } },
      {},
      [['*.example.com'], 'write', 60_000, true],
    ],
    [
      'applies together with what the call leaves out itself',
      { capabilities: { network: ['a.example.com', 'b.example.com'] }, limits: { timeoutMs: 50 } },
      {
        capabilities: { network: ['b.example.com', 'c.example.com'], state: 'read' },
        limits: { timeoutMs: 90 },
      },
      [['b.example.com'], 'read', 50, true],
    ],
    [
      'replaces `granted` with what the operator grants',
      { capabilities: { network: ['granted'] } },
      {},
      [['*.example.com'], 'write', 60_000, true],
    ],
  ])('%s', (_, ceiling, narrowing, left) => {
    expect(granted(ceiling, narrowing)).toEqual(left);
  });

  test('neither widens a call nor grants anything', () => {
    const ceiling: Narrowing = { capabilities: { network: ['b.example'] } };
    expect(
      denials(() =>
        grantCall(policy({ network: ['*.example.com'] }), skill(wish), {
          narrowing: { capabilities: { network: ['b.example'] } },
          ceiling,
        }),
      ),
    ).toMatchObject([{ capability: 'network', requested: 'b.example' }]);
    expect(denials(() => grantCall(policy(), skill(wish), { ceiling }))).toMatchObject([
      { capability: 'network', requested: '*.example.com' },
    ]);
  });
});

describe('a skill without a sidecar', () => {
  const script = (
    tier: Tier = 'local',
    program: Script = { path: 'scripts/fill.py', interpreter: 'python3' },
  ): ToolSkill => {
    const scripts = [program];
    const made = asToolSkill(someSkill('pdf-fill', { scripts, tier }));
    if (made === undefined) throw new Error('a script makes a tool skill');
    return made;
  };
  const operator: Wishes & object = {
    exec: ['jq', 'python3'],
    filesystem: { read: ['/srv/forms'], write: ['workspace', '/srv/filled'] },
    network: ['api.example:443', { host: 'b.example', methods: ['GET'] }],
    env: ['TZ'],
    secrets: [{ name: 'TOKEN', hosts: ['api.example'] }],
    state: 'write',
    memory: 'read',
  };

  test("gets its interpreter and a workspace without a grant, and nothing from another skill's grant", () => {
    const own = Capabilities.parse({ exec: ['python3'], filesystem: { write: ['workspace'] } });
    expect(grantCall(policy(), script()).capabilities).toEqual(own);
    const grants = new Map([['pdf-merge', Capabilities.parse(operator)]]);
    expect(grantCall({ ...policy(), grants }, script()).capabilities).toEqual(own);
  });

  test('also gets everything that the operator grants it', () => {
    expect(grantCall(policy(operator), script()).capabilities).toEqual(
      Capabilities.parse({
        ...operator,
        exec: ['python3', 'jq'],
        filesystem: { read: ['/srv/forms'], write: ['workspace', '/srv/filled'] },
      }),
    );
  });

  describe('in Python at tier untrusted', () => {
    const python = script('untrusted');
    const onlyWorkspace = Capabilities.parse({ filesystem: { write: ['workspace'] } });

    test.each<[string, Wishes, Wishes]>([
      ['without a grant', {}, {}],
      ['with any grant', operator, {}],
      ['with a deny rule for everything else', {}, { exec: ['python3'], network: ['*'], state: 'write' }],
    ])('has a workspace and nothing else, %s', (_, granted, denied) => {
      expect(grantCall(policy(granted, denied), python).capabilities).toEqual(onlyWorkspace);
    });

    test('has no workspace if the operator denies it', () => {
      const denied = policy({}, { filesystem: { write: ['workspace'] } });
      expect(denials(() => grantCall(denied, python))).toMatchObject([
        { capability: 'filesystem.write', reason: 'is denied by the rule workspace' },
      ]);
    });

    test('has the limits of Python in WebAssembly at its tier', () => {
      expect(grantCall(policy(), python).limits).toEqual({
        ...tierCeilings.untrusted.limits.python.default,
        memoryBytes: 64 * 1024 * 1024,
      });
    });

    test('gets no capability from a call, and the refusal says how to approve it', () => {
      const narrowing: Narrowing = { capabilities: { env: ['TZ'] } };
      expect(
        denials(() => grantCall(policy({ env: ['TZ'] }), { ...python, isInstalled: true }, { narrowing })),
      ).toEqual([
        {
          capability: 'env',
          requested: 'TZ',
          reason: 'is more than the skill requests, and a call can only narrow that',
          remedy:
            'request less, or leave "capabilities" out of the call; to grant more, ask a person to approve it (to read it: "ambit skills review pdf-fill")',
        },
      ]);
    });

    test('gets no workspace for a request of the sidecar', () => {
      const wishes = { filesystem: { write: ['workspace'] } };
      const declared = skill(wishes, { tier: 'untrusted', runtime: 'wasm' });
      expect(denials(() => grantCall(policy(), declared))).toMatchObject([
        { capability: 'filesystem.write', requested: 'workspace', reason: 'is not granted' },
      ]);
      expect(grantCall(policy(wishes), declared).capabilities).toEqual(onlyWorkspace);
    });
  });

  test('is refused with the tier and only the grants that a higher tier still needs', () => {
    const wishes = { exec: ['jq'], filesystem: { read: ['/srv/forms'], write: ['workspace'] } };
    const untrusted = skill(wishes, { tier: 'untrusted' });
    const [first, ...rest] = denials(() => grantCall(policy(), untrusted));
    expect(first).toMatchObject({ capability: 'run', remedy: higherTier });
    expect(rest).toEqual([
      {
        capability: 'filesystem.read',
        requested: '/srv/forms',
        reason: 'is not granted',
        remedy: 'grants: { pdf-fill: { filesystem: { read: [/srv/forms] } } }',
      },
    ]);
    const granted = policy({ filesystem: { read: ['/srv/forms'] } });
    expect(grantCall(granted, skill(wishes, { tier: 'verified' })).capabilities).toEqual(
      Capabilities.parse(wishes),
    );
  });

  test('is refused a granted item that a deny rule names', () => {
    expect(
      denials(() => grantCall(policy({ exec: ['jq', 'curl'] }, { exec: ['curl'] }), script())),
    ).toMatchObject([{ capability: 'exec', requested: 'curl', reason: 'is denied by the rule curl' }]);
  });

  test('gets the granted paths that no deny rule covers', () => {
    const paths = { filesystem: { read: ['/srv/a', '/srv/b'], write: ['/srv/c', '/srv/d'] } };
    const deny = { filesystem: { read: ['/srv/b'], write: ['/srv/d'] } };
    expect(grantCall(policy(paths, deny), script()).capabilities.filesystem).toEqual({
      read: ['/srv/a'],
      write: ['workspace', '/srv/c'],
    });
  });

  test('gets what the caller leaves of the grant', () => {
    const left = grantCall(policy(operator), script(), {
      narrowing: { capabilities: { exec: ['python3'], network: [], secrets: [] } },
    });
    expect(left.capabilities).toMatchObject({ exec: ['python3'], network: [], secrets: [], env: ['TZ'] });
  });

  test.each<[string, NonNullable<Narrowing['capabilities']>, string]>([
    ['a program', { exec: ['python3', 'jq'] }, 'grants: { pdf-fill: { env: [TZ], exec: [jq] } }'],
    [
      'a path',
      { filesystem: { read: ['/srv/forms'] } },
      'grants: { pdf-fill: { filesystem: { read: [/srv/forms] }, env: [TZ] } }',
    ],
    ['a host', { network: ['api.example'] }, 'grants: { pdf-fill: { network: [api.example], env: [TZ] } }'],
  ])('is refused %s that its caller requests, with the line that adds it', (_, capabilities, line) => {
    const call = (granted: Wishes) => grantCall(policy(granted), script(), { narrowing: { capabilities } });
    expect(denials(() => call({ env: ['TZ'] })).map(({ remedy }) => remedy)).toEqual([line]);
    expect(call(parse(line).grants['pdf-fill']).capabilities).toMatchObject(capabilities);
  });
});

test('a grant adds nothing to the request of a sidecar', () => {
  const operator = { exec: ['git', 'jq'], filesystem: { read: ['/srv'] }, network: ['*.example'] };
  expect(grantCall(policy(operator), skill({ exec: ['git'] })).capabilities).toEqual(
    Capabilities.parse({ exec: ['git'] }),
  );
});

describe('a trial', () => {
  const trial = { narrowing: { trial: true } } as const;
  const wishes: Wishes = {
    exec: ['python3'],
    state: 'write',
    env: ['TZ'],
    network: ['a.example'],
    memory: 'read',
    filesystem: { read: ['/srv/a', 'granted'], write: ['workspace', '/srv/b'] },
    secrets: [{ name: 'TOKEN', hosts: ['a.example'] }],
  };

  test.each<[string, Wishes]>([
    ['without a grant', {}],
    ['with a grant', { network: ['*.example'], env: ['TZ'], filesystem: { read: ['/srv'] } }],
  ])('has only what stays inside the sandbox, %s', (_, operator) => {
    const given = grantCall(policy(operator), skill(wishes), trial);
    expect(given).toMatchObject({ trial: true, narrowed: true });
    expect(given.capabilities).toEqual(
      Capabilities.parse({ exec: ['python3'], state: 'write', filesystem: { write: ['workspace'] } }),
    );
    expect(grantCall(policy(wishes), skill({ env: ['TZ'] }))).toMatchObject({ trial: false });
  });

  test('is refused what a deny rule or the tier refuses, and what its caller adds', () => {
    const denied = policy({}, { exec: ['python3'] });
    expect(denials(() => grantCall(denied, skill(wishes), trial))[0]).toMatchObject({ capability: 'exec' });
    const untrusted = skill(wishes, { tier: 'untrusted' });
    expect(denials(() => grantCall(policy(), untrusted, trial))[0]).toMatchObject({ capability: 'run' });
    const adding = { narrowing: { trial: true as const, capabilities: { env: ['TZ'] } } };
    expect(denials(() => grantCall(policy(wishes), skill(wishes), adding))).toMatchObject([
      { capability: 'env', requested: 'TZ' },
    ]);
  });
});

describe('the rights of a user', () => {
  const asks = skill({ exec: ['python3'], host: true });
  const trusted = policy({ host: true });
  const published = asToolSkill(someSkill('pdf-fill', { scripts: [{ path: 'run.sh', interpreter: 'sh' }] }));
  if (published === undefined) throw new Error('it has a script');
  const has = (...call: Parameters<typeof grantCall>): boolean | undefined =>
    grantCall(...call).capabilities.host;

  test('are given to a skill of tier local that requests them, or has no sidecar, once they are granted', () => {
    expect([has(trusted, asks), has(trusted, published)]).toEqual([true, true]);
    expect(has(trusted, skill({ exec: ['python3'] }))).toBeUndefined();
    expect(has(policy(), published)).toBeUndefined();
    expect(denials(() => grantCall(policy({ env: ['TZ'] }), asks))).toEqual([
      {
        capability: 'host',
        requested: 'true',
        reason: 'is not granted',
        remedy:
          'grant only what it needs: filesystem, network, env, exec. Only if you trust it like your own shell, add to ambit.config.yaml: grants: { pdf-fill: { env: [TZ], host: true } }',
      },
    ]);
  });

  test.each(['verified', 'untrusted'] as const)('are never given to tier %s', (tier) => {
    const denied = denials(() => grantCall(trusted, skill({ host: true }, { tier, runtime: 'wasm' })));
    expect(denied).toEqual([
      {
        capability: 'host',
        requested: 'true',
        reason: `is only for tier local, and pdf-fill has tier ${tier}`,
        remedy: 'grant only what it needs: filesystem, network, env, exec',
      },
    ]);
  });

  test('are never given to an installed skill, also with tier local', () => {
    expect(denials(() => grantCall(trusted, { ...asks, isInstalled: true }))).toEqual([
      {
        capability: 'host',
        requested: 'true',
        reason: 'is only for your own skills, and pdf-fill is installed',
        remedy: 'grant only what it needs: filesystem, network, env, exec',
      },
    ]);
  });

  test('are lost in a call or a trial that does not name them', () => {
    const within = (narrowing: Narrowing) => has(trusted, asks, { narrowing });
    expect(within({ capabilities: { host: true } })).toBe(true);
    expect(within({ limits: { timeoutMs: 1 } })).toBe(true);
    expect(within({ capabilities: {} })).toBeUndefined();
    expect(within({ capabilities: { host: false } })).toBe(false);
    expect(within({ trial: true })).toBeUndefined();
  });

  test('are refused to a key whose ceiling does not name them, unless its call leaves them out', () => {
    const below = (ceiling: Narrowing, narrowing: Narrowing = {}) =>
      has(trusted, asks, { ceiling, narrowing });
    expect(below({ capabilities: { host: true } })).toBe(true);
    expect(below({ capabilities: { network: [] } }, { capabilities: {} })).toBeUndefined();
    for (const ceiling of [{ capabilities: { network: [] } }, { limits: { timeoutMs: 1 } }, {}])
      expect(denials(() => below(ceiling))).toMatchObject([
        { reason: 'is excluded by the ceiling of the key' },
      ]);
  });

  test('cannot be added by a caller', () => {
    const narrowing = { capabilities: { host: true } };
    for (const plain of [skill({}), published])
      expect(denials(() => grantCall(policy(), plain, { narrowing }))).toMatchObject([
        { capability: 'host' },
      ]);
  });

  test('are refused with a deny rule that nothing could enforce, and beside secrets', () => {
    for (const deny of [{ network: ['*.internal'] }, { exec: ['curl'] }, { host: true }])
      expect(denials(() => grantCall(policy({ host: true }, deny), asks))).toMatchObject([
        { capability: 'host', reason: expect.stringContaining('would reach past the deny rule ') },
      ]);
    const denied = { env: ['TZ'], filesystem: { read: ['/srv/keys'] } };
    expect(grantCall(policy({ host: true }, denied), asks)).toMatchObject({
      hostDenied: ['/srv/keys'],
      variablesDenied: ['TZ'],
    });
    const secrets = [{ name: 'T', hosts: ['a.example'] }];
    expect(
      denials(() => grantCall(policy({ host: true, secrets }), skill({ host: true, secrets }))),
    ).toMatchObject([{ capability: 'host', reason: 'cannot be combined with secrets' }]);
  });
});
