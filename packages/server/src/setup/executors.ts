import { existsSync, mkdirSync, statSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { trustStore, trustStoreFolder, userDataDir } from '@ambit/client/node';
import type { SkillExecutor, SkillState } from '@ambit/core/execute';
import {
  type Environment,
  egress,
  type HostSettings,
  type JsonThread,
  type OwnPaths,
  type ProcessExecutor,
  pin,
  processExecutor,
  secretSource,
  type WasmExecutor,
  wasmExecutor,
} from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { programTree } from '../config/program-folder.ts';
import { createSocketRoots, socketRoots } from '../local-socket/socket-folder.ts';
import type { InstalledCalls } from './installed-calls.ts';
import type { Machine } from './machine.ts';
import { type RefCounted, withLease } from './ref-counted.ts';
import { userFolders } from './user-folders.ts';

/** The executors of both runtimes. */
export interface Executors {
  process: ProcessExecutor;
  wasm: WasmExecutor;
  close(): Promise<void>;
}

/** The parts that executors need besides the configuration. */
export interface ExecutorDeps {
  machine: Machine;
  environment: Environment;
  /** Parses large outputs. */
  json: JsonThread;
  /** Shared by all configurations: calls of an old one may still run, and each store has one writer. */
  state: SkillState;
}

/** The executors of a configuration. */
export function executorsOf(config: Config, { machine, environment, json, state }: ExecutorDeps): Executors {
  const { capacity } = config;
  const own: OwnPaths = {
    ...ownPaths(config, environment),
    otherDataDirs: () => userDataDirs(config),
  };
  createSocketRoots(environment);
  const network = egress(secretSource(config.secrets, environment));
  const process = processExecutor({
    sandbox: machine.process,
    state,
    environment,
    own,
    host: hostSettings(config, machine.pins, environment),
    egress: network,
    json,
    memory: machine.memory,
    prewarmMax: capacity.prewarm,
    prewarmMaxAgeMs: capacity.maxPrewarmSeconds * 1000,
  });
  const wasm = wasmExecutor({
    sandbox: machine.wasm,
    state,
    environment,
    own,
    egress: network,
    json,
    memory: machine.memory,
    hosts: capacity.wasmHosts,
    hostsMax: Math.max(capacity.concurrency, capacity.wasmHosts),
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
export function executorSettings(config: Config, environment: Environment): unknown {
  const { prewarm, maxPrewarmSeconds, wasmHosts, concurrency } = config.capacity;
  return [
    ...[ownPaths(config, environment), config.secrets, prewarm, maxPrewarmSeconds, wasmHosts, concurrency],
    // Editors replace a file, and a program with the rights of a user must not see the new one either.
    grantsHost(config) && [config.hostUsers, replaceableFiles(config).map(pin), trustAnchors(config)],
  ];
}

function grantsHost({ grants }: Config): boolean {
  return Object.values(grants).some(({ host }) => host === true);
}

/** Files that their owner replaces while the daemon runs: the configuration, and files with secrets. */
function replaceableFiles({ file, secrets, listen }: Config): string[] {
  const secretFiles = Object.values(secrets).map((place) => ('file' in place ? place.file : undefined));
  return [file, ...secretFiles, listen.tls?.key].filter((path) => path !== undefined);
}

/**
 * Lists paths that programs with a user's rights may not see or change. Folders are pinned once in the life of the process: a
 * program that moved one could otherwise wait for a reload, and find it at its new path.
 */
function hostSettings(config: Config, pins: Machine['pins'], environment: Environment): HostSettings {
  const { dataDir, dataDirTrust, secrets, hostUsers, lockFile, audit } = config;
  const { dataHome } = dataDirTrust;
  const store = dataHome === undefined ? undefined : trustStoreFolder(dataHome);
  // A program could create them, with decisions in them.
  if (grantsHost(config)) for (const folder of userFolders(config).folders) createOwnFolder(folder);
  // Beside the trust store is the data directory of the user's daemon outside projects.
  for (const folder of store === undefined ? [dataDir] : [dataDir, dirname(store)])
    if (pins.get(folder)?.found === undefined) pins.set(folder, pin(folder));
  const { readOnly, readOnlyIfPresent = [] } = ownPaths(config, environment);
  // systemd's folder of credentials, and the key of a client in the daemon's own environment.
  const credentialFiles = [environment['CREDENTIALS_DIRECTORY'], environment['AMBIT_KEY_FILE']];
  const { checkpoints } = audit;
  const checkpointFiles = checkpoints !== null && 'file' in checkpoints ? [checkpoints.file] : [];
  return {
    pins: [
      ...pins.values(),
      ...replaceableFiles(config).map(pin),
      ...credentialFiles.flatMap((path) => (path?.startsWith('/') ? [pin(path)] : [])),
    ],
    dataDirs: async () => [...(await userDataDirs(config)), ...socketRoots(environment)],
    readOnly: [...readOnly, ...trustAnchors(config)],
    readOnlyIfPresent: [...readOnlyIfPresent, lockFile, ...checkpointFiles],
    secretVariables: Object.values(secrets).flatMap((place) => ('env' in place ? [place.env] : [])),
    users: hostUsers,
  };
}

/** The data directories of the user: the usual one, and those in the trust store, such as other projects'. Only folders are used. */
async function userDataDirs({ dataDirTrust: { dataHome } }: Config): Promise<string[]> {
  const records = await trustStore(dataHome).list();
  const recorded = records.flatMap(({ kind, path }) => (kind === 'data directory' ? [path] : []));
  const isFolder = (path: string): Promise<boolean> =>
    lstat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  const all = [userDataDir({ dataHome }), ...recorded].filter((path) => path !== undefined);
  const areFolders = await Promise.all(all.map(isFolder));
  return all.filter((_, index) => areFolders[index]);
}

/** Files that say whom Ambit trusts: the keys of publishers, and the authority of the database's certificate. */
function trustAnchors({ publishers, store }: Config): string[] {
  const { ca } = store.postgres?.tls || {};
  return [
    ...publishers.flatMap(({ ed25519, sigstore }) => ed25519 ?? sigstore?.trustedRoot ?? []),
    ...(ca === undefined ? [] : [ca]),
  ];
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
    reservedBytes: (grant) => executors.value[runtime].reservedBytes?.(grant) ?? grant.limits.memoryBytes,
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

/** Creates a folder below one of this user's. Elsewhere, such as on a read-only disk, no program can create it either. */
function createOwnFolder(path: string): void {
  try {
    let above = path;
    while (statSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
    if (statSync(above).uid === process.getuid?.()) mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // It is checked before each run whether it exists by then.
  }
}

/** Paths that are protected within granted folders. Granting a folder around them is common: the data directory is often in it. */
function ownPaths(config: Config, environment: Environment): OwnPaths {
  const { dataDir, file, skills } = config;
  const skillPaths = (isTrusted: boolean) =>
    skills.filter(({ tier }) => (tier !== 'untrusted') === isTrusted).map(({ path }) => path);
  const { folders, files } = userFolders(config);
  return {
    hidden: [dataDir, ...socketRoots(environment)],
    readOnly: [
      ...(file === undefined ? [] : [file]),
      // A folder exists before the file does, and the file may be a link to another folder.
      ...folders,
      ...files.filter(existsSync),
      programTree,
      ...skillPaths(true),
    ],
    readOnlyIfPresent: [...skillPaths(false), ...files],
  };
}
