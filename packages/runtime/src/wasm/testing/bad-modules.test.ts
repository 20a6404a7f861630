// Threat model: T186

import { SkillError } from '@ambit/core';
import type { Outcome } from '@ambit/core/execute';
import { afterAll, expect, test } from 'vitest';
import { bubblewrapSandbox } from '../../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { noState } from '../../testing/no-state.ts';
import { grantedSkill } from '../../testing/skill-on-disk.ts';
import { wasmExecutor } from '../wasm-executor.ts';
import { badModules, type GalleryModule } from './bad-modules.ts';

const sandbox = bubblewrapSandbox();
const executor = wasmExecutor({ sandbox, state: noState, hosts: 1 });
afterAll(async () => {
  await executor.close?.();
  await sandbox.close?.();
});

/**
 * The result of one call of a module through a host: the outcome's status or `refused`, and the
 * message.
 */
async function ended({ bytes, needs }: GalleryModule): Promise<{ status: string; text: string }> {
  const limits = {
    memoryBytes: 2 * 1024 * 1024,
    outputBytes: 64 * 1024,
    fuel: needs === 'deadline' ? 10_000_000_000 : 5_000_000,
    timeoutMs: needs === 'deadline' ? 500 : 20_000,
  };
  const grant = await grantedSkill(
    { runtime: 'wasm', entry: 'skill.wasm', limits },
    { 'skill.wasm': bytes() },
    { tier: 'untrusted' },
  );
  try {
    const { outcome } = await executor.execute(
      grant,
      { protocol: 'json', value: '' },
      new AbortController().signal,
    );
    return { status: outcome.status, text: trapOf(outcome) };
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== 'SKILL_INVALID') throw error;
    return { status: 'refused', text: error.message };
  }
}

function trapOf(outcome: Outcome): string {
  return outcome.status === 'failed' && 'trap' in outcome.failure ? outcome.failure.trap : '';
}

test.each(badModules)('a call of a harmful or broken $kind ends as expected: $name', async (module) => {
  const { expected } = module;
  const words =
    'words' in expected
      ? expect.stringMatching(expected.words)
      : 'trap' in expected
        ? expected.trap
        : expect.any(String);
  expect(await ended(module)).toEqual({ status: expected.status, text: words });
});
