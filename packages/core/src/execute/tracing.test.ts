import { expect, test } from 'vitest';
import { noCapabilities } from '../capability/capabilities.ts';
import { tierCeilings } from '../capability/tier.ts';
import { plainJsonWriter } from '../testing/plain-json-writer.ts';
import { someSkill } from '../testing/some-skill.ts';
import type { ExecuteDeps } from './execute-request.ts';
import { executeSkill } from './execute-skill.ts';
import { executionQueue } from './execution-queue.ts';
import type { RunResult } from './executor.ts';
import { SkillError } from './skill-error.ts';
import type { SpanFacts, SpanName } from './tracing.ts';
import { usedNothing } from './used.ts';

interface Told {
  name: SpanName;
  facts: SpanFacts[];
  within: Told[];
}

const counter = someSkill('counter', {
  sidecar: 'version: 1.2.0\nrun: { runtime: wasm, entry: a.wasm, input: {} }',
});

/** What is told of one call, which runs as `execute` does. */
async function told(skillId: string, execute: () => Promise<RunResult>): Promise<Told[]> {
  const roots: Told[] = [];
  let around: Told | undefined;
  const executor = { enforces: [], execute };
  const deps = {
    catalog: { find: async (id: string) => (id === 'counter' ? counter : undefined) },
    policy: { digest: 'sha256:p', tiers: tierCeilings, grants: new Map(), deny: noCapabilities, limits: {} },
    executors: { process: executor, wasm: executor },
    audit: { append: async () => ({ sequence: 1, hash: 'sha256:h' }) },
    keeping: {
      policyFor: () => ({ payloads: 'digest', previewCharacters: 0, fullBytes: 0 }),
      redactor: { redact: (text: string) => text, secretCharactersMax: 0 },
    },
    schemas: { check: async () => [] },
    queue: executionQueue({ concurrency: 1, concurrencyPerSkill: 1, queue: 0 }),
    now: () => 0,
    json: plainJsonWriter(() => ''),
    sha256: () => '',
    tracing: {
      async span<T>(name: SpanName, facts: SpanFacts, work: (note: (more: SpanFacts) => void) => Promise<T>) {
        const span: Told = { name, facts: [facts], within: [] };
        (around?.within ?? roots).push(span);
        const outside = around;
        around = span;
        try {
          return await work((more) => void span.facts.push(more));
        } finally {
          around = outside;
        }
      },
    },
  } as unknown as ExecuteDeps;
  const request = { executionId: 'e1', skillId, via: 'http', actor: 'me', input: { input: 1 } } as const;
  await executeSkill(deps, request, new AbortController().signal).catch(() => undefined);
  return roots;
}

const span = (name: SpanName, facts: SpanFacts[] = [{}], within: Told[] = []): Told => ({
  ...{ name, facts, within },
});
const known = { skill: { id: 'counter', version: '1.2.0', tier: 'local' } } as const;

test('whoever looks is told of every stretch of a call, and of what came of it', async () => {
  const ended: RunResult = {
    outcome: { status: 'succeeded', output: 1 },
    usage: { durationMs: 1, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    ...{ used: usedNothing, log: '', sandbox: 'none' },
  };
  expect(await told('counter', async () => ended)).toEqual([
    span(
      'execute',
      [{ executionId: 'e1' }, known, { outcome: 'succeeded' }],
      [
        span('begin record'),
        span('queue'),
        span('check input'),
        span('run', [{ runtime: 'wasm' }, { outcome: 'succeeded', sandbox: 'none' }]),
        span('check output'),
        span('end record'),
      ],
    ),
  ]);
});

test('of a call that cannot be started the code is told, and its record ends all the same', async () => {
  const refusal = new SkillError('SANDBOX_UNAVAILABLE', 'no walls');
  expect(await told('counter', () => Promise.reject(refusal))).toEqual([
    span(
      'execute',
      [{ executionId: 'e1' }, known, { code: 'SANDBOX_UNAVAILABLE' }],
      [
        ...[span('begin record'), span('queue'), span('check input'), span('run', [{ runtime: 'wasm' }])],
        span('end record'),
      ],
    ),
  ]);
});

test('a name that no skill has is told nobody', async () => {
  expect(await told('hunter2', () => Promise.reject(new Error('not run')))).toEqual([
    span(
      'execute',
      [{ executionId: 'e1' }, { code: 'SKILL_NOT_FOUND' }],
      [span('begin record'), span('end record')],
    ),
  ]);
});
