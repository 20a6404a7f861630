import { setTimeout as delay } from 'node:timers/promises';
import { linesOf } from './ask.ts';
import type { Terminal } from './terminal.ts';
import { errorText } from './text/error-text.ts';

/** How long an agent has for its first requests. */
const waitMs = 5000;

/**
 * Answers what an agent asks first with why it is not served, as JSON-RPC, up to `initialize`: agents show that to their user,
 * and often not what a server wrote to stderr. Resolves also when nothing is asked.
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

/** Nothing, for what is no message. */
function requestIn(line: string): { id?: unknown; method?: unknown } {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
