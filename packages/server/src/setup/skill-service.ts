import { hash } from 'node:crypto';
import type { AuditLog } from '@ambit/core/audit';
import {
  type ExecuteDeps,
  endOutdated,
  executionQueue,
  type Policy,
  policyFrom,
  prewarmSkills,
  type SharedMemory,
  type SkillState,
  type Tracing,
} from '@ambit/core/execute';
import type { JsonSchemaChecker } from '@ambit/core/json';
import {
  type Environment,
  type FolderCatalog,
  folderCatalog,
  isInstalledPath,
  type JsonThread,
  jsonSchemaChecker,
  jsonThread,
  redactShapesInThread,
  type SkillCacheOptions,
  type SkillRoot,
} from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { payloadPolicy } from '../config/payload-policy.ts';
import { type FoundSkills, foundSkills } from '../config/skill-warnings.ts';
import { type Decisions, noDecisions } from '../installs/decisions.ts';
import { installedRoots } from '../installs/installed-roots.ts';
import { skillState } from '../store/skill-state.ts';
import type { Store } from '../store/store.ts';
import {
  type ExecutorDeps,
  type Executors,
  executorSettings,
  executorsOf,
  refCountedExecutors,
} from './executors.ts';
import { inspectDecisions } from './inspect-decisions.ts';
import type { InstalledCalls } from './installed-calls.ts';
import { leasedQueue } from './leased-queue.ts';
import { type PacedQueue, pacedQueue } from './paced-queue.ts';
import { type RefCounted, refCounted } from './ref-counted.ts';
import { sharedCatalog } from './shared-catalog.ts';

/** Runs skills under one configuration, for a daemon or a single command. */
export interface SkillService {
  /** For `executeSkill`, `executeChain` and `executeBatch`. */
  deps: ExecuteDeps;
  /** Prewarms the skills that request it. Resolves to the failures. */
  prewarm(): ReturnType<typeof prewarmSkills>;
  /** Ends prewarmed programs whose grants have changed. Resolves once they have ended. */
  endOutdated(): Promise<void>;
  /** Estimates when to retry a call that was refused because the queue is full. */
  retryAfterSeconds(): number;
  /** For checks and metrics. */
  executors: Pick<Executors, 'process' | 'wasm'>;
  memory: Pick<SharedMemory, 'load'>;
  parts: Parts;
  /**
   * Closes the parts that `next` does not reuse. Resolves once prewarmed programs have ended; other parts close when their
   * last call ends.
   */
  retire(next: SkillService): Promise<void>;
  close(): Promise<void>;
}

/** Parts that the next configuration reuses if their settings are unchanged. */
interface Parts {
  schemas: JsonSchemaChecker & { close(): Promise<void> };
  json: JsonThread;
  state: SkillState;
  queue: Reusable<PacedQueue>;
  executors: Reusable<RefCounted<Executors>>;
  catalog: Reusable<RefCounted<FolderCatalog>>;
}

interface Reusable<T> {
  /** The settings of the part, as JSON. */
  key: string;
  part: T;
}

/** Dependencies that do not change with the configuration. */
export interface ConfigIndependentParts extends Omit<ExecutorDeps, 'json' | 'state'> {
  audit: AuditLog;
  store: Store;
  /** Returns the operator's decisions about installed skills, or why they are unknown. */
  decisions(): Decisions | Error;
  /** The running calls of installed skills. */
  installedCalls: InstalledCalls;
  /** Absent: every start reads all skills. */
  skillCache?: SkillCacheOptions | undefined;
  /** Throws `LEASE_LOST` if this node takes no calls under a configuration; absent without a cluster. */
  requireLease?: ((isNew: boolean, config: Config) => void) | undefined;
  /** Absent without tracing. */
  tracing?: Tracing | undefined;
}

/** The parts of a configuration that are opened before the rest. */
export interface ReusableParts {
  parts: Partial<Parts>;
}

/** The skills of a configuration, while they are read. */
interface PreloadedSkills {
  catalog: Parts['catalog'];
  /** Rejects if they cannot be read. Nothing has to wait for it. */
  found: Promise<FoundSkills>;
  /** Closes the catalog if the start fails. */
  close(): Promise<void>;
}

/** Starts reading the skills of a configuration. */
export function preloadSkills(
  config: Config,
  decisions: Decisions | Error,
  cache: SkillCacheOptions | undefined,
): PreloadedSkills {
  const catalog = reuseCatalog(config, decisions, cache, undefined);
  const found = foundSkills(sharedCatalog(catalog.part));
  found.catch(() => undefined);
  return { catalog, found, close: () => catalog.part.close() };
}

/** Opens the executors of a configuration, and starts a WASM host: the longest part of a start. */
export function preloadExecutors(
  config: Config,
  shared: Omit<ExecutorDeps, 'json' | 'state'> & { store: Store },
): Pick<Parts, 'json' | 'state' | 'executors'> {
  const parts = { json: jsonThread(), state: skillState(shared.store) };
  const executors = reuseExecutors(config, { ...shared, ...parts }, undefined);
  // The check of readiness reports the error.
  executors.part.value.wasm.check().catch(() => undefined);
  return { ...parts, executors };
}

/**
 * Opens everything that skills need to run under one configuration. `before` has the parts of the previous
 * configuration, or the preloaded parts of this one.
 */
export function openSkillService(
  config: Config,
  shared: ConfigIndependentParts,
  before?: ReusableParts,
): SkillService {
  const { machine, audit, store, tracing, requireLease } = shared;
  const { memoryShareBytes, concurrency, concurrencyPerSkill, queue } = config.capacity;
  const queueLimits = { concurrency, concurrencyPerSkill, queue };
  machine.memory.resize(memoryShareBytes);
  machine.process.limitAll?.(memoryShareBytes);
  const json = before?.parts.json ?? jsonThread();
  const state = before?.parts.state ?? skillState(store);
  const parts: Parts = {
    schemas: before?.parts.schemas ?? jsonSchemaChecker(),
    json,
    state,
    queue: reuse(before?.parts.queue, queueLimits, () =>
      pacedQueue(executionQueue(queueLimits, { memory: machine.memory, now: Date.now }), Date.now),
    ),
    executors: reuseExecutors(config, { ...shared, json, state }, before?.parts.executors),
    catalog: reuseCatalog(config, shared.decisions(), shared.skillCache, before?.parts.catalog),
  };
  let isInForce = true;
  const deps = {
    catalog: sharedCatalog(parts.catalog.part),
    policy: policyOf(config),
    executors: refCountedExecutors(parts.executors.part, shared.installedCalls, () => isInForce),
    audit,
    payloads: {
      policyFor: (skillId: string) => payloadPolicy(config.audit, skillId),
      redactor: redactShapesInThread(json),
    },
    schemas: parts.schemas,
    json,
    queue: leasedQueue(parts.queue.part.queue, requireLease && ((isNew) => requireLease(isNew, config))),
    grants: new WeakMap(),
    tracing,
    isInstalled: isInstalledPath,
    now: Date.now,
    sha256,
  };
  let prewarming: ReturnType<SkillService['prewarm']> | undefined;
  return {
    deps,
    executors: parts.executors.part.value,
    memory: machine.memory,
    retryAfterSeconds: parts.queue.part.retryAfterSeconds,
    parts,
    prewarm: () => (prewarming = prewarmSkills(deps)),
    endOutdated: () => endOutdated(deps),
    async retire(next) {
      isInForce = false;
      if (next.parts.catalog !== parts.catalog) parts.catalog.part.retire();
      if (next.parts.executors === parts.executors) return;
      await parts.executors.part.value.process.retain([]);
      parts.executors.part.retire();
    },
    async close() {
      // Closing the executors also ends running prewarms.
      await Promise.all([parts.schemas.close(), json.close(), parts.executors.part.close()]);
      await prewarming?.catch(() => undefined);
      await parts.catalog.part.close();
      await machine.process.close?.();
    },
  };
}

function reuseCatalog(
  config: Config,
  decisions: Decisions | Error,
  cache: SkillCacheOptions | undefined,
  before: Parts['catalog'] | undefined,
): Parts['catalog'] {
  const roots = rootsOf(config, decisions);
  return reuse(before, roots, () =>
    refCounted(
      () => folderCatalog(roots, cache),
      (catalog) => catalog.close(),
    ),
  );
}

function reuseExecutors(
  config: Config,
  deps: ExecutorDeps,
  before: Parts['executors'] | undefined,
): Parts['executors'] {
  return reuse(before, executorSettings(config, deps.environment), () =>
    refCounted(
      () => executorsOf(config, deps),
      (executors) => executors.close(),
    ),
  );
}

function reuse<T>(before: Reusable<T> | undefined, settings: unknown, make: () => T): Reusable<T> {
  const key = JSON.stringify(settings);
  return before?.key === key ? before : { key, part: make() };
}

/** The policy of a configuration. */
export function policyOf(config: Config): Policy {
  return policyFrom(config, sha256);
}

/** The skills of a configuration, for commands, which may run beside a daemon. The store is read at the first question. */
export function catalogOf(config: Config, environment: Environment): FolderCatalog {
  let opened: Promise<FolderCatalog> | undefined;
  const open = (): Promise<FolderCatalog> => {
    opened ??= decisionsFor(config, environment).then((decisions) =>
      folderCatalog(rootsOf(config, decisions)),
    );
    return opened;
  };
  return {
    find: async (id) => (await open()).find(id),
    list: async () => (await open()).list(),
    broken: async () => (await open()).broken(),
    close: async () => (await opened)?.close(),
  };
}

async function decisionsFor(config: Config, environment: Environment): Promise<Decisions | Error> {
  if (Object.keys(config.installed).length === 0) return noDecisions;
  return inspectDecisions(config, environment).catch((error: unknown) => error as Error);
}

function rootsOf(config: Config, decisions: Decisions | Error): readonly SkillRoot[] {
  return [...config.skills, ...installedRoots(config, decisions)];
}

function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}
