// Threat model: T111

import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../audit/call-record-schema.ts';
import { Capabilities, noCapabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import type { Tier } from '../capability/tier.ts';
import { tierCeilings } from '../capability/tier.ts';
import { type UsedCapabilities, usedNothing } from '../outcome/used.ts';
import type { Skill } from '../skill/skill.ts';
import { someSkill } from '../testing/some-skill.ts';
import { proposeGrant } from './propose-grant.ts';

type Written = Parameters<typeof Capabilities.parse>[0];

/** A skill with a sidecar. */
function asking(capabilities: object, { tier = 'local' as Tier, runtime = 'process' } = {}): Skill {
  return someSkill('asks', {
    sidecar: JSON.stringify({ run: { runtime, entry: 'run', capabilities } }),
    tier,
  });
}

/** A skill without a sidecar. */
const published = someSkill('asks', { scripts: [{ path: 'scripts/run.py', interpreter: 'python3' }] });

let sequence = 0;
function record(parts: {
  requested?: Written;
  granted?: Written | null;
  denied?: Denial[];
  stderr?: string;
  missingPrograms?: string[];
  used?: Partial<UsedCapabilities>;
}): CallRecord {
  sequence += 1;
  const granted = parts.granted === undefined ? {} : parts.granted;
  return {
    sequence,
    executionId: `e${sequence}`,
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, sequence)).toISOString(),
    skill: { id: 'asks', version: null, digest: 'sha256:older', tier: 'local' },
    capabilities: {
      requested: Capabilities.parse(parts.requested ?? {}),
      granted: granted === null ? null : Capabilities.parse(granted),
      denied: parts.denied ?? [],
    },
    outcome: parts.stderr === undefined ? 'succeeded' : 'failed',
    stored:
      parts.stderr === undefined
        ? {}
        : { output: { text: JSON.stringify({ stdout: '', stderr: parts.stderr }), isCut: false } },
    ...(parts.missingPrograms && { missingPrograms: parts.missingPrograms }),
    ...(parts.used && { used: { ...usedNothing, ...parts.used } }),
  } as unknown as CallRecord;
}

function beforeRun(
  capability: Denial['capability'],
  requested: string,
  reason = 'is not granted',
): CallRecord {
  return record({ granted: null, denied: [{ capability, requested, reason, remedy: 'do this' }] });
}

function whileRunning(
  requested: string,
  { reason = 'is not granted to this skill', rule = requested, capability = 'network' as const } = {},
): CallRecord {
  const remedy = `grants: { asks: { network: [other.example, ${JSON.stringify(rule)}] } }`;
  return record({ denied: [{ capability, requested, reason, remedy }] });
}

function proposal(
  skill: Skill,
  records: CallRecord[],
  { grant = {}, deny = {}, broad = false }: { grant?: Written; deny?: Written; broad?: boolean } = {},
) {
  const grants = new Map([['asks', Capabilities.parse(grant)]]);
  const policy = {
    digest: 'p',
    tiers: tierCeilings,
    limits: {},
    grants,
    deny: Capabilities.parse(deny),
  };
  const places = { home: '/home/ada', dataDir: '/home/ada/work/.ambit' };
  return proposeGrant({ skill, records: records.toReversed(), more: false, policy, places, broad });
}

/** The proposed items, short: `kind item (grant, request)`. */
function short({ items }: ReturnType<typeof proposal>): string[] {
  return items.map(({ capability, item, grant, scripts, from, broad, calls }) =>
    [
      `${capability} ${item}`,
      `${calls}×`,
      ...(grant ? ['grant'] : []),
      ...scripts.map((script) => `request of ${script ?? 'run'}`),
      ...(from === 'output' ? ['output'] : []),
      ...(broad ? ['broad'] : []),
    ].join(', '),
  );
}

const reads = (path: string) => ({ filesystem: { read: [path] } });

describe('what a skill requests and its operator has not granted', () => {
  test.each<[what: string, requested: Written, records: CallRecord[], items: string[]]>([
    [
      'a path',
      reads('/srv/in'),
      [beforeRun('filesystem.read', '/srv/in')],
      ['filesystem.read /srv/in, 1×, grant'],
    ],
    [
      'a path that is refused twice',
      reads('/srv/in'),
      [beforeRun('filesystem.read', '/srv/in'), beforeRun('filesystem.read', '/srv/in')],
      ['filesystem.read /srv/in, 2×, grant'],
    ],
    [
      'a path inside another',
      { filesystem: { read: ['/srv/in', '/srv/in/a'] } },
      [beforeRun('filesystem.read', '/srv/in/a'), beforeRun('filesystem.read', '/srv/in')],
      ['filesystem.read /srv/in, 2×, grant'],
    ],
    [
      'a path to read that it also writes',
      { filesystem: { read: ['/srv/a/b'], write: ['/srv/a'] } },
      [beforeRun('filesystem.read', '/srv/a/b'), beforeRun('filesystem.write', '/srv/a')],
      ['filesystem.write /srv/a, 2×, grant'],
    ],
    [
      'a rule with methods',
      { network: [{ host: 'a.example', methods: ['GET'] }] },
      [beforeRun('network', '{ host: "a.example", methods: ["GET"] }')],
      ['network { host: "a.example", methods: ["GET"] }, 1×, grant'],
    ],
    [
      'a secret for two hosts',
      { secrets: [{ name: 'TOKEN', hosts: ['a.example', 'b.example'] }] },
      [
        beforeRun('secrets', '{ name: TOKEN, hosts: ["a.example"] }'),
        beforeRun('secrets', '{ name: TOKEN, hosts: ["b.example"] }'),
      ],
      ['secrets { name: TOKEN, hosts: ["b.example", "a.example"] }, 2×, grant'],
    ],
    ['memory', { memory: 'read' }, [beforeRun('memory', 'read')], ['memory read, 1×, grant']],
  ])('%s', (_, requested, records, items) => {
    const found = proposal(asking(requested as object), records);
    expect(short(found)).toEqual(items);
    expect(found.requests).toEqual([]);
  });

  test('becomes one grant that does not repeat what is granted', () => {
    const requested = { network: ['a.example'], env: ['TZ'], filesystem: { read: ['/srv/in'] } };
    const found = proposal(
      asking(requested),
      [beforeRun('network', 'a.example'), beforeRun('env', 'TZ'), beforeRun('filesystem.read', '/srv/in')],
      { grant: { env: ['TZ'] } },
    );
    expect(found.grant).toEqual(
      Capabilities.parse({ network: ['a.example'], filesystem: { read: ['/srv/in'] } }),
    );
  });
});

describe('a request that was refused while the skill ran', () => {
  test.each<[what: string, record: CallRecord, items: string[]]>([
    ['names its host', whileRunning('a.example:443'), ['network a.example:443, 1×, grant']],
    [
      'has the scheme of its remedy',
      whileRunning('a.example:8080', { rule: 'http://a.example:8080' }),
      ['network http://a.example:8080, 1×, grant'],
    ],
    [
      'has the address that its name resolves to',
      whileRunning('a.example:8080', {
        reason: 'resolves to 10.0.0.7, which is a private address, which needs its own grant',
        rule: '10.0.0.7:8080',
      }),
      ['network 10.0.0.7:8080, 1×, grant'],
    ],
    [
      'is granted with its method and path',
      whileRunning('a.example:443', { reason: 'is not granted to this skill for POST /v1/x' }),
      ['network { host: "a.example:443", methods: ["POST"], paths: ["/v1/x"] }, 1×, grant'],
    ],
    [
      'does not use a rule of the remedy for another host',
      whileRunning('a.example:443', { rule: 'evil.example' }),
      ['network a.example:443, 1×, grant'],
    ],
    ['is not granted as a pattern of hosts', whileRunning('*.a.example:443'), []],
    [
      'is not granted as a pattern of paths',
      whileRunning('a.example:443', { reason: 'is not granted to this skill for GET /**' }),
      [],
    ],
    ['is not granted if it is no host', whileRunning('a b: {evil}'), []],
  ])('%s', (_, refused, items) => {
    expect(short(proposal(published, [refused]))).toEqual(items);
  });

  test('adds a host to a secret that was sent there', () => {
    const sent = (to: string, rule: string) =>
      record({
        denied: [
          {
            capability: 'secrets',
            requested: `TOKEN to ${to}`,
            reason: 'is not for that host',
            remedy: `add ${JSON.stringify(rule)} to the hosts of { name: TOKEN, hosts: ["a.example"] }`,
          },
        ],
      });
    const grant = { secrets: [{ name: 'TOKEN', hosts: ['a.example'] }] };
    const found = proposal(
      published,
      [sent('b.example:443', 'b.example:443'), sent('c.example:443', 'evil.example')],
      {
        grant,
      },
    );
    expect(found).toMatchObject({
      items: [
        {
          item: '{ name: TOKEN, hosts: ["b.example:443"] }',
          grant: true,
          warning: 'sends the value of the secret to these hosts',
        },
      ],
      excluded: [{ item: 'TOKEN to c.example:443' }],
    });
  });

  test('for a pattern of paths is listed with the reason', () => {
    const reason = 'is not granted to this skill for GET /**';
    const { excluded } = proposal(published, [whileRunning('a.example:443', { reason })]);
    expect(excluded).toMatchObject([
      { item: 'a.example:443', reason: expect.stringMatching(/^is not granted .* GET \/\*\*, and no grant/) },
    ]);
  });

  test('is joined with others to the same host', () => {
    const post = (path: string) =>
      whileRunning('a.example:443', { reason: `is not granted to this skill for POST ${path}` });
    expect(short(proposal(published, [post('/a'), post('/b'), post('/a')]))).toEqual([
      'network { host: "a.example:443", methods: ["POST"], paths: ["/a", "/b"] }, 3×, grant',
    ]);
  });

  test('is also requested, in the run that made it', () => {
    const sidecar = JSON.stringify({
      run: {
        runtime: 'process',
        entry: 'run',
        capabilities: { network: ['other.example'] },
        scripts: { sync: { entry: 'sync', capabilities: { network: ['more.example'] } } },
      },
    });
    const made = record({
      requested: { network: ['more.example'] },
      denied: [
        {
          capability: 'network',
          requested: 'a.example:443',
          reason: 'is not granted to this skill',
          remedy:
            'request it in its ambit.yaml, run.capabilities: { network: [more.example, "a.example:443"] }, and add to ambit.config.yaml: grants: { asks: { network: ["a.example:443"] } }',
        },
      ],
    });
    const found = proposal(someSkill('asks', { sidecar }), [made], { grant: { network: ['more.example'] } });
    expect(short(found)).toEqual(['network a.example:443, 1×, grant, request of sync']);
    expect(found.requests).toEqual([
      { script: 'sync', capabilities: { ...noCapabilities, network: ['a.example:443'] } },
    ]);
  });

  test('needs no wider request if the skill leaves the hosts to its operator', () => {
    const skill = asking({ network: ['granted'] });
    expect(short(proposal(skill, [whileRunning('a.example:443')]))).toEqual([
      'network a.example:443, 1×, grant',
    ]);
  });

  test('of a program needs only the request at a trusted tier', () => {
    const refused = record({
      denied: [
        {
          capability: 'state',
          requested: 'write',
          reason: 'is not requested in its ambit.yaml',
          remedy: 'r',
        },
      ],
    });
    expect(short(proposal(asking({}, { runtime: 'wasm' }), [refused]))).toEqual([
      'state write, 1×, request of run',
    ]);
  });
});

describe('the error message of a failed script', () => {
  test.each<[stderr: string, items: string[]]>([
    ['scripts/run.sh: line 2: git: command not found\n', ['exec git, 1×, grant, output']],
    [
      "FileNotFoundError: [Errno 2] No such file or directory: '/srv/in.csv'\n",
      ['filesystem.read /srv/in.csv, 1×, grant, output'],
    ],
    ['curl: (6) Could not resolve host: api.example\n', ['network api.example, 1×, grant, output']],
    ['curl: (6) Could not resolve host: *.example\n', []],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x'\n", []],
    ['Segmentation fault\n', []],
  ])('%j', (stderr, items) => {
    expect(short(proposal(published, [record({ stderr })]))).toEqual(items);
  });

  test('comes after what Ambit refused', () => {
    const found = proposal(published, [
      record({ stderr: 'x.sh: line 2: git: not found\n' }),
      whileRunning('a.example:443'),
    ]);
    expect(short(found)).toEqual(['network a.example:443, 1×, grant', 'exec git, 1×, grant, output']);
  });
});

test('programs that scripts name and runs lacked are proposed together, unless they are granted by now', () => {
  const records = [
    record({ missingPrograms: ['git', 'python3', 'perl'] }),
    record({ missingPrograms: ['git'], stderr: 'x.sh: line 2: git: not found\n' }),
  ];
  const found = proposal(published, records, { grant: { exec: ['perl'] } });
  expect(found.items.map(({ item, calls, from }) => [item, calls, from])).toEqual([
    ['git', 2, 'script'],
    ['python3', 1, 'script'],
  ]);
  expect(found.grant.exec).toEqual(['git', 'python3']);
});

describe('what is not proposed', () => {
  test('a path that a deny rule covers', () => {
    const refused = beforeRun('filesystem.read', '/srv');
    const found = proposal(asking(reads('/srv')), [refused], { deny: reads('/srv/keys') });
    expect({ items: found.items, excluded: found.excluded }).toEqual({
      items: [],
      excluded: [
        {
          capability: 'filesystem.read',
          item: '/srv',
          calls: 1,
          first: refused.startedAt,
          last: refused.startedAt,
          reason: 'is denied by the rule /srv/keys',
          remedy:
            'narrow the call with "capabilities": replace filesystem.read /srv with what the rule leaves of it',
        },
      ],
    });
  });

  test('the network at a tier that excludes it', () => {
    const skill = asking({ network: ['a.example'] }, { tier: 'untrusted', runtime: 'wasm' });
    const found = proposal(skill, [beforeRun('network', 'a.example', 'is not allowed at tier untrusted')]);
    expect({ items: found.items, excluded: found.excluded }).toMatchObject({
      items: [],
      excluded: [{ capability: 'network', item: 'a.example', reason: 'is not allowed at tier untrusted' }],
    });
  });

  test('what Python of an untrusted skill lacked in WebAssembly, granted or not', () => {
    const stranger = { ...published, tier: 'untrusted' as const, isInstalled: true as const };
    const lacked = [beforeRun('env', 'TZ', 'is not granted')];
    const expected = {
      items: [],
      excluded: [
        {
          capability: 'env',
          item: 'TZ',
          reason: 'is given to a script without a run only once its skill is trusted',
          remedy: 'ask a person to approve it (to read it: "ambit skills review asks")',
        },
      ],
    };
    expect(proposal(stranger, lacked)).toMatchObject(expected);
    expect(proposal(stranger, lacked, { grant: { env: ['TZ'] } })).toMatchObject(expected);
  });

  test('what the caller left out', () => {
    const reason = 'is more than the skill requests, and a call can only narrow that';
    const found = proposal(asking({}), [beforeRun('env', 'TZ', reason)]);
    expect(found).toMatchObject({ items: [], excluded: [{ item: 'TZ', reason, remedy: 'do this' }] });
  });

  test('a choice that only the operator can make', () => {
    const skill = asking(reads('granted'));
    const found = proposal(skill, [beforeRun('filesystem.read', 'granted')]);
    expect(found).toMatchObject({
      items: [],
      excluded: [{ remedy: 'grants: { asks: { filesystem: { read: [/path/to/folder] } } }' }],
    });
    expect(
      proposal(skill, [beforeRun('filesystem.read', 'granted')], { grant: reads('/srv') }).excluded,
    ).toEqual([]);
  });

  test('what is granted by now', () => {
    const found = proposal(asking(reads('/srv/in')), [beforeRun('filesystem.read', '/srv/in')], {
      grant: reads('/srv'),
    });
    expect(found).toMatchObject({ items: [], excluded: [], records: { count: 1, refused: 0 } });
  });

  test('what another skill lacked', () => {
    const other = { ...whileRunning('a.example:443'), skill: { id: 'other' } };
    expect(proposal(published, [other])).toMatchObject({ items: [], records: { count: 0 } });
  });
});

describe('a broad item', () => {
  test.each<[path: string, broad: boolean]>([
    ['/', true],
    ['/home', true],
    ['/home/ada', true],
    ['/home/ada/work', true],
    ['/home/ada/.ssh/id_ed25519', true],
    ['/home/ada/.config', true],
    ['/srv', true],
    ['/home/ada/work/.ambit/keys.db', true],
    ['/srv/deploy/id_ed25519', true],
    ['/home/ada/work/in.csv', false],
    ['/srv/in', false],
  ])('%s: %s', (path, broad) => {
    const [item] = proposal(asking(reads(path)), [beforeRun('filesystem.read', path)]).items;
    expect([item?.broad, item?.warning === null]).toEqual([broad, !broad]);
  });

  test('is listed last, absorbs no narrow one, and is added only on demand', () => {
    const requested = { filesystem: { read: ['/', '/srv/in'] }, network: ['*.a.example', 'b.example'] };
    const records = [
      ...[beforeRun('filesystem.read', '/'), beforeRun('network', '*.a.example')],
      ...[beforeRun('filesystem.read', '/srv/in'), beforeRun('network', 'b.example')],
    ];
    const found = proposal(asking(requested), records);
    expect(found.items.map(({ item }) => item)).toEqual(['b.example', '/srv/in', '*.a.example', '/']);
    expect(found.grant).toEqual(
      Capabilities.parse({ filesystem: { read: ['/srv/in'] }, network: ['b.example'] }),
    );
    expect(proposal(asking(requested), records, { broad: true }).grant.filesystem.read).toContain('/');
  });

  test.each<[rule: string, warning: string | null]>([
    ['127.0.0.1:8080', 'reaches a loopback address, which is not on the public internet'],
    ['localhost:8080', 'reaches programs of this machine'],
    ['a.example', null],
  ])('%s has the warning %s', (rule, warning) => {
    const [item] = proposal(asking({ network: [rule] }), [beforeRun('network', rule)]).items;
    expect(item).toMatchObject({ warning, broad: false });
  });
});

test('the metadata service of a cloud is broad', () => {
  const rule = 'http://169.254.169.254';
  const [item] = proposal(asking({ network: [rule] }), [beforeRun('network', rule)]).items;
  expect(item).toMatchObject({ broad: true, warning: expect.stringContaining('credentials') });
});

test('a variable that looks like a secret has a warning', () => {
  const [item] = proposal(asking({ env: ['API_KEY'] }), [beforeRun('env', 'API_KEY')]).items;
  expect(item).toMatchObject({ broad: false, warning: expect.stringContaining('looks like a secret') });
});

describe('a flood of different refusals', () => {
  const flood = Array.from({ length: 250 }, (_, at) => whileRunning(`h${at}.example:443`));

  test('is cut to the latest 100', () => {
    const { items, records } = proposal(published, flood);
    expect([items.length, records.cut, items[0]?.item]).toEqual([100, true, 'h249.example:443']);
  });

  test('does not hide how often the latest was refused', () => {
    const { items } = proposal(published, [whileRunning('h249.example:443'), ...flood]);
    expect(items[0]).toMatchObject({ item: 'h249.example:443', calls: 2 });
  });
});

test('text with hidden characters is not proposed', () => {
  const path = '/srv/in\u200b';
  const found = proposal(asking({}), [beforeRun('filesystem.read', path)]);
  expect(found).toMatchObject({ items: [], excluded: [{ item: path, calls: 1 }] });
});

test('a path that does not exist is not proposed, because its grant would refuse every call', () => {
  const policy = {
    digest: 'p',
    tiers: tierCeilings,
    limits: {},
    grants: new Map(),
    deny: noCapabilities,
  };
  const records = ['/srv/in', '/srv/out'].map((path) => beforeRun('filesystem.read', path));
  const places = { home: undefined, dataDir: undefined, exists: (path: string) => path === '/srv/in' };
  const skill = asking({ filesystem: { read: ['/srv/in', '/srv/out'] } });
  const found = proposeGrant({ skill, records, more: false, policy, places });
  expect(found).toMatchObject({
    items: [{ item: '/srv/in' }],
    excluded: [{ item: '/srv/out', reason: 'does not exist on this machine' }],
  });
});

describe('granted items that no call used', () => {
  const grant = {
    network: ['a.example', 'b.example'],
    state: 'write' as const,
    secrets: [{ name: 'TOKEN', hosts: ['a.example'] }],
  };
  const used = (parts: Partial<UsedCapabilities>) => record({ granted: grant, used: parts });

  test('are listed', () => {
    const found = proposal(
      published,
      [used({ network: [{ item: 'a.example:443', count: 2 }] }), used({ state: 'read' })],
      { grant },
    );
    expect(found.unused).toEqual([
      { capability: 'network', item: 'b.example' },
      { capability: 'secrets', item: '{ name: TOKEN, hosts: ["a.example"] }' },
      { capability: 'state', item: 'write' },
    ]);
  });

  test('do not include a rule for some methods of a host that was used', () => {
    const narrow = { network: [{ host: 'a.example', methods: ['GET'] }, 'b.example'] };
    const run = record({ granted: narrow, used: { network: [{ item: 'a.example:443', count: 1 }] } });
    expect(proposal(published, [run], { grant: narrow }).unused).toEqual([
      { capability: 'network', item: 'b.example' },
    ]);
  });

  test('are not listed if a run cannot tell, or its list is incomplete', () => {
    const found = proposal(
      published,
      [
        used({ network: [], unlisted: [{ capability: 'network', uses: 3 }], state: null }),
        used({ secrets: null }),
      ],
      { grant },
    );
    expect(found.unused).toEqual([]);
  });

  test('are not listed for calls that did not have them, such as trials', () => {
    const trial = record({ granted: {}, used: {} });
    expect(proposal(published, [trial], { grant }).unused).toEqual([]);
    const both = proposal(published, [trial, used({})], { grant }).unused;
    expect(both).toEqual(proposal(published, [used({})], { grant }).unused);
    expect(both).not.toEqual([]);
  });

  test('are not listed without a run, or if a record has no uses', () => {
    expect(proposal(published, [], { grant }).unused).toEqual([]);
    expect(proposal(published, [used({}), record({ granted: grant })], { grant }).unused).toEqual([]);
  });
});
