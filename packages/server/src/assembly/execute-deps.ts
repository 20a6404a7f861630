import { hash } from 'node:crypto';
import type { Catalog } from '@ambit/core';
import type { AuditLog } from '@ambit/core/audit';
import { type ExecuteDeps, executionQueue, type Policy } from '@ambit/core/execute';
import {
  endOutdated,
  type JsonSchemaChecker,
  prewarmSkills,
  type SkillState,
  type Tracing,
} from '@ambit/core/internal';
import {
  type FolderCatalog,
  folderCatalog,
  folderState,
  type JsonThread,
  jsonSchemaChecker,
  jsonThread,
  redactInThread,
} from '@ambit/runtime';
import { payloadPolicy } from '../audit/retention/payload-policy.ts';
import type { Config } from '../config/config.ts';
import { policyFrom } from '../config/policy.ts';
import { type PacedQueue, pacedQueue } from '../jobs/paced-queue.ts';
import { dataFiles } from './data-dir.ts';
import {
  type ExecutorSurroundings,
  type Executors,
  executorsMadeOf,
  executorsOf,
  refCountedExecutors,
} from './executors.ts';
import { type RefCounted, refCounted, withLease } from './reload/ref-counted.ts';

/** Everything that `executeSkill` needs by one configuration, and its end. */
export interface DaemonCore {
  deps: ExecuteDeps;
  /** Makes ready what skills ask to have ready. Resolves to what went wrong. */
  prewarm(): ReturnType<typeof prewarmSkills>;
  /** Ends prewarmed programs that would not be granted the same now. Resolves once they have ended. */
  endOutdated(): Promise<void>;
  /** When a call that found no room may find some. */
  retryAfterSeconds(): number;
  /** As they are, for whoever asks how they are. */
  executors: Pick<Executors, 'process' | 'wasm'>;
  parts: Parts;
  /**
   * Gives back what `next` does not reuse. Prewarmed programs end immediately, and it resolves once they have; the rest ends
   * when no call needs it any more.
   */
  retire(next: DaemonCore): Promise<void>;
  close(): Promise<void>;
}

/** What the next configuration goes on with where it says the same of it, warm as it is. */
interface Parts {
  schemas: JsonSchemaChecker & { close(): Promise<void> };
  json: JsonThread;
  state: SkillState;
  queue: Reusable<PacedQueue>;
  executors: Reusable<RefCounted<Executors>>;
  catalog: Reusable<RefCounted<FolderCatalog>>;
}

interface Reusable<T> {
  /** All of the configuration that it is made of. */
  of: string;
  part: T;
}

/** What a configuration is put together with, and stays the same. */
export interface ConfigIndependentParts extends Omit<ExecutorSurroundings, 'json' | 'state'> {
  audit: AuditLog;
  /** Absent: nobody asked for traces. */
  tracing?: Tracing | undefined;
}

/** What is there of a configuration before everything is. */
export interface ReusableParts {
  parts: Pick<Parts, 'catalog'>;
  /** For when nothing comes of it. */
  close(): Promise<void>;
}

/** Begins to read the skills of a configuration, whatever else is still being opened. */
export function beginSkills(config: Config): ReusableParts {
  const catalog = keptCatalog(config, undefined);
  // Whoever asks next has its answer, or its error, sooner.
  void lentCatalog(catalog.part)
    .list()
    .catch(() => undefined);
  return { parts: { catalog }, close: () => catalog.part.close() };
}

/**
 * Puts the rooms together: the one place where a configuration becomes something that can run skills. `before` is what
 * the configuration until now became, or what was begun of this one.
 */
export function assemble(
  config: Config,
  around: ConfigIndependentParts,
  before?: { parts: Partial<Parts> },
): DaemonCore {
  const { machine, audit, secrets, tracing } = around;
  const json = before?.parts.json ?? jsonThread();
  const state = before?.parts.state ?? folderState(dataFiles(config).state);
  const parts: Parts = {
    schemas: before?.parts.schemas ?? jsonSchemaChecker(),
    ...{ json, state },
    queue: kept(before?.parts.queue, config.queue, () => pacedQueue(executionQueue(config.queue), Date.now)),
    executors: kept(before?.parts.executors, executorsMadeOf(config), () =>
      refCounted(
        () => executorsOf(config, { ...around, json, state }),
        (executors) => executors.close(),
      ),
    ),
    catalog: keptCatalog(config, before?.parts.catalog),
  };
  let isInForce = true;
  const deps = {
    catalog: lentCatalog(parts.catalog.part),
    policy: policyOf(config),
    executors: refCountedExecutors(parts.executors.part, () => isInForce),
    audit,
    keeping: {
      policyFor: (skillId: string) => payloadPolicy(config.audit, skillId),
      redactor: redactInThread(secrets.redactions, json),
    },
    schemas: parts.schemas,
    json,
    queue: parts.queue.part.queue,
    tracing,
    now: Date.now,
    sha256,
  };
  let prewarming: ReturnType<DaemonCore['prewarm']> | undefined;
  return {
    deps,
    executors: parts.executors.part.value,
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
      // What is being made ready ends with those who make it so.
      await Promise.all([parts.schemas.close(), json.close(), parts.executors.part.close()]);
      await prewarming?.catch(() => undefined);
      await parts.catalog.part.close();
      machine.process.close?.();
    },
  };
}

function keptCatalog(config: Config, before: Parts['catalog'] | undefined): Parts['catalog'] {
  return kept(before, config.skills, () =>
    refCounted(
      () => catalogOf(config),
      (catalog) => catalog.close(),
    ),
  );
}

function kept<T>(before: Reusable<T> | undefined, from: unknown, make: () => T): Reusable<T> {
  const of = JSON.stringify(from);
  return before?.of === of ? before : { of, part: make() };
}

function lentCatalog(catalog: RefCounted<FolderCatalog>): Catalog {
  return {
    find: (id) => withLease(catalog, (open) => open.find(id)),
    list: () => withLease(catalog, (open) => open.list()),
    broken: () => withLease(catalog, (open) => open.broken()),
  };
}

/** What a configuration decides. */
export function policyOf(config: Config): Policy {
  return policyFrom(config, sha256);
}

/** The skills of a configuration. */
export function catalogOf(config: Config): FolderCatalog {
  return folderCatalog(config.skills);
}

function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}
