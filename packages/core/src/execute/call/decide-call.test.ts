import { expect, test } from 'vitest';
import { noCapabilities } from '../../capability/capabilities.ts';
import { tierCeilings } from '../../capability/tier.ts';
import type { Policy } from '../../grant/policy.ts';
import { isFrozen } from '../../json/frozen.ts';
import { someSkill } from '../../testing/some-skill.ts';
import type { SkillExecutor } from '../executor/executor.ts';
import { decideCall } from './decide-call.ts';
import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';

const policy: Policy = {
  ...{ digest: 'sha256:p', tiers: tierCeilings, grants: new Map(), deny: noCapabilities, limits: {} },
};
const executor = { enforces: ['env'] } as unknown as SkillExecutor;
const skill = (env = '[]') =>
  someSkill('counter', { sidecar: `run: { runtime: wasm, entry: a.wasm, capabilities: { env: ${env} } }` });
const found = skill();
const deps = { policy, executors: { process: executor, wasm: executor } } as unknown as ExecuteDeps;
const request = { skillId: 'counter', input: { input: 1 } } as unknown as ExecuteRequest;

test('a later call of an unchanged skill under the same policy and ceiling has the same grant', () => {
  const known = { ...deps, grants: new WeakMap() };
  const first = decideCall(known, request, found);
  expect(first).toMatchObject({ grant: { skill: { id: 'counter' } }, isContained: true });
  expect(decideCall(known, { ...request, executionId: 'other', narrowing: {} }, found)).toMatchObject(
    first ?? {},
  );
  expect(isFrozen(first && 'recorded' in first && first.recorded)).toBe(true);
});

const ceiling = { limits: { timeoutMs: 1 } };
const others: [string, Partial<ExecuteDeps>, Partial<ExecuteRequest>, typeof found][] = [
  ['policy', { policy: { ...policy, limits: { timeoutMs: 1 } } }, {}, found],
  ['ceiling', { ceiling }, {}, found],
  ['narrowing', {}, { narrowing: ceiling }, found],
];
test.each(others)('a call with another %s gets a grant of its own, before and after', (_, dep, asked, of) => {
  const known = { ...deps, grants: new WeakMap() };
  const limitOf = (decision: ReturnType<typeof decideCall>) =>
    decision && 'grant' in decision ? decision.grant.limits.timeoutMs : undefined;
  const plain = limitOf(decideCall(deps, request, of));
  const limits = [
    decideCall(known, request, of),
    decideCall({ ...known, ...dep }, { ...request, ...asked }, of),
    decideCall(known, request, of),
    decideCall({ ...known, ...dep }, { ...request, ...asked }, of),
  ].map(limitOf);
  expect(limits).toEqual([plain, 1, plain, 1]);
});

test('a changed skill is decided anew, and so is each refused call', () => {
  const grants = new Map();
  const known = { ...deps, policy: { ...policy, grants }, grants: new WeakMap() };
  const edited = skill('[TZ]');
  expect(decideCall(known, request, found)).toMatchObject({ isContained: true });
  expect(decideCall(known, request, edited)).toMatchObject({ refusal: { code: 'CAPABILITY_DENIED' } });
  grants.set('counter', { ...noCapabilities, env: ['TZ'] });
  expect(decideCall(known, request, edited)).toMatchObject({ isContained: false });
});
