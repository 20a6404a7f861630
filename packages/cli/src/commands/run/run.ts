import { resolve } from 'node:path';
import type { ExitCode } from '@ambit/api';
import type { AmbitClient } from '@ambit/client';
import { UsageError } from '@ambit/core/outcome';
import type { Config } from '@ambit/server/config';
import { Refusal } from '@ambit/server/errors';
import { onInterrupt } from '@ambit/server/signals';
import { type CommandContext, defineCommand, type GlobalFlags } from '../../command/define-command.ts';
import { noteInvalidFolder } from '../../command/invalid-folder.ts';
import { withSearchedPlaces } from '../../command/searched-places.ts';
import { callOf, type RunFlags, runOptions, type TypedCall } from './call-of.ts';
import { inCliTerms } from './cli-terms.ts';
import { execute } from './execute.ts';
import { inWorkspace } from './in-workspace.ts';
import { printRun } from './print-run.ts';
import { withSavedReceipt } from './save-receipt.ts';
import { printedResult, saveRun } from './save-run.ts';
import { shownRun } from './shown-run.ts';

/** `ambit run`: one call. */
export const runCommand = defineCommand({
  name: 'run',
  summary: 'run a skill',
  description:
    'Run a skill once in its sandbox and print its output. The call runs in the daemon of the data directory. If none runs, the command starts one, which ends by itself when it is idle. Each call is recorded in the audit log. Ctrl-C cancels the call.',
  remote: true,
  args: {
    skill: { text: 'the id of the skill' },
    args: {
      text: 'arguments for a skill with protocol command, after --',
      optional: true,
      variadic: true,
      completes: 'files',
    },
  },
  options: runOptions,
  examples: {
    [`ambit run csv-profile --input '{"csv":"a,b\\n1,2\\n"}'`]: 'with JSON input',
    'ambit run csv-profile --input request.json': 'with input from a file',
    [`echo '{"text":"ada@example.org"}' | ambit run text-redact --input -`]: 'with input from stdin',
    'ambit run git-summary -- /srv/repos/shop --max 5': 'with arguments',
    'ambit run git-summary --read /srv/repos/shop -- /srv/repos/shop': 'with fewer rights than granted',
  },
  async run(context, flags, { skill: skillId, args }) {
    const { print } = context;
    context.skillId = skillId;
    if (flags.stream && print.json) {
      throw new UsageError(
        '--json prints one document at the end, so it cannot be combined with --stream: omit one of them',
      );
    }
    if (flags.save === undefined && (flags.overwrite || flags.hidden))
      throw new UsageError('--overwrite and --hidden are for --save: add it, or omit them');
    const config = await context.loadConfig(flags);
    const typed = await callOf(context.terminal, skillId, args, flags, config.bodyLimitBytes);
    const client = await context.client(config, { isAlone: flags.daemon === false });
    context.exitCode = await run(context, client, typed, config, flags).catch(async (error) => {
      await noteInvalidFolder(context, config, client, error, skillId);
      const cwd = context.terminal.cwd();
      throw await withSearchedPlaces(
        inCliTerms(error, { skillId, cwd, read: flags.read }),
        context,
        config,
        skillId,
      );
    });
  },
});

async function run(
  context: CommandContext,
  client: AmbitClient,
  typed: TypedCall,
  config: Config,
  flags: RunFlags & GlobalFlags,
): Promise<ExitCode> {
  const { terminal, print } = context;
  const { receipt, stream } = flags;
  const { skillId } = typed.call;
  const save = flags.save === undefined ? undefined : resolve(terminal.cwd(), flags.save);
  const interrupt = new AbortController();
  const ignoreInterrupt = onInterrupt(terminal, () =>
    interrupt.abort(new Error('interrupted at the command line')),
  );
  const shown = shownRun(terminal, print, skillId, { stream });
  const { signal } = interrupt;
  const place = { config, signal, onLeft: (message: string) => print.note(message) };
  try {
    const { result, refusal } = await inWorkspace(context, client, typed, place, async (call, at) => {
      const running = execute(client, call, signal, shown.onEvent);
      const answered = await withSavedReceipt(terminal, receipt, running, flags);
      shown.end();
      const unsaved = save === undefined ? undefined : await saveRun(context, save, answered, at, flags);
      return { result: printedResult(answered, at, { isJson: print.json, save }), refusal: unsaved };
    });
    const options = { saved: save !== undefined, flags, terminal };
    const exitCode = printRun(print, shown, typed.call, result, options);
    // After the result, which is not stored.
    if (refusal !== undefined) throw refusal;
    return interrupt.signal.aborted ? 130 : exitCode;
  } catch (error) {
    // The daemon cancels and records the call of a client that disconnects, but cannot answer it.
    if (error !== interrupt.signal.reason) throw error;
    const message = `${skillId} was canceled: ${interrupt.signal.reason.message}. To see its record, run: ambit audit`;
    if (print.json) throw new Refusal('INTERRUPTED', message);
    print.note(message);
    return 130;
  } finally {
    shown.end();
    ignoreInterrupt();
  }
}
