import { exitCodes } from '@ambit/api';
import { UsageError } from '@ambit/core/outcome';
import { Command } from 'commander';
import { type CommandContext, examples, type GlobalFlags } from './command/command-context.ts';
import { addAudit } from './commands/audit/audit.ts';
import { addCluster } from './commands/cluster.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addConsole } from './commands/console.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addKey } from './commands/key.ts';
import { addMcp } from './commands/mcp.ts';
import { addPrompt } from './commands/prompt.ts';
import { addRun } from './commands/run/run.ts';
import { addServe } from './commands/serve/serve.ts';
import { addSkills } from './commands/skills/skills.ts';
import { addStore } from './commands/store.ts';
import { addTrust } from './commands/trust.ts';
import { addWorkspace } from './commands/workspace.ts';
import { completeCommand } from './completion/shell-script.ts';
import { pathOf } from './completion/wanted-value.ts';

/** All commands. `isSilent`: do not print help for a usage mistake. */
export function ambitCommand(context: CommandContext, { isSilent = false } = {}): Command {
  const { terminal, actions } = context;
  const program = new Command('ambit')
    .description('Run the skills of AI agents in a sandbox.')
    .version(actions.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--config <file>', 'use this configuration (default: ambit.config.yaml in this folder or above)')
    .option('--data-dir <dir>', 'use this data directory (default: .ambit beside the configuration)')
    .option('--url <address>', 'call the daemon at this address (or set AMBIT_URL)')
    .option('--key-file <file>', 'read the daemon key from this file (or set AMBIT_KEY_FILE or AMBIT_KEY)')
    .option('--json', 'print one JSON document; errors are JSON on stderr')
    .option('--no-color', 'print without colors (or set NO_COLOR=1)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => isSilent || terminal.stderr.write(text),
      // `reportError` prints it.
      outputError: () => undefined,
      getOutHelpWidth: () => terminal.stdout.columns ?? 110,
      getErrHelpWidth: () => terminal.stderr.columns ?? 110,
    })
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        ['ambit serve', 'start the daemon'],
        ['ambit skills list', 'list the skills'],
        ['ambit run --help', 'learn how to run one'],
      ),
    )
    .addHelpText('after', `\nExit codes:\n${exitCodeLines()}`);
  for (const add of [
    addServe,
    addRun,
    addWorkspace,
    addSkills,
    addPrompt,
    addMcp,
    addImport,
    addExport,
    addAudit,
    addKey,
    addStore,
    addConsole,
    addCluster,
    addDoctor,
    addConfig,
    addTrust,
    addCompletion,
  ])
    add(program, context);
  return program.hook('preAction', (_, command) => {
    context.flags = command.optsWithGlobals<GlobalFlags>();
    context.configFile = context.flags.config ?? (terminal.env['AMBIT_CONFIG'] || undefined);
    refuseUrl(command);
  });
}

/** Refuses `--url` for a command that works on local files: its user would expect the effect in that daemon. */
function refuseUrl(command: Command): void {
  const path = pathOf(command);
  if (remoteCommands.includes(path) || command.optsWithGlobals<GlobalFlags>().url === undefined) return;
  throw new UsageError(
    `ambit ${path} works on local files and does not support --url: omit --url, or run the command on the daemon's machine`,
  );
}

const remoteCommands: readonly string[] = [
  'run',
  'skills list',
  'skills show',
  'prompt',
  'mcp',
  'workspace create',
  'workspace list',
  'workspace put',
  'workspace get',
  'workspace remove',
  'doctor',
  'audit',
  'audit show',
  'audit stats',
  'audit export',
  completeCommand,
];

function exitCodeLines(): string {
  return Object.entries(exitCodes)
    .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
    .join('\n');
}
