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
  type WasmExecutor,
  wasmExecutor,
} from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { programFolder } from '../config/program-folder.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { Machine } from './machine.ts';
import { type RefCounted, withLease } from './reload/ref-counted.ts';

/** What runs skills, and its end. */
export interface Executors {
  process: ProcessExecutor;
  wasm: WasmExecutor;
  close(): Promise<void>;
}

/** What executors are made of beside the configuration. */
export interface ExecutorSurroundings {
  machine: Machine;
  secrets: KnownSecrets;
  environment: Environment;
  /** Where large outputs are read. */
  json: JsonThread;
  /** One for all configurations: calls of an old one may still run, and each store has one writer. */
  state: SkillState;
  /** For more than a single call. */
  lasts: boolean;
}

/** The executors of a configuration. */
export function executorsOf(
  config: Config,
  { machine, secrets, environment, json, state, lasts }: ExecutorSurroundings,
): Executors {
  const network = egress(secrets.source);
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
    // A single call has no use for more than one.
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

/** All that executors hold of a configuration. */
export function executorsMadeOf(config: Config): unknown {
  const { secrets, prewarm, maxPrewarmSeconds, wasmHosts, queue } = config;
  return [ownPaths(config), secrets, prewarm, maxPrewarmSeconds, wasmHosts, queue.concurrency];
}

/**
 * The executors as calls use them: those of a replaced configuration stay open until its last call has ended. A configuration
 * decides what they prewarm only while it `isInForce`.
 */
export function refCountedExecutors(
  executors: RefCounted<Executors>,
  isInForce: () => boolean,
): Record<'process' | 'wasm', SkillExecutor> {
  const one = (runtime: 'process' | 'wasm'): SkillExecutor => ({
    enforces: executors.value[runtime].enforces,
    async execute(...call) {
      const { value, release } = executors.lease();
      try {
        return await value[runtime].execute(...call);
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
      ...one('process'),
      async retain(grants) {
        if (isInForce()) await withLease(executors, (open) => open.process.retain(grants));
      },
    },
    wasm: one('wasm'),
  };
}

/** Granting a folder around these is ordinary, as the data directory is made where Ambit is started. */
function ownPaths({ dataDir, dataDirTrust: { dataHome }, file, skills }: Config): OwnPaths {
  const placesOf = (isTrusted: boolean) =>
    skills.filter(({ tier }) => (tier !== 'untrusted') === isTrusted).map(({ path }) => path);
  return {
    hidden: [dataDir],
    readOnly: [
      ...(file === undefined ? [] : [file]),
      ...(dataHome === undefined ? [] : [trustStoreFolder(dataHome)]),
      programFolder,
      ...placesOf(true),
    ],
    readOnlyIfThere: placesOf(false),
  };
}
