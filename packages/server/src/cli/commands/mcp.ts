import type { Command } from 'commander';
import { refuseAgent } from '../refuse-agent.ts';
import { onInterrupt } from '../terminal.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit mcp`: the skills for one agent that starts this program. */
export function addMcp(program: Command, context: CommandContext): void {
  program
    .command('mcp')
    .summary('speak MCP over stdin and stdout')
    .description(
      'Gives the skills to the agent that starts it, over the Model Context Protocol: stdin and stdout belong to that. Where a daemon holds the data directory, everything is passed on to it, with its first key or the one in AMBIT_KEY. Otherwise calls run in this process, recorded like all. It ends when the agent closes stdin.',
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
