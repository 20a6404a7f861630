import type {
  AmbitClient,
  CallEvent,
  ExecuteAnswer,
  ExecuteOptions,
  ModelTool,
  ToolFilter,
} from '@ambit/client';
import { answerText, refusalText } from './answer-text.ts';

/** What the tools need of a client. */
export type ToolClient = Pick<AmbitClient, 'tools' | 'execute' | 'stream'>;

/** Which skills become tools, and how their calls are made. */
export interface ToolOptions extends Omit<ToolFilter, 'limit' | 'after'> {
  /** A workspace in which all calls run, so that one finds the files of the others. Absent: each call has its own. */
  workspace?: string | undefined;
  /** Called with the events of calls as they happen: output, log, progress. */
  onEvent?: ((event: CallEvent<ExecuteAnswer>, tool: SkillTool) => void) | undefined;
  /** Called with each complete answer: it has the files, the usage and the record of the call. */
  onAnswer?: ((answer: ExecuteAnswer, tool: SkillTool) => void) | undefined;
}

/** A skill as a tool; `name` has at most 64 characters, the limit of the providers. */
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
  const { workspace, onEvent, onAnswer, ...filter } = options;
  const tools = (await allTools(client, filter)).map((tool) => ({ ...tool, name: shortName(tool) }));
  const named = new Map(tools.map((tool) => [tool.name, tool]));

  const answerOf = async (tool: SkillTool, given: unknown, signal: AbortSignal | undefined) => {
    const { input, ...request } = requestOf(tool, given);
    const call: ExecuteOptions = { ...request, workspace, signal };
    if (onEvent === undefined) return client.execute(tool.skill, input, call);
    for await (const event of client.stream(tool.skill, input, call)) {
      if (event.kind === 'result') return event.answer;
      onEvent(event, tool);
    }
    throw new Error(`the events of ${tool.skill} ended without its result`);
  };

  return {
    tools,
    async call(name, given, { signal } = {}) {
      const tool = named.get(name);
      if (tool === undefined)
        return {
          text: `There is no tool ${JSON.stringify(name.slice(0, 100))}. The tools are: ${[...named.keys()].join(', ')}`,
          isError: true,
        };
      try {
        const answer = await answerOf(tool, given, signal);
        onAnswer?.(answer, tool);
        return { text: answerText(tool.skill, answer), isError: answer.outcome.status !== 'succeeded' };
      } catch (error) {
        return { text: refusalText(tool.skill, error), isError: true };
      }
    },
  };
}

async function allTools(client: ToolClient, filter: ToolFilter): Promise<ModelTool[]> {
  const found: ModelTool[] = [];
  let after: string | undefined;
  do {
    const page = await client.tools({ ...filter, ...(after === undefined ? {} : { after }) });
    found.push(...page.tools);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

const nameCharactersMax = 64;

/** A long name keeps its beginning, and ends with a part of the skill's digest, so that it stays unique. */
function shortName({ name, digest }: ModelTool): string {
  if (name.length <= nameCharactersMax) return name;
  const end = `_${digest.slice(-8)}`;
  return name.slice(0, nameCharactersMax - end.length) + end;
}

/** The fields of a request that a model decides. All others are the program's, such as limits and idempotency keys. */
function requestOf(
  { takes }: SkillTool,
  given: unknown,
): Pick<ExecuteOptions, 'args' | 'stdin' | 'files' | 'script'> & { input?: unknown } {
  if (takes === 'input') return { input: given };
  const fields = (typeof given === 'object' && given !== null ? given : {}) as ExecuteOptions & {
    input?: unknown;
  };
  if (takes === 'wrapped') return { input: fields.input };
  const { args, stdin, files, script } = fields;
  return {
    ...(args === undefined ? {} : { args }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(files === undefined ? {} : { files }),
    ...(script === undefined ? {} : { script }),
  };
}
