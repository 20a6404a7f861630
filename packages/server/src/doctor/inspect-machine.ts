import { type Environment, pythonPackage } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { defaultConfig } from '../config/general-config.ts';
import { foundSkills } from '../config/skill-warnings.ts';
import { dataFiles } from '../setup/data-dir.ts';
import { probeMachine } from '../setup/machine.ts';
import { catalogOf } from '../setup/skill-service.ts';
import { addressCheck } from './address-check.ts';
import { aliasesCheck } from './aliases-check.ts';
import { clockCheck } from './clock-check.ts';
import { clusterCheck } from './cluster-check.ts';
import { configurationCheck } from './configuration-check.ts';
import { daemonCheck } from './daemon-check.ts';
import { dataDirCheck } from './data-dir-check.ts';
import { diskCheck } from './disk-check.ts';
import type { DoctorCheck, DoctorReport } from './doctor-report.ts';
import { hostGrantsCheck } from './host-grants-check.ts';
import { keysCheck } from './keys-check.ts';
import { memoryCheck } from './memory-check.ts';
import { nodeCheck, programsCheck } from './program-checks.ts';
import { pythonCheck } from './python-check.ts';
import { requestedLimitsCheck } from './requested-limits-check.ts';
import { filterCheck, limitsCheck, processCheck, wasmCheck } from './sandbox-checks.ts';
import { secretsCheck } from './secrets-check.ts';
import { storeCheck } from './store-check.ts';
import { untrustedToolsCheck } from './untrusted-tools-check.ts';
import { epollWatchesMax, userCheck } from './user-check.ts';
import { wasmPythonCheck } from './wasm-python-check.ts';

/**
 * Checks what this machine can isolate, the daemon and its files. Without a configuration, checks
 * only the machine: the files may belong to another user. `environment` is the one of the shell.
 */
export async function inspectMachine(
  config: Config | undefined,
  version: string,
  environment: Environment,
): Promise<DoctorReport> {
  const machine = await probeMachine();
  const { capacity } = config ?? defaultConfig();
  try {
    return {
      checks: [
        nodeCheck(),
        processCheck(machine),
        wasmCheck(machine),
        userCheck({
          boundsRuns: machine.process.boundsRuns,
          hostUser: machine.process.hostUser,
          memoryShareBytes: capacity.memoryShareBytes,
          epollWatchesMax: epollWatchesMax(),
        }),
        limitsCheck(),
        memoryCheck(capacity, machine),
        filterCheck(),
        programsCheck(),
        pythonCheck(environment['PATH'] ?? ''),
        wasmPythonCheck(pythonPackage()),
        ...(config === undefined ? [] : await filesChecks(config, version, environment)),
      ],
    };
  } finally {
    await machine.process.close?.();
  }
}

async function filesChecks(
  config: Config,
  version: string,
  environment: Environment,
): Promise<DoctorCheck[]> {
  const catalog = catalogOf(config, environment);
  const found = await foundSkills(catalog).finally(() => catalog.close());
  return [
    dataDirCheck(config.dataDir),
    diskCheck(config),
    await storeCheck(config, environment),
    ...(await clusterCheck(config, environment)),
    await keysCheck(config, environment),
    ...hostGrantsCheck(config),
    ...(await secretsCheck(config, environment)),
    await configurationCheck(config, found),
    ...aliasesCheck(found.skills),
    ...requestedLimitsCheck(config, found.skills),
    await daemonCheck(config, version),
    untrustedToolsCheck(config, found.skills),
    await addressCheck(config),
    clockCheck(dataFiles(config).audit, Date.now()),
  ];
}
