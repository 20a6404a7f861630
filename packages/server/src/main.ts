/** The `ambit` program: puts the rooms together and hands them to the command line. */
import { homedir } from 'node:os';
import manifest from '../package.json' with { type: 'json' };
import { dataFiles } from './assembly/data-dir.ts';
import { catalogOf } from './assembly/execute-deps.ts';
import { inspectMachine } from './assembly/inspect-machine.ts';
import { probeMachine } from './assembly/machine.ts';
import { connectDaemon, openRunner } from './assembly/open-runner.ts';
import { prompts } from './assembly/prompts.ts';
import { startDaemon } from './assembly/start-daemon.ts';
import { readAuditLog } from './audit/read-audit-log.ts';
import { ambitCli } from './cli/ambit-cli.ts';
import type { ConfigFlags, ConfigSources } from './config/config.ts';
import { configWithOrigins, loadConfig } from './config/load-config.ts';

const sources = (flags: ConfigFlags): ConfigSources => ({
  flags,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
});

process.exitCode = await ambitCli(
  {
    version: manifest.version,
    loadConfig: (flags) => loadConfig(sources(flags)),
    configWithOrigins: (flags) => configWithOrigins(sources(flags)),
    startDaemon: (config) => startDaemon(config, process.env),
    connectDaemon,
    openRunner: (config) => openRunner(config, process.env),
    openAudit: async (config) => readAuditLog({ file: dataFiles(config).audit }),
    catalog: catalogOf,
    prompts: (config) =>
      prompts({
        ...{ config, catalog: catalogOf(config), contextRoots: 'anywhere' },
        sandbox: async () => (await probeMachine()).process,
      }),
    inspectMachine,
  },
  process,
  process.argv.slice(2),
);
