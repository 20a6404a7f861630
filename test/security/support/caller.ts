/**
 * The program that runs the calls of this suite like the daemon, as any user. Reads a call per line
 * and writes an answer per line.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  asToolSkill,
  CallContext,
  Capabilities,
  grantCall,
  type RunInput,
  type RunResult,
  type SkillExecutor,
} from '../../../packages/core/src/execute.ts';
import { SkillError } from '../../../packages/core/src/index.ts';
import { tierCeilings } from '../../../packages/core/src/policy.ts';
import { isBroken } from '../../../packages/core/src/skill.ts';
import type { FileContent, WorkspaceFile } from '../../../packages/core/src/workspace.ts';
import {
  bubblewrapSandbox,
  cgroupLimits,
  egress,
  folderCatalog,
  pin,
  processExecutor,
  secretSource,
  wasmExecutor,
} from '../../../packages/runtime/src/index.ts';
import { openSqliteStore, skillState } from '../../../packages/server/src/index.ts';
import { hostsOf } from './hosts.ts';
import type {
  Answer,
  AnswerLine,
  CallHost,
  CallLine,
  ExecutionLine,
  Introduction,
  Needed,
} from './protocol.ts';

const inherited = inheritedDescriptors();

/** A secret in this program's memory, besides its environment and command line. */
const held = Buffer.from(`${process.env['CANARY_PREFIX']}-memory`);

const cgroups = cgroupLimits();
const sandbox = bubblewrapSandbox({ resourceLimits: cgroups ?? null, startsAhead: true });
/** The only secret that calls can be granted. */
const network = egress(secretSource({ API_TOKEN: { env: 'AMBIT_API_TOKEN' } }, process.env));
const data = mkdtempSync(join(tmpdir(), 'ambit-security-data-'));
writeFileSync(join(data, 'key'), held);
const own = { hidden: [data], readOnly: [] };
const store = openSqliteStore(join(data, 'store.db'));
const state = skillState(store);
/** The paths that no skill with the rights of a user sees, pinned at the start as by the daemon. */
const hidden: string[] = JSON.parse(process.env['AMBIT_TEST_HIDDEN'] ?? '[]');
const host = {
  pins: [data, ...hidden].map((path) => pin(path)),
  dataDirs: async () => [],
  readOnly: JSON.parse(process.env['AMBIT_TEST_READ_ONLY'] ?? '[]') as string[],
  readOnlyIfPresent: [],
  secretVariables: ['API_TOKEN_SOURCE'],
  users: process.getuid?.() === 0 ? { attacker: 'nobody' } : {},
};
const processes = processExecutor({ sandbox, environment: process.env, state, egress: network, host });
let hostsStarted = 0;
const modules = new Map<string, SkillExecutor>();

say({
  skillUser: sandbox.hostUser ?? process.getuid?.() ?? -1,
  cgroups: cgroups?.name ?? null,
  inherited,
  data,
});
const calls = createInterface({ input: process.stdin });
const running = new Set<Promise<void>>();
for await (const line of calls) {
  const call = JSON.parse(line) as CallLine;
  const answered = answer(call).then((result) => say({ id: call.id, answer: result, needed: needed() }));
  running.add(answered);
  void answered.finally(() => running.delete(answered));
}
await Promise.all(running);
await Promise.all([...modules.values()].map((executor) => executor.close?.()));
await network.close();
await sandbox.close?.();
await store.close();
rmSync(data, { recursive: true });
process.exitCode = held.length > 0 ? 0 : 1;

async function answer(call: CallLine): Promise<Answer> {
  return execute(call).then(
    (execution) => ({ execution }),
    (error: unknown) => ({ refused: refusalOf(error) }),
  );
}

function needed(): Needed {
  return { hosts: hostsStarted, residentBytes: process.resourceUsage().maxRSS * 1024 };
}

async function execute({
  skill: folder,
  given,
  files,
  grant,
  deny,
  narrowing,
  tier = 'local',
  callerContext,
  host,
}: CallLine): Promise<ExecutionLine> {
  const skill = await folderCatalog([{ path: folder, tier }]).find(basename(folder));
  if (skill === undefined) throw new Error(`${folder} holds no skill`);
  if (isBroken(skill)) throw new SkillError('SKILL_INVALID', skill.problem);
  const tool = asToolSkill(skill);
  if (tool === undefined) throw new Error(`${folder} holds no tool skill`);
  const policy = {
    digest: 'sha256:security',
    tiers: tierCeilings,
    grants: new Map([[tool.id, Capabilities.parse(grant)]]),
    deny: Capabilities.parse(deny),
    limits: {},
  };
  const input: RunInput = {
    protocol: 'json',
    value: given,
    files: workspaceFiles(files),
    ...(callerContext && {
      context: { executionId: 'an execution', caller: CallContext.parse(callerContext) },
    }),
  };
  const executor = tool.run.runtime === 'wasm' ? modulesIn(host) : processes;
  const signal = new AbortController().signal;
  const execution = await executor.execute(grantCall(policy, tool, { narrowing }), input, signal);
  await execution.state?.save();
  return onLine(execution);
}

/**
 * One executor for each kind of host, so that calls of different kinds do not wait for each other.
 */
function modulesIn(host: CallHost | undefined): SkillExecutor {
  const key = JSON.stringify(host);
  const there = modules.get(key);
  if (there !== undefined) return there;
  const started = (): void => {
    hostsStarted++;
  };
  const executor = wasmExecutor({
    sandbox: hostsOf(sandbox, host, started),
    state,
    own,
    environment: process.env,
    egress: network,
    hosts: 1,
    hostsMax: 4,
  });
  modules.set(key, executor);
  return executor;
}

function refusalOf(error: unknown): { code: string; message: string } {
  const code = error instanceof SkillError ? error.code : 'UNEXPECTED';
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return { code, message: `${error instanceof Error ? error.message : error}${cause}` };
}

function workspaceFiles(files: CallLine['files']): WorkspaceFile[] {
  return Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content, 'latin1') }));
}

function onLine({ files, state: change, ...ended }: RunResult): ExecutionLine {
  const execution = { ...ended, ...(change && { stateKeys: change.keys }) };
  if (files === undefined) return execution;
  const text = (content: Uint8Array | FileContent | null): string | null =>
    content instanceof Uint8Array ? Buffer.from(content).toString('latin1') : null;
  return { ...execution, files: files.map((file) => ({ ...file, content: text(file.content) })) };
}

function say(line: AnswerLine | Introduction): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Open descriptors beyond the standard three that another program would inherit. */
function inheritedDescriptors(): number[] {
  const closeOnExec = 0o2000000;
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => {
      try {
        const flags = /^flags:\s*([0-7]+)$/m.exec(
          readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'),
        )?.[1];
        return descriptor > 2 && (Number.parseInt(flags ?? '', 8) & closeOnExec) === 0;
      } catch {
        return false;
      }
    });
}
