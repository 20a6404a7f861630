import { expect, test } from 'vitest';
import { noCapabilities } from '../../capability/capabilities.ts';
import { tierCeilings } from '../../capability/tier.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { plainJsonWriter } from '../../testing/plain-json-writer.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { executeSkill } from '../execute-skill.ts';
import type { RunResult } from '../executor/executor.ts';
import { executionQueue } from '../queue/execution-queue.ts';
import type { ExecuteDeps } from './execute-request.ts';
import type { CallSpan, SpanFacts } from './tracing.ts';

interface Span {
  name: string;
  facts: SpanFacts[];
  within: Span[];
  /** Absent while it is open. */
  end?: { error: unknown };
}

const counter = someSkill('counter', {
  sidecar: 'version: 1.2.0\nrun: { runtime: wasm, entry: a.wasm, input: {} }',
});

/** The spans of one call that runs `execute`. */
async function spansOf(skillId: string, execute: () => Promise<RunResult>): Promise<Span[]> {
  const roots: Span[] = [];
  const open = (name: string, facts: SpanFacts, siblings: Span[]): CallSpan => {
    const span: Span = { name, facts: [facts], within: [] };
    siblings.push(span);
    return {
      note: (more) => void span.facts.push(more),
      start: (step, stepFacts = {}) => open(step, stepFacts, span.within),
      end(error) {
        span.end = { error };
      },
    };
  };
  const executor = { enforces: [], execute };
  const deps = {
    catalog: { find: async (id: string) => (id === 'counter' ? counter : undefined), list: async () => [] },
    policy: { digest: 'sha256:p', tiers: tierCeilings, grants: new Map(), deny: noCapabilities, limits: {} },
    executors: { process: executor, wasm: executor },
    audit: { append: async () => ({ sequence: 1, hash: 'sha256:h' }) },
    payloads: {
      policyFor: () => ({ payloads: 'digest', previewCharacters: 0, fullBytes: 0 }),
      redactor: { redact: (text: string) => text, secretCharactersMax: 0 },
    },
    schemas: { check: async () => [] },
    queue: executionQueue({ concurrency: 1, concurrencyPerSkill: 1, queue: 0 }),
    now: () => 0,
    json: plainJsonWriter(() => ''),
    sha256: () => '',
    tracing: { start: (facts: SpanFacts) => open('call', facts, roots) },
  } as unknown as ExecuteDeps;
  const request = { executionId: 'e1', skillId, via: 'http', actor: 'me', input: { input: 1 } } as const;
  await executeSkill(deps, request, new AbortController().signal).catch(() => undefined);
  return roots;
}

const span = (name: Span['name'], facts: SpanFacts[] = [{}], within: Span[] = [], error?: unknown): Span => ({
  name,
  facts,
  within,
  end: { error },
});
const known = { skill: { id: 'counter', version: '1.2.0', tier: 'local' } } as const;

test('the spans and the record of a call that cannot start end with its refusal', async () => {
  const refusal = new SkillError('SANDBOX_UNAVAILABLE', 'no sandbox');
  expect(await spansOf('counter', () => Promise.reject(refusal))).toEqual([
    span(
      'call',
      [{ executionId: 'e1' }, known, { code: 'SANDBOX_UNAVAILABLE' }],
      [
        ...[span('begin record'), span('queue'), span('check input')],
        ...[span('run', [{ runtime: 'wasm' }], [], refusal), span('end record')],
      ],
      refusal,
    ),
  ]);
});

test('no span contains the name of an unknown skill', async () => {
  const [call] = await spansOf('hunter2', () => Promise.reject(new Error('not run')));
  expect(call).toMatchObject({
    name: 'call',
    facts: [{ executionId: 'e1' }, { code: 'SKILL_NOT_FOUND' }],
    within: [span('begin record'), span('end record')],
  });
});
