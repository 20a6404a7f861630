import { createHash } from 'node:crypto';
import {
  type AuditLog,
  type ExecuteDeps,
  executionQueue,
  type Policy,
  prewarmSkills,
  type Tracing,
} from '@ambit/core';
import {
  egress,
  type FolderCatalog,
  folderCatalog,
  folderState,
  jsonSchemaChecker,
  type ProcessExecutor,
  processExecutor,
  type WasmExecutor,
  wasmExecutor,
} from '@ambit/runtime';
import { payloadPolicy } from '../audit/keep/payload-policy.ts';
import type { Config } from '../config/config.ts';
import { policyFrom } from '../config/policy.ts';
import { dataFiles } from './data-dir.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { Machine } from './machine.ts';

/** Everything that `executeSkill` needs, and its end. */
export interface Assembled {
  deps: ExecuteDeps;
  executors: { process: ProcessExecutor; wasm: WasmExecutor };
  /** Makes ready what skills ask to have ready. Resolves to what went wrong. */
  prewarm(): ReturnType<typeof prewarmSkills>;
  close(): Promise<void>;
}

/** Puts the rooms together: the one place where a configuration becomes something that can run skills. */
export function assemble(
  config: Config,
  machine: Machine,
  audit: AuditLog,
  secrets: KnownSecrets,
  environment: Readonly<Record<string, string | undefined>>,
  { lasts, tracing }: { lasts: boolean; tracing?: Tracing | undefined },
): Assembled {
  const schemas = jsonSchemaChecker();
  const network = egress(secrets.source);
  const executors: Assembled['executors'] = {
    process: processExecutor({
      sandbox: machine.process,
      environment,
      own: ownPaths(config),
      egress: network,
      prewarmMost: lasts ? config.prewarm : 0,
    }),
    wasm: wasmExecutor({
      sandbox: machine.wasm,
      state: folderState(dataFiles(config).state),
      environment,
      own: ownPaths(config),
      egress: network,
      // A single call has no use for more than one.
      hosts: lasts ? config.wasmHosts : 1,
      hostsMost: Math.max(config.queue.concurrency, config.wasmHosts),
    }),
  };
  const catalog = catalogOf(config);
  const deps = {
    catalog,
    policy: policyOf(config),
    executors,
    audit,
    keeping: { policyFor: (skillId: string) => payloadPolicy(config.audit, skillId), mask: secrets.cover },
    schemas,
    queue: executionQueue(config.queue),
    tracing,
    now: Date.now,
    sha256,
  };
  let prewarming: ReturnType<Assembled['prewarm']> | undefined;
  return {
    deps,
    executors,
    prewarm: () => (prewarming = prewarmSkills(deps)),
    async close() {
      // What is being made ready ends with those who make it so.
      await Promise.all([schemas, ...Object.values(executors)].map((each) => each.close?.()));
      await prewarming?.catch(() => undefined);
      await catalog.close();
      await network.close();
      machine.process.close?.();
    },
  };
}

/** Granting a folder around these is ordinary, as the data directory is made where Ambit is started. */
function ownPaths({ dataDir, file, skills }: Config): { hidden: string[]; readOnly: string[] } {
  return {
    hidden: [dataDir],
    readOnly: [...(file === undefined ? [] : [file]), ...skills.map(({ path }) => path)],
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
  return createHash('sha256').update(content).digest('hex');
}
