// Threat model: T318

import { describe, expect, test } from 'vitest';
import { Capabilities, noCapabilities } from '../capability/capabilities.ts';
import {
  noneObserved,
  type ObservedRun,
  type ObservedUses,
  unobserved,
  usedBounds,
  usedCapabilities,
  usedNothing,
} from './used.ts';

const nothingSeen: ObservedRun = {
  'filesystem.read': noneObserved,
  'filesystem.write': noneObserved,
  network: noneObserved,
  env: noneObserved,
  secrets: noneObserved,
  exec: noneObserved,
  state: 'none',
  memory: 'none',
  functions: new Map(),
};
const nothingVisible: ObservedRun = {
  'filesystem.read': unobserved,
  'filesystem.write': unobserved,
  network: unobserved,
  env: unobserved,
  secrets: unobserved,
  exec: unobserved,
  state: null,
  memory: null,
  functions: null,
};
const granted = Capabilities.parse({
  filesystem: { read: ['/a'], write: ['workspace'] },
  network: ['api.example'],
  env: ['TZ', 'LANG'],
  exec: ['python3', 'git'],
  secrets: [{ name: 'TOKEN', hosts: ['api.example'] }],
  state: 'write',
  memory: 'read',
});

function seen(counts: Readonly<Record<string, number>>, isAll: boolean): ObservedUses {
  return { counts: new Map(Object.entries(counts)), isAll };
}

test('a run that used nothing has empty lists for observed kinds, and null for others', () => {
  expect(usedCapabilities(granted, nothingSeen)).toEqual(usedNothing);
  expect(usedCapabilities(granted, nothingVisible)).toEqual({
    filesystem: { read: null, write: null },
    // The proxy observes every connection.
    network: [],
    env: null,
    secrets: null,
    exec: null,
    state: null,
    memory: null,
    functions: null,
    unlisted: [],
  });
});

test('a kind without a grant was not used, even if the platform cannot observe it', () => {
  expect(usedCapabilities(noCapabilities, nothingVisible)).toEqual({ ...usedNothing, functions: null });
});

test('a list is marked as incomplete unless it has every granted item', () => {
  const run: ObservedRun = {
    ...nothingSeen,
    exec: seen({ python3: 1 }, false),
    env: seen({ TZ: 2, LANG: 1 }, false),
  };
  expect(usedCapabilities(granted, run)).toEqual({
    ...usedNothing,
    exec: [{ item: 'python3', count: 1 }],
    env: [
      { item: 'TZ', count: 2 },
      { item: 'LANG', count: 1 },
    ],
    unlisted: [{ capability: 'exec', uses: null }],
  });
});

describe('a run cannot make its record large:', () => {
  const { itemsMax, itemCharactersMax } = usedBounds;
  const hosts = (count: number) =>
    seen(Object.fromEntries(Array.from({ length: count }, (_, n) => [`h${n}.example:443`, 2])), true);

  test('items beyond the limit are only counted', () => {
    const whole = usedCapabilities(granted, { ...nothingSeen, network: hosts(itemsMax) });
    const { network, unlisted } = usedCapabilities(granted, { ...nothingSeen, network: hosts(1000) });
    expect([whole.network?.length, whole.unlisted]).toEqual([itemsMax, []]);
    expect(network).toEqual(whole.network);
    expect(unlisted).toEqual([{ capability: 'network', uses: 2 * (1000 - itemsMax) }]);
  });

  test('a long item is only counted', () => {
    const longest = `/${'x'.repeat(itemCharactersMax - 1)}`;
    const read = seen({ [longest]: 1, [`${longest}x`]: 3 }, true);
    expect(usedCapabilities(granted, { ...nothingSeen, 'filesystem.read': read })).toEqual({
      ...usedNothing,
      filesystem: { read: [{ item: longest, count: 1 }], write: [] },
      unlisted: [{ capability: 'filesystem.read', uses: 3 }],
    });
  });

  test('uses without items are only counted', () => {
    const env: ObservedUses = { ...seen({ TZ: 1 }, true), more: 5 };
    expect(usedCapabilities(granted, { ...nothingSeen, env }).unlisted).toEqual([
      { capability: 'env', uses: 5 },
    ]);
  });
});

test('redacts secrets in items, and in nothing else', () => {
  const run: ObservedRun = {
    ...nothingSeen,
    network: seen({ 'hush.example:443': 1, 'api.example:443': 1 }, true),
  };
  expect(usedCapabilities(granted, run, (text) => text.replaceAll('hush', '****')).network).toEqual([
    { item: '****.example:443', count: 1 },
    { item: 'api.example:443', count: 1 },
  ]);
});
