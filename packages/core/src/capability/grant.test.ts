import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { SkillError } from '../execute/skill-error.ts';
import { asToolSkill, type ToolSkill } from '../skill/skill.ts';
import { someSkill } from '../testing/some-skill.ts';
import { Capabilities } from './capabilities.ts';
import type { Denial } from './denial.ts';
import { grantCall, type Narrowing } from './grant.ts';
import type { Policy } from './policy.ts';
import { type Tier, tierCeilings } from './tier.ts';

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
  'if you trust its source, add its folder to ambit.config.yaml with a higher tier: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show pdf-fill" prints FOLDER';

describe('what reaches outside the sandbox needs a line of the operator’s', () => {
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
  ])('%s', (_, requested, enough, notEnough, remedy) => {
    expect(grantCall(policy(enough), skill(requested)).capabilities).toEqual(Capabilities.parse(requested));
    const [refusal] = denials(() => grantCall(policy({}), skill(requested)));
    expect(refusal).toMatchObject({ reason: 'no grant covers it', remedy });
    const [less] = denials(() => grantCall(policy(notEnough), skill(requested)));
    expect(less).toMatchObject({ reason: 'no grant covers it' });
    // The line has what was granted before as well, and is enough.
    const line = parse(less?.remedy ?? '').grants['pdf-fill'];
    grantCall(policy(line), skill(notEnough));
    grantCall(policy(line), skill(requested));
  });
});

describe('a network grant covers', () => {
  test.each([
    ['the same host in other case and with a dot', 'API.example.', 'api.example', true],
    ['443 when no port is named', 'api.example', 'api.example:443', true],
    ['nothing but its port', 'api.example:8443', 'api.example', false],
    ['every host below a star', '*.example', 'a.b.example', true],
    ['not the name after the star itself', '*.example', 'example', false],
    ['not a name that merely ends alike', '*.example', 'evilexample', false],
    ['not a wider star', '*.a.example', '*.example', false],
    ['a narrower star', '*.example', '*.a.example', true],
    [
      'fewer methods',
      { host: 'a.example', methods: ['GET', 'POST'] },
      { host: 'a.example', methods: ['GET'] },
      true,
    ],
    ['not more methods', { host: 'a.example', methods: ['GET'] }, 'a.example', false],
    [
      'paths beneath',
      { host: 'a.example', paths: ['/v1/**'] },
      { host: 'a.example', paths: ['/v1/x'] },
      true,
    ],
    [
      'not paths beside',
      { host: 'a.example', paths: ['/v1/**'] },
      { host: 'a.example', paths: ['/v10'] },
      false,
    ],
  ])('%s', (_, grant, wish, covered) => {
    const call = (): unknown => grantCall(policy({ network: [grant] }), skill({ network: [wish] }));
    if (covered) expect(call).not.toThrow();
    else expect(denials(call)).toHaveLength(1);
  });
});

describe('what stays inside the sandbox is granted as requested', () => {
  const inside = { exec: ['python3'], state: 'write', filesystem: { write: ['workspace'] } } as const;

  test.each(['local', 'verified'] as const)('at tier %s', (tier) => {
    expect(grantCall(policy(), skill(inside, { tier })).capabilities).toEqual(Capabilities.parse(inside));
  });

  test('but not at tier untrusted, where the operator has to say so', () => {
    const untrusted = skill({ state: 'write' }, { tier: 'untrusted', runtime: 'wasm' });
    expect(denials(() => grantCall(policy(), untrusted))).toMatchObject([
      { capability: 'state', requested: 'write' },
    ]);
    expect(grantCall(policy({ state: 'write' }), untrusted).capabilities.state).toBe('write');
  });
});

describe('a tier is a ceiling that no grant lifts', () => {
  test('untrusted process skills do not run', () => {
    expect(denials(() => grantCall(policy(), skill({}, { tier: 'untrusted' })))).toEqual([
      {
        capability: 'run',
        requested: 'process',
        reason: 'skills of tier untrusted do not run as programs of the host, whatever is granted to them',
        remedy: higherTier,
      },
    ]);
    expect(() => grantCall(policy(), skill({}, { tier: 'verified' }))).not.toThrow();
  });

  test.each([
    ['network', { network: ['a.example'] }],
    ['secrets', { secrets: [{ name: 'T', hosts: ['a.example'] }] }],
  ])('untrusted skills have no %s, granted or not', (kind, wish) => {
    const untrusted = skill(wish, { tier: 'untrusted', runtime: 'wasm' });
    expect(denials(() => grantCall(policy(wish), untrusted))).toMatchObject([
      { reason: `tier untrusted allows no ${kind}` },
    ]);
    expect(() => grantCall(policy(wish), skill(wish))).not.toThrow();
  });
});

describe('a deny rule wins over a grant', () => {
  test.each<[string, Wishes, Wishes]>([
    ['the same path', { filesystem: { read: ['/srv/a'] } }, { filesystem: { read: ['/srv/a'] } }],
    ['a path above', { filesystem: { read: ['/srv/a'] } }, { filesystem: { read: ['/srv'] } }],
    ['a path beneath', { filesystem: { read: ['/srv'] } }, { filesystem: { read: ['/srv/secret'] } }],
    ['a host, on any port', { network: ['a.internal:8443'] }, { network: ['*.internal'] }],
    ['a host beneath a star', { network: ['*.internal'] }, { network: ['db.internal'] }],
    ['a program', { exec: ['bash'] }, { exec: ['bash'] }],
    ['a variable', { env: ['TZ'] }, { env: ['TZ'] }],
  ])('%s', (_, wish, deny) => {
    expect(denials(() => grantCall(policy(wish, deny), skill(wish)))).toMatchObject([
      { reason: expect.stringMatching(/^denied by the rule /) },
    ]);
    expect(() => grantCall(policy(wish), skill(wish))).not.toThrow();
  });
});

describe('"granted" stands for the operator’s paths', () => {
  const reader = skill({ filesystem: { read: ['granted'] } });

  test('all of them', () => {
    const grant = grantCall(policy({ filesystem: { read: ['/srv/a', '/srv/b'] } }), reader);
    expect(grant.capabilities.filesystem).toEqual({ read: ['/srv/a', '/srv/b'], write: [] });
    expect(grant.hostRoots).toEqual({ read: ['/srv/a', '/srv/b'], write: [] });
  });

  test('and the call is refused where there are none', () => {
    expect(denials(() => grantCall(policy(), reader))).toEqual([
      {
        capability: 'filesystem.read',
        requested: 'granted',
        reason: 'the operator has granted no path',
        remedy: 'grants: { pdf-fill: { filesystem: { read: […] } } }',
      },
    ]);
  });
});

describe('"granted" stands for the operator’s hosts', () => {
  const fetcher = skill({ network: ['granted'] });
  const rules = ['*.example.org', { host: 'example.com', methods: ['GET'] }];

  test('all of them, as they are written', () => {
    expect(grantCall(policy({ network: rules }), fetcher).capabilities.network).toEqual(rules);
  });

  test('and a caller can take some of them away', () => {
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

  test('a host beside them is not among them', () => {
    const beside = skill({ network: ['granted', 'a.test'] });
    expect(denials(() => grantCall(policy({ network: rules }), beside))).toMatchObject([
      { capability: 'network', requested: 'a.test', reason: 'no grant covers it' },
    ]);
  });

  test('what is denied is not among them', () => {
    expect(
      denials(() => grantCall(policy({ network: rules }, { network: ['example.com'] }), fetcher)),
    ).toEqual([
      {
        capability: 'network',
        requested: '{ host: "example.com", methods: ["GET"] }',
        reason: 'denied by the rule example.com',
        remedy: 'remove deny rule network: example.com',
      },
    ]);
  });

  test('and the call is refused where there are none', () => {
    expect(denials(() => grantCall(policy(), fetcher))).toEqual([
      {
        capability: 'network',
        requested: 'granted',
        reason: 'the operator has granted no host',
        remedy: 'grants: { pdf-fill: { network: […] } }',
      },
    ]);
  });
});

describe('a caller narrows', () => {
  const wide = policy({ filesystem: { read: ['/srv'] }, env: ['TZ', 'LANG'] });
  const asks = skill({
    filesystem: { read: ['granted'], write: ['workspace'] },
    env: ['TZ', 'LANG'],
    state: 'write',
  });

  test.each<[string, NonNullable<Narrowing['capabilities']>, Wishes]>([
    [
      'to a path beneath',
      { filesystem: { read: ['/srv/a'] } },
      { filesystem: { read: ['/srv/a'], write: ['workspace'] }, env: ['TZ', 'LANG'], state: 'write' },
    ],
    [
      'to nothing of a kind',
      { env: [] },
      { filesystem: { read: ['/srv'], write: ['workspace'] }, env: [], state: 'write' },
    ],
    [
      'to less of a level',
      { state: 'read' },
      { filesystem: { read: ['/srv'], write: ['workspace'] }, env: ['TZ', 'LANG'], state: 'read' },
    ],
  ])('%s', (_, capabilities, effective) => {
    expect(grantCall(wide, asks, { narrowing: { capabilities } }).capabilities).toEqual(
      Capabilities.parse(effective),
    );
  });

  test.each<[string, NonNullable<Narrowing['capabilities']>]>([
    ['a path beside', { filesystem: { read: ['/etc'] } }],
    ['a path above', { filesystem: { read: ['/'] } }],
    ['another variable', { env: ['PATH'] }],
    ['what was not requested', { exec: ['bash'] }],
  ])('and never widens: %s', (_, capabilities) => {
    expect(denials(() => grantCall(wide, asks, { narrowing: { capabilities } }))).toMatchObject([
      { reason: expect.stringContaining('a caller can only narrow') },
    ]);
  });
});

test('limits are the least of tier, skill, operator and caller', () => {
  const asks = skill({}, { limits: { timeoutMs: 50_000, memoryBytes: 1_000, processes: 4 } });
  expect(
    grantCall(policy({}, {}, { timeoutMs: 40_000, cpuMs: 7 }), asks, {
      narrowing: { limits: { processes: 9, fileBytes: 5, outputBytes: 10 } },
    }).limits,
  ).toEqual({
    timeoutMs: 40_000,
    memoryBytes: 1_000,
    cpuMs: 7,
    processes: 4,
    fileBytes: 5,
    outputBytes: 10,
    fuel: null,
  });
});

test('the message of a denial names each missing capability and the line that would grant it', () => {
  expect(() => grantCall(policy(), skill({ network: ['evil.example:443'], env: ['TZ'] }))).toThrow(
    'pdf-fill is not run. network evil.example:443: no grant covers it. To grant it: grants: { pdf-fill: { network: ["evil.example:443"] } }; ' +
      'env TZ: no grant covers it. To grant it: grants: { pdf-fill: { env: [TZ] } }',
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
    ['none takes nothing away', undefined, {}, [['*.example.com'], 'write', 60_000, false]],
    ['an empty one neither', {}, {}, [['*.example.com'], 'write', 60_000, false]],
    [
      'what it does not speak of stays',
      { capabilities: { network: ['a.example.com'] } },
      {},
      [['a.example.com'], 'write', 60_000, true],
    ],
    [
      "what it allows and no skill asks for is nobody's",
      { capabilities: { network: ['*.example.com', 'b.example'], env: ['LANG'] } },
      {},
      [['*.example.com'], 'write', 60_000, true],
    ],
    [
      'it holds beside what the call takes away itself, and the least of both is left',
      { capabilities: { network: ['a.example.com', 'b.example.com'] }, limits: { timeoutMs: 50 } },
      {
        capabilities: { network: ['b.example.com', 'c.example.com'], state: 'read' },
        limits: { timeoutMs: 90 },
      },
      [['b.example.com'], 'read', 50, true],
    ],
    [
      '`granted` in it is what the operator granted',
      { capabilities: { network: ['granted'] } },
      {},
      [['*.example.com'], 'write', 60_000, true],
    ],
  ])('%s', (_, ceiling, narrowing, left) => {
    expect(granted(ceiling, narrowing)).toEqual(left);
  });

  test('does not let a call widen, nor a skill have what nobody granted', () => {
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
  const script = (tier: Tier = 'local'): ToolSkill => {
    const scripts = [{ path: 'scripts/fill.py', interpreter: 'python3' }];
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

  test('has its interpreter and a workspace without a grant, and with another skill’s', () => {
    const own = Capabilities.parse({ exec: ['python3'], filesystem: { write: ['workspace'] } });
    expect(grantCall(policy(), script()).capabilities).toEqual(own);
    const grants = new Map([['pdf-merge', Capabilities.parse(operator)]]);
    expect(grantCall({ ...policy(), grants }, script()).capabilities).toEqual(own);
  });

  test('has beside them all that the operator names for it', () => {
    expect(grantCall(policy(operator), script()).capabilities).toEqual(
      Capabilities.parse({
        ...operator,
        exec: ['python3', 'jq'],
        filesystem: { read: ['/srv/forms'], write: ['workspace', '/srv/filled'] },
      }),
    );
  });

  test('gains nothing from a grant at tier untrusted', () => {
    expect(denials(() => grantCall(policy({ exec: ['jq'] }), script('untrusted')))).toEqual([
      {
        capability: 'run',
        requested: 'process',
        reason: 'skills of tier untrusted do not run as programs of the host, whatever is granted to them',
        remedy: higherTier,
      },
    ]);
  });

  test('names beside the tier only the grants that a higher tier still needs', () => {
    const wishes = { exec: ['jq'], filesystem: { read: ['/srv/forms'], write: ['workspace'] } };
    const untrusted = skill(wishes, { tier: 'untrusted' });
    const [first, ...rest] = denials(() => grantCall(policy(), untrusted));
    expect(first).toMatchObject({ capability: 'run', remedy: higherTier });
    expect(rest).toEqual([
      {
        capability: 'filesystem.read',
        requested: '/srv/forms',
        reason: 'no grant covers it',
        remedy: 'grants: { pdf-fill: { filesystem: { read: [/srv/forms] } } }',
      },
    ]);
    const granted = policy({ filesystem: { read: ['/srv/forms'] } });
    expect(grantCall(granted, skill(wishes, { tier: 'verified' })).capabilities).toEqual(
      Capabilities.parse(wishes),
    );
  });

  test('is refused what a deny rule names beside the grant', () => {
    expect(
      denials(() => grantCall(policy({ exec: ['jq', 'curl'] }, { exec: ['curl'] }), script())),
    ).toMatchObject([{ capability: 'exec', requested: 'curl', reason: 'denied by the rule curl' }]);
  });

  test('is left what a caller leaves of the grant', () => {
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
  ])('whose caller asks for %s is refused with the line that adds it', (_, capabilities, line) => {
    const call = (granted: Wishes) => grantCall(policy(granted), script(), { narrowing: { capabilities } });
    expect(denials(() => call({ env: ['TZ'] })).map(({ remedy }) => remedy)).toEqual([line]);
    expect(call(parse(line).grants['pdf-fill']).capabilities).toMatchObject(capabilities);
  });
});

test('a grant adds nothing to what a sidecar requests', () => {
  const operator = { exec: ['git', 'jq'], filesystem: { read: ['/srv'] }, network: ['*.example'] };
  expect(grantCall(policy(operator), skill({ exec: ['git'] })).capabilities).toEqual(
    Capabilities.parse({ exec: ['git'] }),
  );
});
