import type { Grant, RunResult } from '@ambit/core/execute';
import { type ObservedRun, type UsedCapabilities, unobserved, usedCapabilities } from '@ambit/core/outcome';
import { redactorOf, usesOf } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { SandboxedRun } from './sandbox/sandbox.ts';
import type { SkillCommand } from './sandboxed-command.ts';

/** The parts of a run that show what it used. */
interface KnownRun
  extends Pick<SkillCommand, 'interpreter'>,
    Pick<SandboxedRun, 'end' | 'files'>,
    Pick<RunResult, 'state'> {}

/** The capabilities that a program used, as far as they are visible from outside its sandbox. */
export function usedByProgram(
  { capabilities }: Grant,
  { interpreter, end, files, state }: KnownRun,
  proxy: CallProxy | undefined,
): UsedCapabilities {
  // A stopped run may not have started the program.
  const hasStarted = !['canceled', 'timed-out'].includes(end.status);
  const seen: ObservedRun = {
    ...usesOf(proxy),
    exec: hasStarted && interpreter !== undefined ? some(interpreter, 1) : unobserved,
    // A file that was written and removed again leaves no trace.
    'filesystem.write': files?.length ? some('workspace', files.length) : unobserved,
    'filesystem.read': unobserved,
    env: unobserved,
    // Reads of the state file are not visible.
    state: state === undefined ? null : 'write',
    memory: null,
    functions: new Map(),
  };
  const used = usedCapabilities(capabilities, seen, redactorOf(proxy));
  if (capabilities.host !== true) return used;
  // Nothing of what it did on the host passed through Ambit.
  return { ...used, filesystem: { read: null, write: null }, network: null, env: null };
}

/** One observed item; others may have been used. */
function some(item: string, count: number): ObservedRun['exec'] {
  return { counts: new Map([[item, count]]), isAll: false };
}
