import { skillTools, type ToolClient, type ToolOptions } from '../skill-tools.ts';

/** An element of `tools` in a request. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

/** A `tool_use` block of a response. Its other fields are not used. */
export interface ToolUse {
  id: string;
  name: string;
  input: unknown;
}

/** The block of the next message that answers it. */
export interface ToolUseResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

/**
 * The skills that fit `options` for `tools` of a request, and `run`, which answers a `tool_use` of the response. A refusal
 * is a result with `is_error`. Rejects like `client.tools`.
 */
export async function anthropicTools(client: ToolClient, options: ToolOptions = {}) {
  const { tools, call } = await skillTools(client, options);
  return {
    tools: tools.map(
      ({ name, description, inputSchema }): AnthropicTool => ({
        name,
        description,
        input_schema: inputSchema as AnthropicTool['input_schema'],
      }),
    ),
    /** Rejects with the reason of an aborted `signal`, which cancels the call. */
    async run(use: ToolUse, how: { signal?: AbortSignal | undefined } = {}): Promise<ToolUseResult> {
      const { text, isError } = await call(use.name, use.input, how);
      return { type: 'tool_result', tool_use_id: use.id, content: text, is_error: isError };
    },
  };
}
