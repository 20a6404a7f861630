import type { CallRecord } from '@ambit/client';
import { expect, test } from 'vitest';
import { capabilityRows } from './capability-rows.ts';

const none = {
  filesystem: { read: [], write: [] },
  network: [],
  env: [],
  secrets: [],
  exec: [],
  state: 'none' as const,
  memory: 'none' as const,
};

test('joins what was requested, granted, used and refused, item by item', () => {
  const denial = {
    capability: 'network' as const,
    requested: 'b.example',
    reason: 'is not granted',
    remedy: 'grants: { s: { network: [b.example] } }',
  };
  const record = {
    capabilities: {
      requested: { ...none, network: ['a.example', 'b.example'], exec: ['python3'] },
      granted: { ...none, network: ['a.example'], exec: ['python3'] },
      denied: [denial],
    },
    used: {
      filesystem: { read: [], write: [] },
      network: [{ item: 'a.example', count: 2 }],
      env: [],
      secrets: [],
      exec: null,
      state: 'read',
      memory: 'none',
      functions: [{ item: 'context', count: 1 }],
      unlisted: [],
    },
  } as unknown as CallRecord;
  const nothing = { isRequested: false, isGranted: false, used: undefined, denial: undefined };
  expect(capabilityRows(record)).toEqual([
    {
      ...nothing,
      capability: 'network',
      item: 'a.example',
      isRequested: true,
      isGranted: true,
      used: '2 times',
    },
    { ...nothing, capability: 'network', item: 'b.example', isRequested: true, denial },
    { ...nothing, capability: 'exec', item: 'python3', isRequested: true, isGranted: true, used: 'unknown' },
    { ...nothing, capability: 'host function', item: 'context', used: 'once' },
    { ...nothing, capability: 'state', item: 'read', used: 'yes' },
  ]);
});
