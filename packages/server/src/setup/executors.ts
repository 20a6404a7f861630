import { trustStoreFolder } from '@ambit/client/node';
import type { SkillExecutor } from '@ambit/core/execute';
import type { SkillState } from '@ambit/core/internal';
import {
  type Environment,
  egress,
  type JsonThread,
  type OwnPaths,
  type ProcessExecutor,
  processExecutor,
  secretSource,
  type WasmExecutor,
  wasmExecutor,
} from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { programTree } from '../config/program-folder.ts';
import type { InstalledCalls } from './installed-calls.ts';
import type { Machine } from './machine.ts';
import { type RefCounted, withLease } from './ref-counted.ts';

/** The executors of both runtimes. */
export interface Executors {
  process: ProcessExecutor;
  wasm: WasmExecutor;
  close(): Promise<void>;
}

/** What executors need besides the configuration. */
export interface ExecutorDeps {
  machine: Machine;
  environment: Environment;
  /** Parses large outputs. */
  json: JsonThread;
  /** Shared by all configurations: calls of an old one may still run, and each store has one writer. */
  state: SkillState;
  /** False for a command that runs a single call. */
  lasts: boolean;
}

/** The executors of a configuration. */
export function executorsOf(
  config: Config,
  { machine, environment, json, state, lasts }: ExecutorDeps,
): Executors {
  const network = egress(secretSource(config.secrets, environment));
  const process = processExecutor({
    sandbox: machine.process,
    ...{ state, environment },
    own: ownPaths(config),
    ...{ egress: network, json },
    prewarmMax: lasts ? config.prewarm : 0,
    prewarmMaxAgeMs: config.maxPrewarmSeconds * 1000,
  });
  const wasm = wasmExecutor({
    sandbox: machine.wasm,
    ...{ state, environment },
    own: ownPaths(config),
    ...{ egress: network, json },
    // A single call needs only one.
    hosts: lasts ? config.wasmHosts : 1,
    hostsMax: Math.max(config.queue.concurrency, config.wasmHosts),
  });
  return {
    process,
    wasm,
    async close() {
      await Promise.all([process.close?.(), wasm.close?.()]);
      await network.close();
    },
  };
}

/** The settings that executors depend on. */
export function executorSettings(config: Config): unknown {
  const { secrets, prewarm, maxPrewarmSeconds, wasmHosts, queue } = config;
  return [ownPaths(config), secrets, prewarm, maxPrewarmSeconds, wasmHosts, queue.concurrency];
}

/**
 * Executors that stay open until the last call of their configuration has ended. They prewarm only while the configuration
 * `isInForce`.
 */
export function refCountedExecutors(
  executors: RefCounted<Executors>,
  calls: InstalledCalls,
  isInForce: () => boolean,
): Record<'process' | 'wasm', SkillExecutor> {
  const executor = (runtime: 'process' | 'wasm'): SkillExecutor => ({
    awaitsRecord: executors.value[runtime].awaitsRecord === true,
    enforces: executors.value[runtime].enforces,
    async execute(grant, input, signal, onEvent) {
      const { value, release } = executors.lease();
      try {
        return await calls.run(grant.skill, signal, (ended) =>
          value[runtime].execute(grant, input, ended, onEvent),
        );
      } finally {
        release();
      }
    },
    async prewarm(grant) {
      if (isInForce()) await withLease(executors, async (open) => open[runtime].prewarm?.(grant));
    },
  });
  return {
    process: {
      ...executor('process'),
      async retain(grants) {
        if (isInForce()) await withLease(executors, (open) => open.process.retain(grants));
      },
    },
    wasm: executor('wasm'),
  };
}

/** Paths that are protected within granted folders. Granting a folder around them is common: the data directory is often in it. */
function ownPaths({ dataDir, dataDirTrust: { dataHome }, file, skills }: Config): OwnPaths {
  const skillPaths = (isTrusted: boolean) =>
    skills.filter(({ tier }) => (tier !== 'untrusted') === isTrusted).map(({ path }) => path);
  return {
    hidden: [dataDir],
    readOnly: [
      ...(file === undefined ? [] : [file]),
      ...(dataHome === undefined ? [] : [trustStoreFolder(dataHome)]),
      programTree,
      ...skillPaths(true),
    ],
    readOnlyIfPresent: skillPaths(false),
  };
}
