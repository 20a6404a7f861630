import { expect, test } from 'vitest';
import { noCapabilities } from '../../capability/capabilities.ts';
import { tierCeilings } from '../../capability/tier.ts';
import type { Policy } from '../../grant/policy.ts';
import { someSkill } from '../../testing/some-skill.ts';
import type { SkillExecutor } from '../executor/executor.ts';
import { decideCall } from './decide-call.ts';
import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import type { GrantedCall } from './granted-call.ts';

const policy: Policy = {
  digest: 'sha256:p',
  tiers: tierCeilings,
  grants: new Map(),
  deny: noCapabilities,
  limits: {},
};
const executor = { enforces: ['env'] } as unknown as SkillExecutor;
const skill = (env = '[]') =>
  someSkill('counter', { sidecar: `run: { runtime: wasm, entry: a.wasm, capabilities: { env: ${env} } }` });
const found = skill();
const deps = { policy, executors: { process: executor, wasm: executor } } as unknown as ExecuteDeps;
const request = { skillId: 'counter', input: { input: 1 } } as unknown as ExecuteRequest;

test('a later call of an unchanged skill under the same policy and ceiling has the same grant', () => {
  const known = { ...deps, grants: new WeakMap() };
  const first = granted(decideCall(known, request, found));
  expect(first).toMatchObject({ grant: { skill: { id: 'counter' } }, isContained: true });
  const second = granted(decideCall(known, { ...request, executionId: 'other', narrowing: {} }, found));
  expect(second.grant).toBe(first.grant);
  expect([first.recorded, first.recorded.skill, first.grant.limits].every(Object.isFrozen)).toBe(true);
});

test('without known grants, each call has a grant of its own', () => {
  const [first, second] = [decideCall(deps, request, found), decideCall(deps, request, found)].map(granted);
  expect(second?.grant).not.toBe(first?.grant);
});

const ceiling = { limits: { timeoutMs: 1 } };
const others: [string, Partial<ExecuteDeps>, Partial<ExecuteRequest>][] = [
  ['policy', { policy: { ...policy, limits: { timeoutMs: 1 } } }, {}],
  ['ceiling', { ceiling }, {}],
  ['narrowing', {}, { narrowing: ceiling }],
];
test.each(others)('calls with another %s never share a grant', (_, otherDeps, otherRequest) => {
  const known = { ...deps, grants: new WeakMap() };
  const plain = (from: ExecuteDeps) => decideCall(from, request, found);
  const other = () => decideCall({ ...known, ...otherDeps }, { ...request, ...otherRequest }, found);
  const timeouts = [plain(deps), plain(known), other(), plain(known), other()].map(
    (decision) => granted(decision).grant.limits.timeoutMs,
  );
  expect(timeouts).toEqual([timeouts[0], timeouts[0], 1, timeouts[0], 1]);
});

test('a changed skill is decided again, and so is each refused call', () => {
  const grants = new Map();
  const known = { ...deps, policy: { ...policy, grants }, grants: new WeakMap() };
  const edited = skill('[TZ]');
  expect(decideCall(known, request, found)).toMatchObject({ isContained: true });
  expect(decideCall(known, request, edited)).toMatchObject({ refusal: { code: 'CAPABILITY_DENIED' } });
  grants.set('counter', { ...noCapabilities, env: ['TZ'] });
  expect(decideCall(known, request, edited)).toMatchObject({ isContained: false });
});

function granted(decision: ReturnType<typeof decideCall>): GrantedCall {
  if (decision === undefined || 'refusal' in decision) throw new Error('refused');
  return decision;
}
