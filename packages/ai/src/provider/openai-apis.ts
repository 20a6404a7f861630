import { skillTools, type ToolClient, type ToolOptions } from '../skill-tools.ts';

/** An element of `tools` in a request for a chat completion. */
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** An element of `tools` in a request for a response. */
export interface ResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** Strict mode accepts only some schemas. */
  strict: false;
}

/** An element of `tool_calls` of a message. Its other fields are not used. */
export interface ChatToolCall {
  id: string;
  function: { name: string; arguments: string };
}

/** An item `function_call` of a response. Its other fields are not used. */
export interface FunctionCall {
  call_id: string;
  name: string;
  arguments: string;
}

interface Cancelable {
  signal?: AbortSignal | undefined;
}

/**
 * The skills that fit `options`, and functions that answer what the model calls: `chat` and `run` for Chat Completions,
 * `responses` and `runCall` for Responses. A refusal is a text for the model. Rejects like `client.tools`.
 */
export async function openaiTools(client: ToolClient, options: ToolOptions = {}) {
  const { tools, call } = await skillTools(client, options);
  const textOf = async (name: string, given: string, how: Cancelable) => {
    const parsed = parsedJson(given);
    if (parsed === undefined) return `The arguments of ${name} are not JSON. Call it again with valid JSON.`;
    return (await call(name, parsed.value, how)).text;
  };
  const functions = tools.map(({ name, description, inputSchema: parameters }) => ({
    name,
    description,
    parameters,
  }));
  return {
    chat: functions.map((each): ChatTool => ({ type: 'function', function: each })),
    responses: functions.map((each): ResponsesTool => ({ type: 'function', ...each, strict: false })),
    /** The message for a call of a chat completion. Rejects with the reason of an aborted `signal`, which cancels the call. */
    async run({ id, function: { name, arguments: given } }: ChatToolCall, how: Cancelable = {}) {
      return { role: 'tool' as const, tool_call_id: id, content: await textOf(name, given, how) };
    },
    /** The item for a call of a response. Rejects like `run`. */
    async runCall({ call_id, name, arguments: given }: FunctionCall, how: Cancelable = {}) {
      return { type: 'function_call_output' as const, call_id, output: await textOf(name, given, how) };
    },
  };
}

/** Without arguments, some models send an empty text. */
function parsedJson(text: string): { value: unknown } | undefined {
  try {
    return { value: text.trim() === '' ? {} : JSON.parse(text) };
  } catch {
    return undefined;
  }
}
