import type { Grant, RunResult } from '@ambit/core/execute';
import { type ObservedRun, type UsedCapabilities, unobserved, usedCapabilities } from '@ambit/core/internal';
import { redactorOf, usesOf } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { SandboxedRun } from './sandbox/sandbox.ts';
import type { SkillCommand } from './sandboxed-command.ts';

/** What is known of a run: how it was started, how it ended and what it left. */
interface KnownRun
  extends Pick<SkillCommand, 'interpreter'>,
    Pick<SandboxedRun, 'end' | 'files'>,
    Pick<RunResult, 'state'> {}

/** What a program used, as far as it is seen from outside its sandbox. */
export function usedByProgram(
  { capabilities }: Grant,
  { interpreter, end, files, state }: KnownRun,
  proxy: CallProxy | undefined,
): UsedCapabilities {
  // One that was stopped from outside may not have come so far as to start it.
  const hasStarted = !['canceled', 'timed-out'].includes(end.status);
  const seen: ObservedRun = {
    ...usesOf(proxy),
    exec: hasStarted && interpreter !== undefined ? some(interpreter, 1) : unobserved,
    // A file that it wrote and removed again leaves no trace.
    'filesystem.write': files?.length ? some('workspace', files.length) : unobserved,
    'filesystem.read': unobserved,
    env: unobserved,
    // Whether it has read its files is not seen.
    state: state === undefined ? null : 'write',
    memory: null,
    functions: new Map(),
  };
  return usedCapabilities(capabilities, seen, redactorOf(proxy));
}

/** One item that was seen; others may have been used. */
function some(item: string, count: number): ObservedRun['exec'] {
  return { counts: new Map([[item, count]]), isAll: false };
}
