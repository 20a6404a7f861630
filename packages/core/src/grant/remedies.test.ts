// Threat model: T109

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isWhole } from '../../../../test/support/whole.ts';
import { Capabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import { tierCeilings } from '../capability/tier.ts';
import { type EgressRequest, judgeRequest } from '../egress/judge-egress.ts';
import { ruleText } from '../egress/network-rule.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { asToolSkill } from '../skill/tool-skill.ts';
import { someSkill } from '../testing/some-skill.ts';
import { type Grant, grantCall, type Narrowing } from './grant.ts';
import { networkRemedy, ruleFor } from './network-remedy.ts';

/** The configuration of an operator and the sidecar of an author. */
interface Written {
  requested: Capabilities;
  granted: Capabilities;
  deny: Capabilities;
}

function declared(requested: Capabilities): ToolSkill | undefined {
  const sidecar = JSON.stringify({ run: { runtime: 'process', entry: 'run', capabilities: requested } });
  return asToolSkill(someSkill('asks', { sidecar }));
}

/** A skill without a sidecar, as usually published. */
const published = asToolSkill(
  someSkill('asks', { scripts: [{ path: 'scripts/run.py', interpreter: 'python3' }] }),
);

/** The first refusal of the call or of its request; `undefined` if both are permitted. */
function refusalOf(
  { requested, granted, deny }: Written,
  request: EgressRequest,
  skill = declared(requested),
  narrowing: Narrowing = {},
): Omit<Denial, 'reason'> | undefined {
  if (skill === undefined) throw new Error('both skills above can run');
  const policy = { digest: 'p', tiers: tierCeilings, grants: new Map([['asks', granted]]), deny, limits: {} };
  let grant: Grant;
  try {
    grant = grantCall(policy, skill, { narrowing });
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return (error.details['denials'] as Denial[])[0];
  }
  const verdict = judgeRequest(grant.capabilities.network, grant.networkDenied, request);
  if (verdict.permitted) return undefined;
  const remedy =
    verdict.rule === undefined
      ? (verdict.remedy ?? networkRemedy(grant, ruleFor(request)))
      : `remove deny rule network: ${ruleText(verdict.rule)}`;
  return { capability: 'network', requested: `${request.scheme}://${request.host}:${request.port}`, remedy };
}

/** Applies a remedy literally: each line replaces the present one. */
function applied(remedy: string, { requested, granted, deny }: Written): Written {
  const removed = /^remove deny rule (\S+): (.*)$/.exec(remedy);
  if (removed !== null) {
    const left = <T>(kind: string, rules: readonly T[], text: (rule: T) => string): T[] =>
      rules.filter((rule) => removed[1] !== kind || text(rule) !== removed[2]);
    return {
      requested,
      granted,
      deny: { ...deny, network: left('network', deny.network, ruleText), env: left('env', deny.env, String) },
    };
  }
  const [, asked] =
    /run\.capabilities: (\{ network: .*? \})(?:, and add to ambit\.config\.yaml: |$)/.exec(remedy) ?? [];
  const [, line] = /(grants: \{.*\})$/.exec(remedy) ?? [];
  if (asked === undefined && line === undefined) throw new Error(`nothing to do in: ${remedy}`);
  return {
    requested: asked === undefined ? requested : Capabilities.parse({ ...requested, ...parse(asked) }),
    granted: line === undefined ? granted : Capabilities.parse(parse(line).grants.asks),
    deny,
  };
}

const host = fc.constantFrom('127.0.0.1', '[::1]', 'a.example', 'b.a.example', 'localhost');
const port = fc.constantFrom(80, 443, 8080);
const scheme = fc.constantFrom('http' as const, 'https' as const);
const pattern = fc
  .tuple(
    fc.constantFrom('', 'http://', 'https://'),
    fc.oneof(host, fc.constant('*.a.example')),
    fc.constantFrom('', ':80', ':443', ':8080'),
  )
  .map((parts) => parts.join(''));
const rule = fc.oneof(
  { weight: 3, arbitrary: pattern },
  { weight: 1, arbitrary: fc.record({ host: pattern, methods: fc.constant(['GET']) }) },
  { weight: 1, arbitrary: fc.record({ host: pattern, paths: fc.constantFrom(['/v1/**'], ['/a']) }) },
);
const rules = fc.array(rule, { maxLength: 3 });
const names = fc.subarray(['TZ', 'LANG', 'NO_COLOR']);
const paths = fc.subarray(['/srv/a', '/srv/a/b', '/srv/c']);
const capabilities = fc
  .record({
    network: rules,
    env: names,
    memory: fc.constantFrom('none', 'read'),
    filesystem: fc.record({ read: paths, write: paths }),
    secrets: fc.constantFrom([], [{ name: 'TOKEN', hosts: ['a.example'] }]),
  })
  .map((wishes) => Capabilities.parse(wishes));
const denied = fc.record({ network: rules, env: names }).map((wishes) => Capabilities.parse(wishes));
const request = fc.record({
  scheme,
  host,
  port,
  method: fc.constantFrom('GET', 'POST'),
  target: fc.constantFrom('/', '/v1/x', '/a'),
});

const written = fc.record({ requested: capabilities, granted: capabilities, deny: denied });

/** Applies remedies until nothing is refused and returns the result. No remedy may repeat. */
function allApplied(first: Written, refusal: (now: Written) => ReturnType<typeof refusalOf>): Written {
  let now = first;
  const seen = new Set<string>();
  for (let refused = refusal(now); refused !== undefined; refused = refusal(now)) {
    const { capability, requested, remedy } = refused;
    const named = `${capability} ${requested} ${remedy.split(':', 1)[0]}${remedy.startsWith('remove') ? remedy : ''}`;
    expect([...seen]).not.toContain(named);
    seen.add(named);
    // The rule remains, so the same call is refused again: grant.test.ts applies this remedy.
    if (remedy.startsWith('narrow the call with "capabilities": ')) return now;
    now = applied(remedy, now);
  }
  return now;
}

test('an applied remedy is sufficient, or the next refusal names something else', () => {
  fc.assert(
    fc.property(written, request, (first, asked) => {
      allApplied(first, (now) => refusalOf(now, asked));
    }),
    { numRuns: isWhole ? 300 : 60 },
  );
});

test('every remedy for a skill without a sidecar is a line of configuration', () => {
  const asks = fc.record({
    exec: fc.subarray(['python3', 'jq', 'git', '@posix']),
    env: names,
    filesystem: fc.record({ read: paths, write: paths }),
  });
  fc.assert(
    fc.property(written, request, asks, (first, asked, called) => {
      const last = allApplied(first, (now) => refusalOf(now, asked, published, { capabilities: called }));
      expect(last.requested).toEqual(first.requested);
    }),
    { numRuns: isWhole ? 150 : 30 },
  );
});

test('plain HTTP to a port that is granted for TLS needs one more step', () => {
  const network = ['127.0.0.1:8080'];
  const written = {
    requested: Capabilities.parse({ network }),
    granted: Capabilities.parse({ network, env: ['TZ'] }),
    deny: Capabilities.parse({}),
  };
  const asked: EgressRequest = { scheme: 'http', host: '127.0.0.1', port: 8080, method: 'GET', target: '/' };
  const refusal = refusalOf(written, asked);
  expect(refusal?.remedy).toBe(
    'request it in its ambit.yaml, run.capabilities: { network: ["127.0.0.1:8080", "http://127.0.0.1:8080"] }, and add to ambit.config.yaml: grants: { asks: { network: ["127.0.0.1:8080", "http://127.0.0.1:8080"], env: [TZ] } }',
  );
  expect(refusalOf(applied(refusal?.remedy ?? '', written), asked)).toBeUndefined();
});
