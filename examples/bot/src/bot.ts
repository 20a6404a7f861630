import { generateText, isStepCount, type LanguageModel, type ModelMessage } from 'ai';
import type { SkillSource } from './skills.ts';
import { botTools } from './tools/bot-tools.ts';
import type { Daemon } from './tools/run-skill.ts';

/** How many times the model may be asked for one answer. */
const stepsMax = 20;

export interface BotOptions {
  /** Not the name of one: the AI SDK would send that to a gateway on the network. */
  model: Exclude<LanguageModel, string>;
  skills: SkillSource;
  daemon: Daemon;
  /** Told of every tool call before it is made. */
  onToolCall?: (tool: string, input: unknown) => void;
}

export interface Bot {
  /**
   * The answer to a question, with everything said before in mind; one at a time. Rejects when the model cannot be
   * asked; the question is then forgotten, so that it can be asked again.
   */
  ask(question: string, signal?: AbortSignal): Promise<string>;
}

/**
 * A bot that is told which skills there are, reads the instructions of those it wants, and runs tool skills in the daemon.
 * Skills are selected anew for each question: an edit shows at the next one.
 */
export function skillBot({ model, skills, daemon, onToolCall }: BotOptions): Bot {
  const messages: ModelMessage[] = [];
  /** What the model has read in this conversation: skill id to digest. */
  const activated = new Map<string, string>();
  return {
    async ask(question, signal) {
      const turn = await skills();
      const asked: ModelMessage = { role: 'user', content: question };
      const read = new Map(activated);
      const { text, steps, finishReason, responseMessages } = await generateText({
        model,
        instructions: turn.composition.prompt,
        messages: [...messages, asked],
        tools: botTools({ turn, daemon, activated: read }),
        stopWhen: isStepCount(stepsMax),
        onToolExecutionStart: ({ toolCall }) => onToolCall?.(toolCall.toolName, toolCall.input),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
      messages.push(asked, ...responseMessages);
      for (const [id, digest] of read) activated.set(id, digest);
      if (text !== '') return text;
      return `There is no answer after ${steps.length} steps (${finishReason}); ask for something smaller.`;
    },
  };
}
