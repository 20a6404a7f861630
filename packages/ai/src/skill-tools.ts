import {
  type AmbitClient,
  AmbitError,
  type CallEvent,
  type ExecuteAnswer,
  type ExecuteOptions,
  type ModelTool,
  type ToolFilter,
} from '@ambit/client';
import { answerText, refusalText } from './answer-text.ts';

/** The methods of a client that the tools use. */
export type ToolClient = Pick<AmbitClient, 'tools' | 'execute' | 'stream'>;

/** The skills that become tools, and the options of their calls. */
export interface ToolOptions extends Omit<ToolFilter, 'limit' | 'after'> {
  /** A workspace in which all calls run, so that one finds the files of the others. Absent: each call has its own. */
  workspace?: string | undefined;
  /** Whether a skill becomes a tool. Absent: all that fit the filters do. */
  only?: ((tool: SkillTool) => boolean) | undefined;
  /** Called with the events of calls as they happen: output, log, progress. */
  onEvent?: ((event: CallEvent<ExecuteAnswer>, tool: SkillTool) => void) | undefined;
  /** Called with each complete answer: it has the files, the usage and the record of the call. */
  onAnswer?: ((answer: ExecuteAnswer, tool: SkillTool) => void) | undefined;
}

/** A skill as a tool. */
export type SkillTool = ModelTool;

/** The result of a call, for a model. */
export interface ToolResult {
  text: string;
  /** The call was refused, or ran and did not succeed. */
  isError: boolean;
}

/** The tools of a daemon, independent of a provider. */
export interface SkillTools {
  tools: readonly SkillTool[];
  /**
   * Calls a tool with what the model gave. Resolves for a refusal and for an unreachable daemon too, with a text that the
   * model can act on. Rejects with the reason of an aborted `signal`, which cancels the call.
   */
  call(name: string, given: unknown, options?: { signal?: AbortSignal | undefined }): Promise<ToolResult>;
}

/** Gets the definitions of all tools that fit `options`, once. Rejects like `client.tools`. */
export async function skillTools(client: ToolClient, options: ToolOptions = {}): Promise<SkillTools> {
  const { workspace, only = () => true, onEvent, onAnswer, ...filter } = options;
  const tools = (await allTools(client, filter)).filter(only);
  const named = new Map(tools.map((tool) => [tool.name, tool]));

  const answerOf = async (tool: SkillTool, given: unknown, signal: AbortSignal | undefined) => {
    const { input, ...request } = requestOf(tool, given);
    const call: ExecuteOptions = { ...request, workspace, signal };
    if (onEvent === undefined) return client.execute(tool.skill, input, call);
    for await (const event of client.stream(tool.skill, input, call)) {
      if (event.kind === 'result') return event.answer;
      onEvent(event, tool);
    }
    const message = `the daemon no longer has the call of ${tool.skill}, for example after a restart`;
    throw new AmbitError('ANSWER_GONE', message);
  };

  return {
    tools,
    async call(name, given, { signal } = {}) {
      const tool = named.get(name);
      if (tool === undefined) return { text: unknownTool(name, [...named.keys()]), isError: true };
      let answer: ExecuteAnswer;
      try {
        answer = await answerOf(tool, given, signal);
      } catch (error) {
        return { text: refusalText(tool.skill, error), isError: true };
      }
      onAnswer?.(answer, tool);
      return { text: answerText(tool.skill, answer), isError: answer.outcome.status !== 'succeeded' };
    },
  };
}

function unknownTool(name: string, known: readonly string[]): string {
  const some = known.slice(0, 20).join(', ');
  const list =
    known.length === 0 ? 'There are none' : `Available tools: ${some}${known.length > 20 ? ', …' : ''}`;
  return `Unknown tool ${JSON.stringify(name.slice(0, 100))}. ${list}.`;
}

async function allTools(client: ToolClient, filter: ToolFilter): Promise<ModelTool[]> {
  const found: ModelTool[] = [];
  let after: string | undefined;
  do {
    const page = await client.tools({ ...filter, after });
    found.push(...page.tools);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

/** The fields of a request that a model decides. All others are the program's, such as limits and idempotency keys. */
function requestOf(
  { takes, inputSchema }: SkillTool,
  given: unknown,
): Pick<ExecuteOptions, 'args' | 'stdin' | 'stdinBase64' | 'files' | 'script'> & { input?: unknown } {
  if (takes === 'input') return { input: given };
  const fields = (typeof given === 'object' && given !== null ? given : {}) as ExecuteOptions & {
    input?: unknown;
  };
  if (takes === 'wrapped') return { input: fields.input };
  const properties = inputSchema['properties'] as Record<string, unknown>;
  const { args, stdin, stdinBase64, files } = fields;
  const input = Object.hasOwn(properties, 'input') ? fields.input : undefined;
  // Without a choice in its schema, a script could run that has other capabilities than the tool.
  const script = Object.hasOwn(properties, 'script') ? fields.script : undefined;
  return {
    input,
    args,
    stdin,
    stdinBase64,
    files,
    script: script === undefined ? undefined : chosen(script, properties['script']),
  };
}

/** A script that is not in the list is sent as an empty name, which the daemon refuses and records. */
function chosen(script: string, schema: unknown): string {
  return (schema as { enum: readonly string[] }).enum.includes(script) ? script : '';
}
