import type { ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

/** One step of a model: text for the user, or a tool call. */
export type Line = string | { tool: string; input: object };

/** A model that returns its scripted lines in order, and records its requests. */
export function scriptedModel(lines: readonly Line[]) {
  const model = new MockLanguageModelV4({ doGenerate: lines.map(generated) });
  return {
    model,
    /** The system prompt of the request at `index`. */
    system: (index: number): string => String(model.doGenerateCalls[index]?.prompt[0]?.content),
    /** The rest of that request, as JSON. */
    conversation: (index: number): string => JSON.stringify(model.doGenerateCalls[index]?.prompt.slice(1)),
    /** The last tool result in the request at `index`. */
    toolResult(index: number): unknown {
      const message = model.doGenerateCalls[index]?.prompt.at(-1) as ModelMessage | undefined;
      const part = message?.role === 'tool' ? message.content.at(-1) : undefined;
      return part?.type === 'tool-result' && part.output.type === 'text' ? part.output.value : part;
    },
    /** The names of the tools in the first request. */
    tools: () => model.doGenerateCalls[0]?.tools?.map(({ name }) => name),
  };
}

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

function generated(line: Line, index: number): Generated {
  const none = undefined;
  return {
    content:
      typeof line === 'string'
        ? [{ type: 'text', text: line }]
        : [
            {
              type: 'tool-call',
              toolCallId: `call-${index}`,
              toolName: line.tool,
              input: JSON.stringify(line.input),
            },
          ],
    finishReason: { unified: typeof line === 'string' ? 'stop' : 'tool-calls', raw: none },
    usage: {
      inputTokens: { total: none, noCache: none, cacheRead: none, cacheWrite: none },
      outputTokens: { total: none, text: none, reasoning: none },
    },
    warnings: [],
  };
}
