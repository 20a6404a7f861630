// Threat model: T293

import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Capabilities, noCapabilities } from '../capability/capabilities.ts';
import { policyFrom } from './policy.ts';

const sha256 = (content: Uint8Array): string => hash('sha256', content);
const a = Capabilities.parse({ env: ['TZ'] });
const b = Capabilities.parse({ network: ['b.example'] });

test('equal decisions in any order have the same digest, and different ones another', () => {
  const digest = (config: Parameters<typeof policyFrom>[0]): string => policyFrom(config, sha256).digest;
  const first = digest({ grants: { a, b }, deny: noCapabilities, limits: { timeoutMs: 1, cpuMs: 2 } });
  expect(digest({ limits: { cpuMs: 2, timeoutMs: 1 }, deny: noCapabilities, grants: { b, a } })).toBe(first);
  const others = [
    { grants: { a }, deny: noCapabilities, limits: { timeoutMs: 1, cpuMs: 2 } },
    { grants: { a, b }, deny: a, limits: { timeoutMs: 1, cpuMs: 2 } },
    { grants: { a, b }, deny: noCapabilities, limits: { timeoutMs: 1, cpuMs: 3 } },
  ].map(digest);
  expect(new Set([first, ...others]).size).toBe(4);
});
