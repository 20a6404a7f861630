// Threat model: T293

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Config } from '../../config/config.ts';
import { plainConfig } from '../../testing/plain-config.ts';
import { changedKeys, needingRestart } from './changed-keys.ts';

const page = new URL('../../../../../docs/reload.md', import.meta.url);

/** The same configuration with every value changed. */
function otherwise(value: unknown): unknown {
  if (Array.isArray(value) || value === null) return ['another'];
  if (typeof value !== 'object') return `not ${value}`;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, otherwise(inner)]));
}

test('docs/reload.md names exactly the keys that need a restart', async () => {
  const [, named = ''] = /These keys need a restart: (.*?)\.\s/s.exec(await readFile(page, 'utf8')) ?? [];
  const keys = needingRestart(changedKeys(plainConfig, otherwise(plainConfig) as Config));
  expect(Array.from(named.matchAll(/`([^`]+)`/g), ([, key]) => key).sort()).toEqual(keys);
});
