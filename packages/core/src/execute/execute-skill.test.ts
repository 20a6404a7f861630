// Threat model: T52, T262

import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../audit/audit-event.ts';
import type { AuditLog, AuditPosition } from '../audit/audit-log.ts';
import type { PayloadRecording } from '../audit/recorded-payload.ts';
import { type CapabilityKind, noCapabilities } from '../capability/capabilities.ts';
import { tierCeilings } from '../capability/tier.ts';
import { JsonText } from '../json/json-text.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { usedNothing } from '../outcome/used.ts';
import type { BrokenSkill } from '../skill/catalog.ts';
import type { Skill } from '../skill/skill.ts';
import { plainJsonWriter } from '../testing/plain-json-writer.ts';
import { someSkill } from '../testing/some-skill.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './call/execute-request.ts';
import { executeSkill } from './execute-skill.ts';
import type { RunInput, RunResult } from './executor/executor.ts';
import { executionQueue } from './queue/execution-queue.ts';

const usage = { durationMs: 5, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null };
const answered: RunResult = {
  outcome: { status: 'succeeded', output: { n: 1 } },
  usage,
  used: usedNothing,
  log: '',
  sandbox: 'none',
};

function skill(sidecar: string): Skill {
  return someSkill('counter', { sidecar });
}

const withState = 'run: { runtime: wasm, entry: a, capabilities: { state: write } }';
const json = 'run: { runtime: wasm, entry: a.wasm, input: { type: object }, output: { type: object } }';

const nothingStored: PayloadRecording = {
  policyFor: () => ({ payloads: 'digest', previewCharacters: 0, fullBytes: 0 }),
  redactor: { redact: (text) => text, secretCharactersMax: 0 },
};

/** The dependencies of `executeSkill`, and a log of events in their order. */
function world({
  found = skill(json) as Skill | BrokenSkill | 'none',
  execution = answered as RunResult | Error | Promise<RunResult>,
  run = undefined as ((signal: AbortSignal) => Promise<RunResult>) | undefined,
  audit = {} as Partial<AuditLog>,
  enforces = [] as CapabilityKind[],
  awaitsRecord = false,
  refuse = [] as string[],
  payloads = nothingStored,
} = {}) {
  const events: AuditEvent[] = [];
  const happened: string[] = [];
  const append = async (event: AuditEvent): Promise<AuditPosition> => {
    happened.push(event.kind);
    return { sequence: events.push(event), hash: 'sha256:h' };
  };
  const executor = {
    enforces,
    awaitsRecord,
    execute: async (_grant: unknown, input: RunInput, signal: AbortSignal): Promise<RunResult> => {
      if (awaitsRecord) happened.push('prepare');
      if (awaitsRecord) await input.recorded;
      happened.push('run');
      if (run !== undefined) return run(signal);
      if (execution instanceof Error) throw execution;
      return execution;
    },
  };
  let time = 1000;
  const sha256 = (bytes: Uint8Array): string => `<${new TextDecoder().decode(bytes)}>`;
  const deps: ExecuteDeps = {
    catalog: {
      find: async () => (found === 'none' ? undefined : found),
      list: async () => [],
      broken: async () => [],
    },
    policy: { digest: 'sha256:p', tiers: tierCeilings, grants: new Map(), deny: noCapabilities, limits: {} },
    executors: { process: executor, wasm: executor },
    audit: { append, ...audit } as AuditLog,
    payloads,
    schemas: {
      check: async (_, value) => {
        const text = JSON.stringify(value);
        return refuse.includes(text) ? [{ at: '/n', keyword: 'type', message: 'must be a string' }] : [];
      },
    },
    queue: executionQueue({ concurrency: 1, concurrencyPerSkill: 1, queue: 0 }),
    now: () => time++,
    json: plainJsonWriter(sha256),
    sha256,
  };
  const call = (input: CallerInput = { input: {} }, request: Partial<ExecuteRequest> = {}) =>
    executeSkill(
      deps,
      { executionId: 'e1', skillId: 'counter', via: 'http', actor: 'me', input, ...request },
      new AbortController().signal,
    );
  return { events, happened, call, queue: deps.queue };
}

test('a call holds its slot, and so its memory, until the files of its run are released', async () => {
  const running: number[] = [];
  const release = (): void => void running.push(queue.load().running);
  const { call, queue } = world({ execution: { ...answered, release } });
  await call();
  expect([...running, queue.load().running]).toEqual([1, 0]);
});

test('a call that leaves out the namespace is granted and recorded by the id', async () => {
  const asked: string[] = [];
  const policyFor = (id: string) => {
    asked.push(id);
    return nothingStored.policyFor(id);
  };
  const { call, events } = world({
    found: { ...skill(json), id: 'acme:counter' },
    payloads: { ...nothingStored, policyFor },
  });
  await call();
  expect(events[0]).toMatchObject({ kind: 'call.started', skill: { id: 'acme:counter' } });
  expect([...new Set(asked)]).toEqual(['acme:counter']);
});

test('a call of a name that several skills have stores no input, because one of them may forbid it', async () => {
  const { call, events } = world({
    found: { id: 'counter', root: '', problem: 'use an id', code: 'SKILL_AMBIGUOUS' },
    payloads: {
      ...nothingStored,
      policyFor: () => ({ payloads: 'full', previewCharacters: 0, fullBytes: 1000 }),
    },
  });
  await expect(call()).rejects.toMatchObject({ code: 'SKILL_AMBIGUOUS' });
  expect(events[0]).toMatchObject({ kind: 'call.started', skill: { id: 'counter' } });
  expect(events[0]).not.toHaveProperty('stored');
});

test('records the start and the end of a call, and returns the recorded result', async () => {
  const { call, events, happened } = world();
  expect(await call({ input: { a: 1 } })).toEqual({
    executionId: 'e1',
    outcome: { status: 'succeeded', output: { n: 1 } },
    usage: { ...usage, queueMs: 1 },
    used: usedNothing,
    log: '',
    audit: { sequence: 2, hash: 'sha256:h' },
    outputJson: new JsonText(new TextEncoder().encode('{"n":1}'), '<{"n":1}>'),
  });
  expect(happened).toEqual(['call.started', 'run', 'call.finished']);
  expect(events).toEqual([
    {
      kind: 'call.started',
      executionId: 'e1',
      time: 1000,
      via: 'http',
      actor: 'me',
      skill: { id: 'counter', version: null, digest: 'sha256:d', tier: 'local' },
      policyDigest: 'sha256:p',
      requested: noCapabilities,
      input: { digest: 'sha256:<{"input":{"a":1}}>', bytes: 17 },
    },
    {
      kind: 'call.finished',
      denied: [],
      executionId: 'e1',
      time: 1003,
      granted: noCapabilities,
      limits: {
        timeoutMs: 60000,
        memoryBytes: 268435456,
        cpuMs: 60000,
        processes: 64,
        fileBytes: 1073741824,
        outputBytes: 16777216,
        fuel: null,
      },
      sandbox: 'none',
      outcome: 'succeeded',
      failure: null,
      output: { digest: 'sha256:<{"n":1}>', bytes: 7 },
      usage: { ...usage, queueMs: 1 },
      used: usedNothing,
    },
  ]);
});

test('records up to 1000 characters of the reason of a canceled call', async () => {
  const canceled = (reason: string) =>
    world({ execution: { ...answered, outcome: { status: 'canceled', reason } } });
  const [short, long] = [canceled('the client went away'), canceled('x'.repeat(5000))];
  await Promise.all([short.call(), long.call()]);
  expect(short.events[1]).toMatchObject({ outcome: 'canceled', reason: 'the client went away' });
  expect(long.events[1]).toMatchObject({ outcome: 'canceled', reason: 'x'.repeat(1000) });
  const other = world();
  await other.call();
  expect(other.events[1]).not.toHaveProperty('reason');
});

describe('a refused call does not run and is recorded with its code', () => {
  test.each<[string, Parameters<typeof world>[0], CallerInput, string]>([
    ['no input', {}, {}, 'INPUT_INVALID'],
    ['args for protocol json', {}, { input: {}, args: ['x'] }, 'INPUT_INVALID'],
    ['input that the schema refuses', { refuse: ['{"bad":1}'] }, { input: { bad: 1 } }, 'INPUT_INVALID'],
    [
      'input for protocol command',
      { found: skill('run: { runtime: process, entry: a, protocol: command }') },
      { input: {} },
      'INPUT_INVALID',
    ],
    [
      'arguments of more than a mebibyte together',
      { found: skill('run: { runtime: process, entry: a, protocol: command }') },
      { args: [...Array<string>(16).fill('é'.repeat(32_768)), 'x'] },
      'INPUT_INVALID',
    ],
  ])('%s', async (_, options, input, code) => {
    const { call, happened, events } = world(options);
    const error = await call(input).catch((reason: unknown) => reason as SkillError);
    expect(error).toBeInstanceOf(SkillError);
    expect(happened).toEqual(['call.started', 'call.denied']);
    expect(events[1]).toMatchObject({ executionId: 'e1', code, message: (error as SkillError).message });
  });

  test('runs a call with arguments of exactly one mebibyte', async () => {
    const { call, happened } = world({
      found: skill('run: { runtime: process, entry: a, protocol: command }'),
    });
    await call({ args: Array<string>(16).fill('é'.repeat(32_768)) });
    expect(happened).toEqual(['call.started', 'run', 'call.finished']);
  });
});

test('reports a bug as INTERNAL with its cause, and records it', async () => {
  const fault = new TypeError('x is undefined');
  const { call, events } = world({ execution: fault });
  await expect(call()).rejects.toMatchObject({ code: 'INTERNAL', cause: fault });
  expect(events[1]).toMatchObject({ kind: 'call.denied', code: 'INTERNAL' });
});

describe('if the start cannot be recorded', () => {
  const gone = new SkillError('AUDIT_UNAVAILABLE', 'the disk is full');

  test.each<[string, Parameters<typeof world>[0]]>([
    ['a call with a capability', { found: skill(withState), enforces: ['state'] }],
    ['a program', { found: skill('run: { runtime: process, entry: a }') }],
  ])('%s does not run', async (_, given) => {
    const { call, happened } = world({ ...given, audit: { append: () => Promise.reject(gone) } });
    await expect(call()).rejects.toBe(gone);
    expect(happened).toEqual([]);
  });

  test('a call whose executor awaits the record does not run, and is not answered', async () => {
    const begun = Promise.withResolvers<AuditPosition>();
    const { call, happened } = world({
      found: skill(withState),
      enforces: ['state'],
      awaitsRecord: true,
      audit: { append: ({ kind }) => (kind === 'call.started' ? begun.promise : Promise.reject(gone)) },
    });
    const refused = expect(call()).rejects.toBe(gone);
    await new Promise(setImmediate);
    begun.reject(gone);
    await refused;
    expect(happened).toEqual(['prepare']);
  });

  test('the run of a call that reaches nothing is ended, and its result is not returned', async () => {
    const begun = Promise.withResolvers<AuditPosition>();
    const { call, happened } = world({
      run: (signal) => {
        signal.addEventListener('abort', () => happened.push(`ended: ${signal.reason.message}`));
        begun.reject(gone);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(answered)));
      },
      audit: { append: ({ kind }) => (kind === 'call.started' ? begun.promise : Promise.reject(gone)) },
    });
    await expect(call()).rejects.toBe(gone);
    expect(happened).toEqual(['run', 'ended: the disk is full']);
  });
});

/** Lists the actions of a call before the beginning of its record is durable, and after, until it is answered. */
async function aroundBeginning(
  given: Parameters<typeof world>[0],
  request: Partial<ExecuteRequest>,
): Promise<{ before: string[]; after: string[] }> {
  const begun = Promise.withResolvers<AuditPosition>();
  const { call, happened } = world({
    ...given,
    audit: {
      append: ({ kind }, _payload, options) => {
        happened.push(`${kind} ${options?.mayWait}`);
        return kind === 'call.started' ? begun.promise : Promise.resolve({ sequence: 2, hash: 'sha256:2' });
      },
    },
  });
  const result = call({ input: {} }, request).then(() => happened.push('answered'));
  await new Promise(setImmediate);
  const before = [...happened];
  begun.resolve({ sequence: 1, hash: 'sha256:1' });
  await result;
  return { before, after: happened.slice(before.length) };
}

describe('a call that reaches nothing', () => {
  test('runs while its beginning is written, and is answered after that', async () => {
    expect(await aroundBeginning({}, {})).toEqual({
      before: ['call.started true', 'run', 'call.finished undefined'],
      after: ['answered'],
    });
  });

  test.each<[string, Parameters<typeof world>[0], Partial<ExecuteRequest>]>([
    ['with a capability', { found: skill(withState), enforces: ['state'] }, {}],
    ['of a program', { found: skill('run: { runtime: process, entry: a, protocol: json }') }, {}],
    ['whose output is observed', {}, { onEvent: () => undefined }],
    ['whose record is awaited by its caller', {}, { recorded: () => undefined }],
  ])('differs from one %s, which waits for its beginning', async (_, given, request) => {
    const { before, after } = await aroundBeginning(given, request);
    expect(before).toEqual(['call.started false']);
    expect(after).toEqual(['run', 'call.finished undefined', 'answered']);
  });
});

describe('a call whose executor awaits the record', () => {
  const given = { found: skill(withState), enforces: ['state' as const], awaitsRecord: true };

  test.each<[string, Partial<ExecuteRequest>, string[]]>([
    ['is prepared while its beginning is written', {}, ['call.started false', 'prepare']],
    ['and whose output is observed waits for it', { onEvent: () => undefined }, ['call.started false']],
    [
      'and whose caller awaits the record waits for it',
      { recorded: () => undefined },
      ['call.started false'],
    ],
  ])('%s, and runs after that', async (_, request, expected) => {
    const { before, after } = await aroundBeginning(given, request);
    expect(before).toEqual(expected);
    expect([...before, ...after]).toEqual([
      'call.started false',
      'prepare',
      'run',
      'call.finished undefined',
      'answered',
    ]);
  });
});

test('returns no result if the end cannot be recorded', async () => {
  const gone = new SkillError('AUDIT_UNAVAILABLE', 'the disk is full');
  let writes = 0;
  const append = async (): Promise<AuditPosition> => {
    if (writes++ === 0) return { sequence: 1, hash: 'sha256:1' };
    throw gone;
  };
  const { call, happened } = world({ audit: { append } });
  await expect(call()).rejects.toBe(gone);
  expect({ happened, writes }).toEqual({ happened: ['run'], writes: 2 });
});

test('saves the state before the record ends, and only if the output is valid', async () => {
  const saved = { state: { keys: 1, save: async () => void happened.push('save') } };
  const { call, happened } = world({ execution: { ...answered, ...saved } });
  await call();
  expect(happened).toEqual(['call.started', 'run', 'save', 'call.finished']);
  const refused = world({ execution: { ...answered, ...saved }, refuse: ['{"n":1}'] });
  await refused.call();
  expect(refused.happened).toEqual(['call.started', 'run', 'call.finished']);
  expect(happened).toHaveLength(4);
});

test('stores input and output redacted and cut beside the events, which have their digests', async () => {
  const kept: unknown[] = [];
  const { call, happened } = world({
    payloads: {
      policyFor: (id) => ({
        payloads: id === 'counter' ? 'preview' : 'digest',
        previewCharacters: 20,
        fullBytes: 0,
      }),
      redactor: { redact: (text) => text.replaceAll('swordfish', '*'), secretCharactersMax: 9 },
    },
    audit: {
      append: async ({ kind, ...event }, payload) => {
        happened.push(kind);
        kept.push({ digest: 'stored' in event && event.stored, payload });
        return { sequence: 1, hash: 'sha256:h' };
      },
    },
  });
  await call({ input: { pass: 'swordfish', more: 'than is stored' } });
  const input = '{"input":{"pass":"*"';
  const output = '{"n":1}';
  expect(kept).toEqual([
    { digest: { digest: expect.any(String), bytes: 20 }, payload: { of: 'input', text: input, isCut: true } },
    {
      digest: { digest: expect.any(String), bytes: 7 },
      payload: { of: 'output', text: output, isCut: false },
    },
  ]);
});
