import { hash } from 'node:crypto';
import type { AuditChain } from '@ambit/api';
import { type BrokenSkill, composePrompt, type Skill, SkillError, selectSkills } from '@ambit/core';
import type { AuditEvent, AuditQuery } from '@ambit/core/audit';
import { executionQueue, type RunInput, type RunResult } from '@ambit/core/execute';
import { JsonText, type SchemaIssue } from '@ambit/core/json';
import { usedNothing } from '@ambit/core/outcome';
import { type CapabilityKind, noCapabilities, tierCeilings } from '@ambit/core/policy';
import { skillSearch } from '@ambit/core/select';
import { skillNamed } from '@ambit/core/skill';
import type { WorkspaceBounds } from '@ambit/core/workspace';
import { jsonThread } from '@ambit/runtime';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { Authentication, KeyRights } from '../../auth/key-rights.ts';
import { localCaller } from '../../auth/local-caller.ts';
import { consoleSessions } from '../../console/console-sessions.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Installs } from '../../installs/installs.ts';
import type { Idempotency } from '../../jobs/idempotency/idempotency.ts';
import { type JobBounds, jobBounds } from '../../jobs/job-bounds.ts';
import { openJobs } from '../../jobs/jobs.ts';
import { leasedQueue } from '../../setup/leased-queue.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { buildApp } from '../build-app.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { checkAnswers } from './check-answers.ts';
import { memoryWorkspaces } from './memory-workspaces.ts';
import { neverCalled, type ScriptedLogOptions, scriptedLog } from './scripted-log.ts';

/** The caller's key; `authorization` has its header value. */
export const key = 'the-key-of-this-test';
/** The limit of the test server. */
export const bodyLimitBytes = 1000;

/** The `Authorization` header with the key. */
export const authorization = `Bearer ${key}`;

/** The executor's default result. */
export const answered: RunResult = {
  outcome: { status: 'succeeded', output: { n: 1 } },
  usage: { durationMs: 5, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
  used: usedNothing,
  log: 'a word',
  sandbox: 'none',
};

/** Differences from a server on which every call succeeds immediately. */
export interface HttpWorldOptions extends ScriptedLogOptions {
  skills?: readonly Skill[];
  broken?: readonly BrokenSkill[];
  /** Replaces the executor's result. */
  execute?: (input: unknown, signal: AbortSignal) => Promise<RunResult>;
  enforces?: readonly CapabilityKind[];
  schemaIssues?: readonly SchemaIssue[];
  queue?: Partial<Parameters<typeof executionQueue>[0]>;
  hosts?: readonly string[];
  /** The rights of the caller's key; everything by default. */
  rights?: Partial<KeyRights>;
  /** The result of authenticating any request. */
  authenticated?: Authentication | SkillError;
  proofs?: Partial<AppDeps['proofs']>;
  executions?: Partial<JobBounds>;
  idempotency?: Idempotency;
  /** Limits for clients; the daemon's by default. */
  bounds?: AppDeps['bounds'];
  tls?: AppDeps['tls'];
  workspaces?: Partial<WorkspaceBounds>;
  /** Thrown when a change to a workspace is made durable. */
  workspaceFault?: Error;
  /** The stored keys besides the caller's. */
  keys?: ReturnType<AppDeps['keys']['list']>;
  configurationValues?: ReturnType<AppDeps['configurationValues']>;
  /** With the built page of the web console; by default there is none. */
  consoleFolder?: string;
  /** The clock of the web console, and whether it is on. A test may change both. */
  console?: { now?: number; isOn?: boolean };
  /** Makes it a daemon on demand. */
  consoleListener?: AppDeps['consoleListener'];
  /** The other nodes of a cluster. */
  cluster?: AppDeps['cluster'];
  /** Thrown when a call enters the queue. */
  noLease?: SkillError;
  /** The refusal of every call. */
  unready?: SkillError;
  observer?: AppDeps['observer'];
  /** The replacements for methods of the installed skills, of which there are none. */
  installs?: Partial<Installs>;
}

/**
 * The app with recording dependencies: real routes and real `executeSkill`, without disks and
 * processes. The test fails if a response does not match its route's contract.
 */
export interface HttpWorld {
  app: FastifyInstance;
  /** The events of the log, in order. */
  events: AuditEvent[];
  queries: AuditQuery[];
  /** The rights of the caller's key; changes apply to later requests. */
  rights: KeyRights;
  /** The `context` of each call. */
  contexts: unknown[];
  /** The daemon's log lines, without pino's own fields. */
  lines: Record<string, unknown>[];
  /** The daemon's log as text. */
  logged(): string;
  /** Refuses new requests; running calls continue. */
  drain(): void;
  stop(reason: unknown): void;
}

/** The input with its value, which arrives as text. */
function parsed(input: RunInput): RunInput {
  if (input.protocol !== 'json' || !(input.value instanceof JsonText)) return input;
  return { ...input, value: input.value.value() };
}

/** Nothing is installed. */
const noInstalls: Installs = {
  list: async () => [],
  review: notInstalled,
  add: notInstalled,
  approve: notInstalled,
  approveAll: notInstalled,
  outdated: notInstalled,
  update: notInstalled,
  revoke: notInstalled,
  restore: notInstalled,
  remove: notInstalled,
  lockPackages: notInstalled,
  sync: async () => ({ skills: [], refused: [] }),
};

async function notInstalled(): Promise<never> {
  throw new Refusal('INSTALL_NOT_FOUND', 'nothing is installed');
}

/** Builds the app and closes it when the test ends. */
export function httpWorld(options: HttpWorldOptions = {}): HttpWorld {
  const {
    skills = [skillOf('counter', 'run: { runtime: wasm, entry: a.wasm }')],
    broken = [],
    hosts = [],
  } = options;
  const { audit, events, queries } = scriptedLog(options);
  const index = skillSearch();
  const log: string[] = [];
  const [draining, shutdown] = [new AbortController(), new AbortController()];
  const executor = {
    enforces: options.enforces ?? [],
    execute: async (
      _: unknown,
      { context, recorded: _recorded, ...input }: RunInput,
      signal: AbortSignal,
    ) => {
      contexts.push(context);
      return (options.execute ?? (async () => answered))(parsed(input), signal);
    },
  };
  const contexts: unknown[] = [];
  const rights: KeyRights = {
    actor: 'tester',
    scopes: ['admin'],
    skills: undefined,
    ceiling: undefined,
    holds: () => true,
    revoked: new AbortController().signal,
    ...options.rights,
  };
  let [time, ids] = [1000, 0];
  const json = jsonThread();

  const app = buildApp({
    execute: {
      catalog: {
        find: async (id) => skillNamed(id, { skills, broken }),
        list: async () => skills,
        broken: async () => broken,
      },
      policy: {
        digest: 'sha256:p',
        tiers: tierCeilings,
        grants: new Map(),
        deny: noCapabilities,
        limits: {},
      },
      executors: { process: executor, wasm: executor },
      audit,
      queue: leasedQueue(
        executionQueue({ concurrency: 16, concurrencyPerSkill: 16, queue: 16, ...options.queue }),
        () => {
          if (options.noLease !== undefined) throw options.noLease;
        },
      ),
      payloads: {
        policyFor: () => ({ payloads: 'digest', previewCharacters: 0, fullBytes: 0 }),
        redactor: { redact: (text) => text, secretCharactersMax: 0 },
      },
      schemas: { check: async () => options.schemaIssues ?? [] },
      json,
      now: () => time++,
      sha256: (text) => hash('sha256', text),
    },
    json,
    mcp: async (_request, actor, body) => Response.json({ actor, body }),
    workspaces: memoryWorkspaces(options.workspaces, options.workspaceFault),
    installs: { ...noInstalls, ...options.installs },
    prompts: {
      select: async (request, from) => selectSkills({ skills: (await from?.list()) ?? skills }, request),
      search: async (found, words) => index.rank(found, words),
      compose: async ({ systemPrompt }, _signal, by) => {
        const selection = selectSkills({ skills: (await by?.catalog.list()) ?? skills }, {});
        return {
          selection,
          composition: composePrompt({ systemPrompt, selection }),
          settings: undefined,
        };
      },
    },
    authenticate: (header) => {
      if (options.authenticated instanceof SkillError) throw options.authenticated;
      if (options.authenticated !== undefined) return options.authenticated;
      if (header === undefined) return { status: 'missing' };
      if (!header.startsWith('Bearer ')) return { status: 'malformed' };
      return header === authorization ? { status: 'accepted', rights } : { status: 'wrong' };
    },
    console: consoleSessions({
      isOn: () => options.console?.isOn ?? true,
      now: () => options.console?.now ?? time,
      append: audit.append,
    }),
    consoleListener: options.consoleListener,
    keys: {
      list: () => options.keys ?? [],
      rightsOf: (actor) => (actor === rights.actor ? { status: 'accepted', rights } : { status: 'wrong' }),
    },
    localCaller: localCaller({ user: 'ada', uid: 1000, keys: { list: () => options.keys ?? [] } }),
    configurationValues: () => options.configurationValues ?? [],
    consoleFolder: options.consoleFolder ?? '/nowhere',
    cluster: options.cluster,
    newExecutionId: () => `e${++ids}`,
    rerunsInterrupted: () => false,
    ready: async () => ({ disk: 'ok', audit: options.unready?.code ?? 'ok' }),
    scrape: async (accept = 'nothing') => ({ contentType: 'text/plain', body: `asked for ${accept}\n` }),
    observer: options.observer ?? unobserved,
    proofs: {
      receipt: async () => undefined,
      eventReceipt: async () => undefined,
      verify: neverCalled,
      ...options.proofs,
    },
    log: {
      daemonEvents: async () => ({ events: [], next: null }),
      chain: async () => anEmptyChain,
      copies: null,
    },
    jobs: openJobs({ ...jobBounds, ...options.executions }, shutdown.signal, () => time++),
    idempotency: options.idempotency,
    retryAfterSeconds: () => 7,
    hosts,
    configuration: () => 'current',
    places: { home: '/home/ada', dataDir: '/home/ada/.ambit' },
    draining: draining.signal,
    shutdown: shutdown.signal,
    logger: pino({ base: null, timestamp: false }, { write: (line: string) => void log.push(line) }),
    bodyLimitBytes,
    version: '1.2.3',
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  const undeclared = checkAnswers(app);
  onTestFinished(async () => {
    await app.close();
    await json.close();
    expect(undeclared, 'responses that no contract declares').toEqual([]);
  });
  return {
    app,
    events,
    queries,
    rights,
    contexts,
    get lines() {
      return log.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    logged: () => log.join(''),
    drain: () => draining.abort(),
    stop: (reason) => {
      draining.abort(reason);
      shutdown.abort(reason);
    },
  };
}

const unobserved: AppDeps['observer'] = {
  began: () => ({ traceId: undefined, within: (handle) => handle(), ended: () => undefined }),
};

/** The chain of a log without events. */
const anEmptyChain: Omit<AuditChain, 'copies' | 'verification'> = {
  logId: 'l',
  createdAt: '1970-01-01T00:00:00.000Z',
  first: null,
  last: null,
  checkpoint: null,
  unsigned: 0,
  keys: [],
};

/** A skill with this sidecar; an empty one makes a prompt skill. */
export function skillOf(id: string, sidecar: string, description = 'A skill of a test.'): Skill {
  return someSkill(id, sidecar, {
    description,
    body: 'Instructions that a list does not show.',
    files: [{ path: 'SKILL.md', bytes: 42, sha256: 'f' }],
  });
}

/** The error of a log that cannot be written. */
export const logFull = new SkillError('AUDIT_UNAVAILABLE', 'the disk is full');
