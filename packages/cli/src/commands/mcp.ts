import { setTimeout as delay } from 'node:timers/promises';
import { onInterrupt } from '@ambit/server/signals';
import { linesOf } from '../command/ask.ts';
import { defineCommand } from '../command/define-command.ts';
import { errorText } from '../output/error-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { usedBy } from '../runner/use-daemon.ts';

/** `ambit mcp`: serves the skills to the agent that starts it. */
export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'serve MCP over stdin and stdout',
  description:
    'Serve the skills to the agent that starts this command, over the Model Context Protocol on stdin and stdout. Requests are forwarded to the daemon of the data directory, with the rights of its user, or of the key that --key-file or AMBIT_KEY names. If none runs, the command starts one, which ends by itself when it is idle. The command exits when the agent closes stdin.',
  remote: true,
  examples: {
    'claude mcp add ambit -- ambit mcp': 'for Claude Code',
    'codex mcp add ambit -- ambit mcp': 'for Codex',
    'claude mcp add ambit -- ambit mcp --key-file /srv/agent.key':
      'with a key of its own, which has fewer rights',
    'claude mcp add ambit -- ambit mcp --config /srv/ambit.yaml':
      'with one configuration in every folder, also in projects',
  },
  options: {
    daemon: { negated: true, text: 'leave no daemon behind: a daemon that this command starts ends with it' },
  },
  async run(context, flags) {
    const { terminal } = context;
    const config = await context.loadConfig(flags).catch(async (error: unknown) => {
      await refuseAgent(terminal, error);
      throw error;
    });
    const stop = Promise.withResolvers<void>();
    const ignoreInterrupt = onInterrupt(terminal, stop.resolve);
    try {
      const { forwardMcp } = await import('../runner/forward-mcp.ts');
      const use = usedBy(config, context, { isAlone: flags.daemon === false });
      const conversation = forwardMcp(use, process);
      await Promise.race([stop.promise, conversation.ended]);
      await conversation.close();
    } finally {
      ignoreInterrupt();
    }
  },
});

/** The time to wait for an agent's first requests. */
const waitMs = 5000;

/**
 * Answers an agent's first requests, up to `initialize`, with a JSON-RPC error. Agents show it to their user, but often not
 * the server's stderr. Also resolves if the agent sends nothing.
 */
async function refuseAgent(
  { stdin, stdout }: Pick<Terminal, 'stdin' | 'stdout'>,
  error: unknown,
): Promise<void> {
  if (stdin.isTTY === true) return;
  const { code, message } = errorText(error, { stdin });
  const refusal = { code: -32_000, message: `${code}: ${message}`, data: { code } };
  const answering = async (): Promise<void> => {
    for await (const line of linesOf(stdin)) {
      const { id, method } = requestIn(line);
      if (typeof id === 'string' || typeof id === 'number')
        stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: refusal })}\n`);
      if (method === 'initialize') return;
    }
  };
  await Promise.race([answering(), delay(waitMs, undefined, { ref: false })]).catch(() => undefined);
  stdin.destroy();
}

/** An empty object for a line that is not a JSON-RPC message. */
function requestIn(line: string): { id?: unknown; method?: unknown } {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
