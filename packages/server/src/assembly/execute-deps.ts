import { createHash } from 'node:crypto';
import { type AuditLog, type Catalog, type ExecuteDeps, executionQueue } from '@ambit/core';
import { folderCatalog, jsonSchemaChecker, processExecutor, wasmExecutor } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { policyFrom } from '../config/policy.ts';
import type { Machine } from './machine.ts';

/** Everything that `executeSkill` needs, and its end. */
export interface Assembled {
  deps: ExecuteDeps;
  close(): Promise<void>;
}

/** Puts the rooms together: the one place where a configuration becomes something that can run skills. */
export function assemble(
  config: Config,
  machine: Machine,
  audit: AuditLog,
  environment: Readonly<Record<string, string | undefined>>,
  { prewarms = false }: { prewarms?: boolean } = {},
): Assembled {
  const schemas = jsonSchemaChecker();
  const executors: ExecuteDeps['executors'] = {
    process: processExecutor({ sandbox: machine.process, environment, own: ownPaths(config), prewarms }),
    wasm: wasmExecutor({ sandbox: machine.wasm }),
  };
  return {
    deps: {
      catalog: catalogOf(config),
      policy: policyFrom(config, sha256),
      executors,
      audit,
      schemas,
      queue: executionQueue(config.queue),
      now: Date.now,
      sha256,
    },
    async close() {
      await Promise.all([schemas, ...Object.values(executors)].map((each) => each.close?.()));
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

/** The skills of a configuration. */
export function catalogOf(config: Config): Catalog {
  return folderCatalog(config.skills);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
