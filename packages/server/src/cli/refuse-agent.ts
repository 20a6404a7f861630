import { setTimeout as delay } from 'node:timers/promises';
import { linesOf } from './ask.ts';
import type { Terminal } from './terminal.ts';
import { errorText } from './text/error-text.ts';

/** How long to wait for an agent's first requests. */
const waitMs = 5000;

/**
 * Answers an agent's first requests, up to `initialize`, with a JSON-RPC error. Agents show it to their user, but often not
 * the server's stderr. Also resolves if the agent sends nothing.
 */
export async function refuseAgent(
  { stdin, stdout }: Pick<Terminal, 'stdin' | 'stdout'>,
  error: unknown,
): Promise<void> {
  if (stdin.isTTY === true) return;
  const { code, message } = errorText(error);
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
