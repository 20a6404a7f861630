import { type CallerInput, type ExecuteResult, executeSkill, type RunEvent } from '@ambit/core/execute';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { requestSignal, type ToolContext } from '../request/request-signal.ts';
import { seenCatalog } from '../request/seen-skills.ts';
import { logNotifier } from './log-notifier.ts';
import { progressNotifier } from './progress-notifier.ts';

/** A skill call, parsed from the arguments of its tool. */
export interface SkillCall {
  input: CallerInput;
  /** The id of the workspace to run in; absent: a temporary one. */
  workspace?: string | undefined;
}

/**
 * Runs a skill like every transport does. The call is canceled when the request is canceled, its
 * client disconnects, its key is revoked, or the program shuts down. A client that asked for
 * progress is notified immediately, every five seconds, and of the skill's own progress; a client
 * that asked for logging gets the skill's log.
 */
export async function runTool(
  deps: McpDeps,
  caller: McpCaller,
  { skillId, input, workspace }: SkillCall & { skillId: string },
  ctx: ToolContext,
): Promise<ExecuteResult> {
  const { execute, running, workspaces } = deps;
  const { actor, ceiling } = caller;
  const signal = requestSignal(deps, caller, ctx);
  const log = logNotifier(skillId, ctx);
  const progress = progressNotifier(execute.now, skillId, ctx);
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'progress') progress.notify(event);
    else if (ctx.wantsLog && (event.kind === 'log' || event.kind === 'stderr')) log.add(event.text);
  };
  const request = {
    executionId: ctx.executionId,
    skillId,
    via: 'mcp' as const,
    actor,
    input,
    workspace,
    onEvent: ctx.wantsLog || progress.isHeard ? onEvent : undefined,
  };
  const call = executeSkill(
    { ...execute, ceiling, workspaces, catalog: seenCatalog(deps, caller) },
    request,
    signal,
  );
  running.add(call);
  try {
    return await call;
  } finally {
    running.delete(call);
    progress.end();
    log.end();
  }
}
