/**
 * The program behind `ambit`: connects the modules and runs the command line. A command loads the modules that it uses, because
 * loading takes most of its time.
 */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { userPlaces } from '@ambit/client/node';
import {
  type Config,
  type ConfigFlags,
  type ConfigSources,
  configLoader,
  configWithOrigins,
  defaultConfig,
  foundSkills,
  limitWarnings,
  namedDataDir,
  skillWarnings,
} from '@ambit/server/config';
import {
  daemonText,
  onDemandArguments,
  readOnDemandArguments,
  reloadDaemon,
  stopDaemon,
} from '@ambit/server/daemon';
import manifest from '../package.json' with { type: 'json' };
import { ambitCli } from './ambit-cli.ts';
import { whileWaiting } from './output/progress-line.ts';
import type { Actions, CommandFlags, DaemonUse } from './ports/actions.ts';
import { requiredDaemon, type UsedBy, useDaemon } from './runner/use-daemon.ts';

/** Runs the command line of this process. Resolves to its exit code. */
export async function runProgram(): Promise<number> {
  const places = userPlaces(process.env);
  const sources = (flags: ConfigFlags): ConfigSources => ({
    flags,
    env: process.env,
    cwd: process.cwd(),
    uid: process.getuid?.(),
    ...places,
    // Only nodes load the code for it.
    readPolicy: async (dataDir) => (await import('@ambit/server/policy-copy')).readPolicyCopy(dataDir),
  });

  const loader = configLoader();
  const onDemand = readOnDemandArguments(process.argv.slice(2));
  if (onDemand !== undefined) {
    const { serveOnDemand } = await import('@ambit/server/app');
    const { folder, flags } = onDemand;
    const from = sources(flags);
    const found = folder === undefined ? { ...from, outsideProjects: true } : { ...from, cwd: folder };
    return serveOnDemand({
      load: () => loader.load(found),
      valuesOf: loader.valuesOf,
      environment: process.env,
      version: manifest.version,
    });
  }

  /** The flags that each configuration was loaded with. */
  const flagsOf = new WeakMap<Config, CommandFlags>();
  const usedBy = (config: Config, { isAlone, signal }: DaemonUse = {}): UsedBy => {
    const caller = { flags: flagsOf.get(config) ?? {}, environment: process.env };
    const program = realpathSync(process.argv[1] ?? '');
    return {
      config,
      environment: process.env,
      command: [process.execPath, program, ...onDemandArguments(config, caller)],
      version: manifest.version,
      onNote: (note) => process.stderr.write(`ambit: ${note}\n`),
      isAlone,
      signal,
    };
  };
  const connect = async (config: Config, use: DaemonUse = {}) => {
    const { onlyRunning, signal } = use;
    const daemon = onlyRunning
      ? { ...(await requiredDaemon(config, process.env)), close: async () => undefined }
      : await whileWaiting(process, { json: flagsOf.get(config)?.json === true }, 'start', () =>
          useDaemon(usedBy(config, use)),
        );
    return { ...daemon, signal };
  };
  const openAudit: Actions['openAudit'] = async (config, use) => {
    const { daemonAudit } = await import('./remote/daemon-audit.ts');
    return daemonAudit(await connect(config, use));
  };
  const catalogFor: Actions['catalog'] = async (config) =>
    (await import('@ambit/server/local')).catalogOf(config, process.env);

  return ambitCli(
    {
      version: manifest.version,
      async loadConfig(flags) {
        const config = await loader.load(sources(flags));
        flagsOf.set(config, flags);
        return config;
      },
      configWithOrigins: (flags) => configWithOrigins(sources(flags)),
      async startDaemon(config, flags, stopped) {
        const { startDaemon } = await import('@ambit/server/app');
        // A project that appears later does not take over the user's own daemon.
        const from = { ...sources(flags), outsideProjects: config.scope.kind === 'user' };
        const reading = { load: () => loader.load(from), valuesOf: loader.valuesOf, stopped };
        return startDaemon(config, process.env, manifest.version, reading);
      },
      reloadDaemon,
      async connectRunner(config, use) {
        const { daemonRunner } = await import('./remote/daemon-runner.ts');
        return daemonRunner(await connect(config, use));
      },
      async connectLibrary(config, use) {
        const { daemonLibrary } = await import('./remote/daemon-library.ts');
        return daemonLibrary(await connect(config, use));
      },
      async connectWorkspaces(config, use) {
        const { daemonWorkspaces } = await import('./remote/daemon-workspaces.ts');
        return daemonWorkspaces(await connect(config, use));
      },
      async connectConsole(config, use) {
        const { daemonConsole } = await import('./remote/daemon-console.ts');
        return daemonConsole(await connect(config, use));
      },
      async connectInstalls(config, use) {
        const { daemonInstalls } = await import('./remote/daemon-installs.ts');
        return daemonInstalls(await connect(config, use));
      },
      async serveMcp(config, use) {
        const { forwardMcp } = await import('./runner/forward-mcp.ts');
        return forwardMcp(usedBy(config, use), process);
      },
      stopDaemon,
      daemonText: ({ dataDir }) => daemonText(dataDir),
      openAudit,
      async pruneAudit(config, options) {
        const { pruneAudit } = await import('@ambit/server/local');
        return pruneAudit(config, options, process.env);
      },
      backupAudit: async (config, to) => (await import('@ambit/server/local')).backupAudit(config, to),
      proofs: async () => (await import('@ambit/server/local')).auditProofs,
      keys: async () => (await import('@ambit/server/local')).keyActions(process.env),
      async copyToPostgres(config) {
        const { copyToPostgres } = await import('@ambit/server/local');
        return copyToPostgres(config, process.env);
      },
      cluster: async () => (await import('@ambit/server/cluster')).clusterActions(process.env),
      trust: async () => (await import('@ambit/server/local')).trustActions(places),
      async propose() {
        const { proposeActions } = await import('@ambit/server/local');
        return proposeActions(process.env, places.home, openAudit);
      },
      signing: async () => (await import('@ambit/server/local')).signingActions,
      catalog: catalogFor,
      async readSource(config, typed, signal) {
        const { stageSource } = await import('@ambit/server/local');
        return stageSource(config, { typed }, signal);
      },
      async skillWarnings(config) {
        const { catalogOf, policyOf } = await import('@ambit/server/local');
        const catalog = catalogOf(config, process.env);
        try {
          const found = await foundSkills(catalog);
          const limits = limitWarnings(policyOf(config), found.skills);
          return [...(await skillWarnings(config, found)), ...limits];
        } finally {
          await catalog.close();
        }
      },
      async wasmPython() {
        const { pythonPackage } = await import('@ambit/runtime');
        const { wasmPython } = await import('@ambit/server/wire');
        return wasmPython(pythonPackage());
      },
      openToolChecker: async () => (await import('@ambit/server/local')).openToolChecker(),
      async promptsWithoutConfig(catalog) {
        const { prompts } = await import('@ambit/server/local');
        return prompts({
          // Context may come from the project's folder, and its data directory stays hidden.
          config: {
            ...defaultConfig(),
            file: undefined,
            dataDir: namedDataDir(sources({})) ?? resolve('.ambit'),
          },
          catalog,
          contextRoots: 'anywhere',
        });
      },
      async inspectMachine(config) {
        const { inspectMachine } = await import('@ambit/server/local');
        return inspectMachine(config, manifest.version, process.env);
      },
    },
    process,
    process.argv.slice(2),
  );
}
