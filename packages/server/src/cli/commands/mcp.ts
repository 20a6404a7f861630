import type { Command } from 'commander';
import { refuseAgent } from '../refuse-agent.ts';
import { onInterrupt } from '../terminal.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit mcp`: serves the skills to the agent that starts it. */
export function addMcp(program: Command, context: CommandContext): void {
  program
    .command('mcp')
    .summary('serve MCP over stdin and stdout')
    .description(
      'Serve the skills to the agent that starts this command, over the Model Context Protocol on stdin and stdout. If a daemon uses the data directory, requests are forwarded to it with its first key, or the key in AMBIT_KEY. Otherwise calls run in this process and are recorded too. The command exits when the agent closes stdin.',
    )
    .addHelpText(
      'after',
      examples(
        ['claude mcp add ambit -- ambit mcp --config /srv/ambit.yaml', 'for Claude Code'],
        ['codex mcp add ambit -- ambit mcp --config /srv/ambit.yaml', 'for Codex'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags } = flagsOf(context, command);
      const config = await context.actions.loadConfig(flags).catch(async (error: unknown) => {
        await refuseAgent(context.terminal, error);
        throw error;
      });
      const stop = Promise.withResolvers<void>();
      const ignoreInterrupt = onInterrupt(context.terminal, stop.resolve);
      try {
        const conversation = await context.actions.serveMcp(config);
        await Promise.race([stop.promise, conversation.ended]);
        await conversation.close();
      } finally {
        ignoreInterrupt();
      }
    });
}
