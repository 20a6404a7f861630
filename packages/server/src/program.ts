/** The program behind `ambit`: connects the modules and runs the command line. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { userPlaces } from '@ambit/client/node';
import { pythonPackage } from '@ambit/runtime';
import manifest from '../package.json' with { type: 'json' };
import { auditProofs } from './actions/audit-proofs.ts';
import { backupAudit, pruneAudit } from './actions/audit-retention.ts';
import { copyToPostgres } from './actions/copy-to-postgres.ts';
import { keyActions } from './actions/key-actions.ts';
import { openToolChecker } from './actions/open-tool-checker.ts';
import { proposeActions } from './actions/propose-actions.ts';
import { signingActions } from './actions/signing-actions.ts';
import { trustActions } from './actions/trust-actions.ts';
import { ambitCli } from './cli/ambit-cli.ts';
import { whileWaiting } from './cli/output/progress-line.ts';
import type { Actions, DaemonUse } from './cli/ports/actions.ts';
import { daemonAudit } from './cli/remote/daemon-audit.ts';
import { daemonConsole } from './cli/remote/daemon-console.ts';
import { daemonInstalls } from './cli/remote/daemon-installs.ts';
import { daemonLibrary } from './cli/remote/daemon-library.ts';
import { daemonRunner } from './cli/remote/daemon-runner.ts';
import { daemonWorkspaces } from './cli/remote/daemon-workspaces.ts';
import type { Config, ConfigFlags, ConfigSources } from './config/config.ts';
import { defaultConfig } from './config/general-config.ts';
import { configLoader, configWithOrigins, namedDataDir } from './config/load-config.ts';
import { foundSkills, limitWarnings, skillWarnings } from './config/skill-warnings.ts';
import { inspectMachine } from './doctor/inspect-machine.ts';
import { stageSource } from './installs/stage-source.ts';
import { daemonText } from './on-demand/daemon-text.ts';
import { onDemandArguments, readOnDemandArguments } from './on-demand/on-demand-arguments.ts';
import { prompts } from './prompts/prompts.ts';
import { requiredDaemon, type UsedBy, useDaemon } from './runner/use-daemon.ts';
import { reloadDaemon } from './running-daemon/reload-daemon.ts';
import { stopDaemon } from './running-daemon/stop-daemon.ts';
import { catalogOf, policyOf } from './setup/skill-service.ts';
import { wasmPython } from './wire/program-text.ts';

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
    readPolicy: async (dataDir) => (await import('./cluster/policy/policy-copy.ts')).readPolicyCopy(dataDir),
  });

  const loader = configLoader();
  const onDemand = readOnDemandArguments(process.argv.slice(2));
  if (onDemand !== undefined) {
    const { serveOnDemand } = await import('./app/serve-on-demand.ts');
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
  const flagsOf = new WeakMap<Config, ConfigFlags>();
  const usedBy = (config: Config, { isAlone }: DaemonUse = {}): UsedBy => {
    const caller = { flags: flagsOf.get(config) ?? {}, environment: process.env };
    const program = realpathSync(process.argv[1] ?? '');
    return {
      config,
      environment: process.env,
      command: [process.execPath, program, ...onDemandArguments(config, caller)],
      version: manifest.version,
      onNote: (note) => process.stderr.write(`ambit: ${note}\n`),
      isAlone,
    };
  };
  const connect = async (config: Config, use: DaemonUse = {}) => {
    const { onlyRunning, signal } = use;
    const daemon = onlyRunning
      ? { ...(await requiredDaemon(config, process.env)), close: async () => undefined }
      : await whileWaiting(process, { json: false }, 'start', () => useDaemon(usedBy(config, use)));
    return { ...daemon, signal };
  };
  const openAudit: Actions['openAudit'] = async (config, use) => daemonAudit(await connect(config, use));

  return ambitCli(
    {
      version: manifest.version,
      async loadConfig(flags) {
        const config = await loader.load(sources(flags));
        flagsOf.set(config, flags);
        return config;
      },
      configWithOrigins: (flags) => configWithOrigins(sources(flags)),
      // Most commands need no HTTP server, which takes longer to load than they run.
      async startDaemon(config, flags, stopped) {
        const { startDaemon } = await import('./app/start-daemon.ts');
        // A project that appears later does not take over the user's own daemon.
        const from = { ...sources(flags), outsideProjects: config.scope.kind === 'user' };
        const reading = { load: () => loader.load(from), valuesOf: loader.valuesOf, stopped };
        return startDaemon(config, process.env, manifest.version, reading);
      },
      reloadDaemon,
      connectRunner: async (config, use) => daemonRunner(await connect(config, use)),
      connectLibrary: async (config, use) => daemonLibrary(await connect(config, use)),
      connectWorkspaces: async (config, use) => daemonWorkspaces(await connect(config, use)),
      connectConsole: async (config, use) => daemonConsole(await connect(config, use)),
      connectInstalls: async (config) => daemonInstalls(await connect(config)),
      // As does the MCP library.
      async serveMcp(config, use) {
        const { forwardMcp } = await import('./runner/forward-mcp.ts');
        return forwardMcp(usedBy(config, use), process);
      },
      stopDaemon,
      daemonText: ({ dataDir }) => daemonText(dataDir),
      openAudit,
      pruneAudit: (config, options) => pruneAudit(config, options, process.env),
      backupAudit,
      proofs: auditProofs,
      keys: keyActions(process.env),
      copyToPostgres: (config) => copyToPostgres(config, process.env),
      cluster: async () => (await import('./actions/cluster-actions.ts')).clusterActions(process.env),
      trust: trustActions(places),
      propose: proposeActions(process.env, places.home, openAudit),
      signing: signingActions,
      catalog: (config) => catalogOf(config, process.env),
      readSource: (config, typed, signal) => stageSource(config, { typed }, signal),
      async skillWarnings(config) {
        const catalog = catalogOf(config, process.env);
        try {
          const found = await foundSkills(catalog);
          const limits = limitWarnings(policyOf(config), found.skills);
          return [...(await skillWarnings(config, found)), ...limits];
        } finally {
          await catalog.close();
        }
      },
      wasmPython: () => wasmPython(pythonPackage()),
      openToolChecker,
      promptsWithoutConfig: (catalog) =>
        prompts({
          // Context may come from the project's folder, and its data directory stays hidden.
          config: {
            ...defaultConfig(),
            file: undefined,
            dataDir: namedDataDir(sources({})) ?? resolve('.ambit'),
          },
          catalog,
          contextRoots: 'anywhere',
        }),
      inspectMachine: (config) => inspectMachine(config, manifest.version, process.env),
    },
    process,
    process.argv.slice(2),
  );
}
