import { ambitTools, type ToolClient } from '@ambit/ai';
import { AmbitClientError } from '@ambit/client';
import { generateText, isStepCount, type LanguageModel, type ModelMessage, type ToolSet } from 'ai';
import type { SkillSource } from './skills.ts';
import { botTools } from './tools/bot-tools.ts';

/** The maximum number of model requests for one answer. */
const stepsMax = 20;

export interface BotOptions {
  /** Not a model's name: the AI SDK would send that to a gateway on the network. */
  model: Exclude<LanguageModel, string>;
  skills: SkillSource;
  daemon: ToolClient;
  /** Called with a message for the user. */
  onWarning?: (warning: string) => void;
  /** Called before every tool call. */
  onToolCall?: (tool: string, input: unknown) => void;
}

export interface Bot {
  /**
   * Answers a question in the context of the conversation; one at a time. Rejects if the model
   * request fails. The question is then forgotten and can be asked again.
   */
  ask(question: string, signal?: AbortSignal): Promise<string>;
}

/**
 * A bot that lists skills in its prompt, reads the instructions that the model requests, and runs
 * tool skills in the daemon. Skills are selected for each question, so edits take effect at the
 * next one.
 */
export function skillBot({ model, skills, daemon, onWarning, onToolCall }: BotOptions): Bot {
  const messages: ModelMessage[] = [];
  /** Skills whose instructions the model has read in this conversation: id to digest. */
  const activated = new Map<string, string>();
  /** The daemon decides what runs, so untrusted skills are offered too. Without it, the bot can still read skills. */
  const runningOf = async (selected: ReadonlySet<string>): Promise<ToolSet> => {
    try {
      return await ambitTools(daemon, { untrusted: true, only: ({ skill }) => selected.has(skill) });
    } catch (error) {
      if (!(error instanceof AmbitClientError)) throw error;
      onWarning?.(`No skill can run: ${error.message}`);
      return {};
    }
  };
  return {
    async ask(question, signal) {
      const turn = await skills();
      const asked: ModelMessage = { role: 'user', content: question };
      const read = new Map(activated);
      const running = await runningOf(new Set(turn.skills.map(({ id }) => id)));
      const { text, steps, finishReason, responseMessages } = await generateText({
        model,
        instructions: turn.composition.prompt,
        messages: [...messages, asked],
        tools: botTools({ turn, running, activated: read }),
        stopWhen: isStepCount(stepsMax),
        onToolExecutionStart: ({ toolCall }) => onToolCall?.(toolCall.toolName, toolCall.input),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
      messages.push(asked, ...responseMessages);
      for (const [id, digest] of read) activated.set(id, digest);
      if (text !== '') return text;
      return `No answer after ${steps.length} steps (${finishReason}). Ask for something smaller.`;
    },
  };
}
