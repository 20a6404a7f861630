/**
 * The program that runs the calls of this suite, as the daemon would, and as whatever user it is started as. A call a
 * line comes in, its answer a line goes out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import {
  asToolSkill,
  Capabilities,
  type Execution,
  type ExecutionInput,
  grantCall,
  isBroken,
  SkillError,
  tierCeilings,
  type WorkspaceFile,
} from '../../../packages/core/src/index.ts';
import {
  bubblewrapSandbox,
  cgroupCeilings,
  closeInheritedDescriptors,
  folderCatalog,
  processExecutor,
} from '../../../packages/runtime/src/index.ts';
import type { Answer, AnswerLine, CallLine, ExecutionLine, Introduction } from './protocol.ts';

const inherited = inheritedDescriptors();
closeInheritedDescriptors();

/** A secret that this program holds in its memory, beside the one in its environment and on its command line. */
const held = Buffer.from(`${process.env['CANARY_PREFIX']}-memory`);

const ceilings = cgroupCeilings();
const sandbox = bubblewrapSandbox({ ceilings: ceilings ?? null });
const executor = processExecutor({ sandbox, environment: process.env });

say({
  skillUser: sandbox.hostUser ?? process.getuid?.() ?? -1,
  ceilings: ceilings?.name ?? null,
  inherited,
});
const calls = createInterface({ input: process.stdin });
const running = new Set<Promise<void>>();
for await (const line of calls) {
  const call = JSON.parse(line) as CallLine;
  const answered = answer(call).then((result) => say({ id: call.id, ...result }));
  running.add(answered);
  void answered.finally(() => running.delete(answered));
}
await Promise.all(running);
sandbox.close?.();
process.exitCode = held.length > 0 ? 0 : 1;

async function answer({ skill: folder, given, files, grant, deny, narrowing }: CallLine): Promise<Answer> {
  try {
    const skill = await folderCatalog([{ path: folder, tier: 'local' }]).find(basename(folder));
    if (skill === undefined) throw new Error(`${folder} holds no skill`);
    if (isBroken(skill)) return { refused: { code: 'SKILL_INVALID', message: skill.problem } };
    const tool = asToolSkill(skill);
    if (tool === undefined) throw new Error(`${folder} holds no tool skill`);
    const policy = {
      digest: 'sha256:security',
      tiers: tierCeilings,
      grants: new Map([[tool.id, Capabilities.parse(grant)]]),
      deny: Capabilities.parse(deny),
      limits: {},
    };
    const input: ExecutionInput = { protocol: 'json', value: given, files: workspaceFiles(files) };
    const signal = new AbortController().signal;
    return { execution: onLine(await executor.execute(grantCall(policy, tool, narrowing), input, signal)) };
  } catch (error) {
    const code = error instanceof SkillError ? error.code : 'UNEXPECTED';
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return { refused: { code, message: `${error instanceof Error ? error.message : error}${cause}` } };
  }
}

function workspaceFiles(files: CallLine['files']): WorkspaceFile[] {
  return Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content, 'latin1') }));
}

function onLine({ files, ...execution }: Execution): ExecutionLine {
  if (files === undefined) return execution;
  const text = (content: Uint8Array | null): string | null =>
    content === null ? null : Buffer.from(content).toString('latin1');
  return { ...execution, files: files.map((file) => ({ ...file, content: text(file.content) })) };
}

function say(line: AnswerLine | Introduction): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Those beyond the standard three that are open and not closed when another program starts. */
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
