import { expect, test } from 'vitest';
import { withVersion } from './installed.ts';
import { type LockedVersion, lockIn } from './lock-file.ts';

test('an entry with another version keeps source, folder, approval and signer, and no other field', () => {
  const approval = { tier: 'local', by: 'ann', at: '2026-03-02T00:00:00.000Z' };
  const pinned = { publisher: 'acme', identity: null };
  const former = {
    ...version('a'),
    source: 'https://skills.example',
    folder: 'pdf',
    approval,
    pinned,
    waiting: version('c'),
    unknown: 1,
  };
  const text = JSON.stringify({ version: 1, skills: { 'acme:pdf': former } });
  const entry = lockIn('/project/ambit.lock', text).skills['acme:pdf'];
  if (entry === undefined) throw new Error('the entry is missing');
  expect(withVersion(entry, version('b'))).toEqual({
    ...version('b'),
    source: 'https://skills.example',
    folder: 'pdf',
    approval,
    pinned,
  });
});

function version(digit: string): LockedVersion {
  return {
    resolved: null,
    digest: `sha256:${digit.repeat(64)}`,
    files: { 'SKILL.md': digit.repeat(64) },
    requests: [],
    publisher: 'acme',
    identity: null,
    signature: null,
    findings: {},
    fetchedAt: '2026-03-01T00:00:00.000Z',
  };
}
