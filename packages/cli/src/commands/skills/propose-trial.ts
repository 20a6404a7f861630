import { UsageError } from '@ambit/core/outcome';
import type { Config } from '@ambit/server/config';
import type { AnsweredCall } from '@ambit/server/wire';
import type { CommandContext } from '../../command/define-command.ts';
import { untilInterrupted } from '../../command/until-interrupted.ts';
import { callOf, type RunFlags } from '../run/call-of.ts';
import { inCliTerms } from '../run/cli-terms.ts';
import { execute } from '../run/execute.ts';
import { inWorkspace } from '../run/in-workspace.ts';

/** The flags of a trial: what the skill is called with. */
export type TrialFlags = Pick<
  RunFlags,
  'script' | 'command' | 'input' | 'stdin' | 'file' | 'timeout' | 'memory'
>;

/**
 * Calls a skill with nothing that needs a grant, in the daemon if one runs. A run that fails is a result. Rejects if the call
 * is refused: a skill that is not approved does not run.
 */
export async function runTrial(
  context: CommandContext,
  config: Config,
  skillId: string,
  args: readonly string[],
  flags: TrialFlags,
): Promise<AnsweredCall> {
  const { terminal, readerGone } = context;
  const typed = await callOf(terminal, skillId, args, flags, config.bodyLimitBytes);
  const client = await context.client(config);
  const onLeft = (message: string) => terminal.stderr.write(`${message}\n`);
  try {
    return await untilInterrupted(terminal, readerGone, (signal) =>
      inWorkspace(context, client, typed, { config, signal, onLeft }, (call) =>
        execute(client, { ...call, narrowing: { ...call.narrowing, trial: true } }, signal),
      ),
    );
  } catch (error) {
    throw inCliTerms(error, { skillId, cwd: terminal.cwd() });
  }
}

/** Refuses what only a trial uses. */
export function refuseCallOptions(args: readonly string[], flags: TrialFlags): void {
  const { script, command, input, stdin, file, timeout, memory } = flags;
  const isCall = [script, command, input, stdin, file, timeout, memory].some((each) => each !== undefined);
  if (isCall || args.length > 0)
    throw new UsageError(
      'arguments, --script, --command, --input, --stdin, --file, --timeout and --memory are for a trial: add --trial, or omit them',
    );
}
