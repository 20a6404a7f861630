import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRecord } from '../../../packages/core/src/audit.ts';
import {
  type CallContext,
  Capabilities,
  type ExecuteDeps,
  type ExecuteResult,
  executeSkill,
  executionQueue,
  type Narrowing,
  type SkillState,
} from '../../../packages/core/src/execute.ts';
import { noCapabilities, tierCeilings } from '../../../packages/core/src/policy.ts';
import {
  bubblewrapSandbox,
  folderCatalog,
  jsonSchemaChecker,
  jsonThread,
  processExecutor,
  wasmExecutor,
} from '../../../packages/runtime/src/index.ts';
import { skillState } from '../../../packages/server/src/index.ts';
import { emptyStore, type TestDatabase } from '../../../packages/server/src/store/testing/databases.ts';
import { writeSkills } from '../../support/skills.ts';
import { memoryAuditLog } from '../memory-audit-log.ts';

/** A step of a skill of this suite. Its output lists the result of each step. */
type Step =
  /** The value of a key; `null` if it is missing. */
  | { get: string }
  /** `null` removes the key. */
  | { set: string; to: unknown }
  /** The texts of the caller's memory. */
  | { memory: true }
  /** Ends the run as failed. */
  | { fail: true };

/** The capabilities that a skill requests and is granted. */
type RequestedState = Pick<Partial<Capabilities>, 'state' | 'memory'>;

/** Skills of one runtime, called like the daemon calls them. */
export interface StateWorld {
  state: SkillState;
  /** Creates a skill that takes steps and returns its unique id. */
  skill(requested: RequestedState, output?: object): Promise<string>;
  call(id: string, steps: readonly Step[], call?: Call): Promise<ExecuteResult>;
  record(executionId: string): Promise<CallRecord | undefined>;
  close(): Promise<void>;
}

interface Call {
  context?: CallContext;
  narrowing?: Narrowing;
}

/** The source of a runtime's skills. */
interface SkillSource {
  run: object;
  file: string;
  text: string;
}

const program: SkillSource = {
  run: { runtime: 'process', entry: 'scripts/run.py' },
  file: 'scripts/run.py',
  text: `#!/usr/bin/env python3
import json, os, sys

def state():
    with open(os.environ["AMBIT_STATE"]) as file:
        return json.load(file)

def put(key, value):
    kept = state()
    kept[key] = value
    with open(os.environ["AMBIT_STATE"], "w") as file:
        json.dump(kept, file)

def memory():
    if "AMBIT_MEMORY" not in os.environ:
        return []
    with open(os.environ["AMBIT_MEMORY"]) as file:
        return json.load(file)

given = []
for step in json.load(sys.stdin):
    if "get" in step:
        given.append(state().get(step["get"]))
    elif "set" in step:
        given.append(put(step["set"], step["to"]))
    elif "memory" in step:
        given.append(memory())
    else:
        sys.exit("no")
json.dump(given, sys.stdout)
`,
};

const script: SkillSource = {
  run: { runtime: 'wasm', entry: 'index.js' },
  file: 'index.js',
  text: `import { recallMemory, stateGet, stateSet } from 'ambit';
    const textOf = (entry) => (typeof entry === 'string' ? entry : entry.text);
    export default (steps) => steps.map((step) => {
      if ('get' in step) return stateGet(step.get);
      if ('set' in step) return stateSet(step.set, step.to) ?? null;
      if ('memory' in step) return recallMemory('').map(textOf);
      throw new Error('no');
    });`,
};

export const processStates = (database: TestDatabase): Promise<StateWorld> =>
  openWorld(database, program, ['python3']);
export const scriptStates = (database: TestDatabase): Promise<StateWorld> => openWorld(database, script, []);

async function openWorld(
  database: TestDatabase,
  { run, file, text }: SkillSource,
  exec: readonly string[],
): Promise<StateWorld> {
  const releases: (() => Promise<void>)[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'ambit-contract-'));
  const [sandbox, json, schemas] = [bubblewrapSandbox(), jsonThread(), jsonSchemaChecker()];
  const state = skillState(await emptyStore(database, (release) => void releases.unshift(release)));
  const programs = processExecutor({ sandbox, environment: {}, state, json });
  const wasm = wasmExecutor({ sandbox, state, json, hosts: 2 });
  const grants = new Map<string, Capabilities>();
  const audit = memoryAuditLog();
  const catalog = folderCatalog([{ path: join(folder, 'skills'), tier: 'local' }]);
  const deps: ExecuteDeps = {
    catalog,
    audit,
    schemas,
    json,
    policy: { digest: 'sha256:test', tiers: tierCeilings, grants, deny: noCapabilities, limits: {} },
    executors: { process: programs, wasm },
    payloads: {
      policyFor: () => ({ payloads: 'digest', previewCharacters: 0, fullBytes: 0 }),
      redactor: { redact: (shown) => shown, secretCharactersMax: 0 },
    },
    queue: executionQueue({ concurrency: 8, concurrencyPerSkill: 8, queue: 100 }),
    now: Date.now,
    sha256: (bytes) => hash('sha256', bytes),
  };
  let count = 0;
  return {
    state,
    async skill({ state: requested = 'none', memory = 'none' }, output) {
      const id = `skill-${count++}`;
      const capabilities = { exec, state: requested, memory };
      const sidecar = { run: { ...run, capabilities, ...(output && { output }) } };
      await writeSkills(join(folder, 'skills'), {
        [id]: { 'ambit.yaml': JSON.stringify(sidecar), [file]: text },
      });
      grants.set(id, Capabilities.parse({ memory }));
      return id;
    },
    call(id, steps, { context, narrowing } = {}) {
      const request = {
        executionId: `execution-${count++}`,
        skillId: id,
        via: 'cli',
        actor: 'a tester',
        input: { input: steps, context },
        ...(narrowing && { narrowing }),
      } as const;
      return executeSkill(deps, request, new AbortController().signal);
    },
    async record(executionId) {
      const [record] = (await audit.query({ executionId, limit: 1 })).records;
      return record;
    },
    async close() {
      await Promise.all([programs.close?.(), wasm.close?.(), catalog.close(), schemas.close(), json.close()]);
      await sandbox.close?.();
      for (const release of releases) await release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
