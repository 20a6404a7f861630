// Threat model: T230

import { expect, test } from 'vitest';
import { Capabilities, noCapabilities } from '../capability/capabilities.ts';
import { tierCeilings } from '../capability/tier.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { decideItem, oneItem } from './decide-item.ts';
import type { Policy } from './policy.ts';

const asking = { network: ['api.example', 'other.example'], exec: ['git'], state: 'write' };
const secret = { name: 'TOKEN', hosts: ['api.example:443'] };

/** A skill of tier `local` that requests `capabilities`. */
function skill(capabilities: object = asking): ToolSkill {
  const run = {
    runtime: 'process',
    entry: 'a',
    protocol: 'json',
    capabilities: Capabilities.parse(capabilities),
    limits: {},
  };
  return { id: 'web', tier: 'local', requestedBy: 'sidecar', run } as unknown as ToolSkill;
}

function policy(grant: object, deny: object = {}): Policy {
  return {
    digest: 'd',
    tiers: tierCeilings,
    limits: {},
    deny: Capabilities.parse(deny),
    grants: new Map([['web', Capabilities.parse(grant)]]),
  };
}

const both = { network: ['api.example', 'other.example'] };

test('names the grant or the tier that allows an item', () => {
  const decide = (kind: Parameters<typeof oneItem>[0], item: string) =>
    decideItem(
      policy({ ...both, secrets: [secret] }),
      skill({ ...asking, secrets: [secret] }),
      oneItem(kind, item),
    );
  expect(decide('network', 'api.example:443')).toEqual({
    allowed: true,
    rule: 'grant',
    because: 'grants.web.network has api.example',
    remedy: null,
  });
  expect(decide('secrets', 'TOKEN')).toMatchObject({ allowed: true, rule: 'grant' });
  expect(decide('state', 'read')).toEqual({
    allowed: true,
    rule: 'tier',
    remedy: null,
    because:
      'web requests state read, which reaches nothing outside its sandbox, and the tier local grants that',
  });
});

test('names what is missing, with what to do', () => {
  const api = oneItem('network', 'api.example');
  expect(decideItem(policy({}), skill(), api)).toMatchObject({
    allowed: false,
    rule: 'policy',
    because: 'network api.example is not granted',
    remedy: expect.stringContaining('grants: { web: { network: [api.example'),
  });
  expect(decideItem(policy(both, { network: ['api.example'] }), skill(), api)).toMatchObject({
    allowed: false,
    rule: 'policy',
    because: 'network api.example is denied by the rule api.example',
    remedy: 'narrow the call with "capabilities": leave out network api.example',
  });
  expect(decideItem(policy(both), { ...skill(), tier: 'untrusted' }, api)).toMatchObject({
    allowed: false,
    rule: 'policy',
    because: 'run process is not allowed at tier untrusted',
  });
  expect(decideItem(policy(both), skill(), oneItem('network', 'evil.example'))).toEqual({
    allowed: false,
    rule: 'request',
    remedy: 'add it to run.capabilities in the ambit.yaml of web',
    because: 'web does not request network evil.example, and a grant never adds to what a skill requests',
  });
  expect(
    decideItem(policy(both), skill(), api, { capabilities: { ...noCapabilities, exec: ['git'] } }),
  ).toEqual({
    allowed: false,
    rule: 'ceiling',
    remedy: 'use a key with a wider ceiling',
    because: 'network api.example is more than the ceiling of the key allows',
  });
});

test('a ceiling without host decides about each item of a skill with host, and one with it allows them', () => {
  const deploy = skill({ host: true, exec: ['git'] });
  const decided = (capabilities: object) =>
    decideItem(policy({ host: true }), deploy, oneItem('exec', 'git'), {
      capabilities: { ...noCapabilities, exec: ['git'], ...capabilities },
    });
  expect(decided({})).toMatchObject({
    allowed: false,
    rule: 'ceiling',
    because: 'host true is excluded by the ceiling of the key',
  });
  expect(decided({ host: true })).toMatchObject({ allowed: true });
});

test('names the line that grants an item to a skill that requests what is granted', () => {
  const asksForGrants = skill({ network: ['granted'] });
  const api = oneItem('network', 'api.example');
  expect(decideItem(policy({}), asksForGrants, api)).toEqual({
    allowed: false,
    rule: 'policy',
    because: 'network api.example is not granted',
    remedy: 'grants: { web: { network: [api.example] } }',
  });
  expect(decideItem(policy({ network: ['other.example'] }), asksForGrants, api)).toMatchObject({
    allowed: false,
    rule: 'policy',
    remedy: 'grants: { web: { network: [other.example, api.example] } }',
  });
  expect(decideItem(policy({ network: ['api.example'] }), asksForGrants, api)).toMatchObject({
    allowed: true,
    rule: 'grant',
  });
});

test('a call that lacks another item is not granted, so the item is not allowed either', () => {
  expect(decideItem(policy({ network: ['api.example'] }), skill(), oneItem('exec', 'git'))).toMatchObject({
    allowed: false,
    because: 'network other.example is not granted',
  });
});
