import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';

/** Used unless `MODEL` names another. */
const defaults = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.6' };

/** The environment variables that select a model. */
export interface ModelSettings extends Readonly<Record<string, string | undefined>> {
  ANTHROPIC_API_KEY?: string | undefined;
  OPENAI_API_KEY?: string | undefined;
  /** Any API with OpenAI's chat completions, also on this machine; needs no key. */
  OPENAI_BASE_URL?: string | undefined;
  MODEL?: string | undefined;
}

/**
 * Selects the model from the environment: a base URL first, then Anthropic's key, then OpenAI's.
 * Empty variables count as absent. Throws an error with instructions if none is set.
 */
export function chooseModel(environment: ModelSettings): Exclude<LanguageModel, string> {
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL, MODEL } = environment;
  if (OPENAI_BASE_URL) {
    if (!MODEL) throw new Error(`set MODEL to the name of a model at ${OPENAI_BASE_URL}`);
    return openai(OPENAI_BASE_URL, OPENAI_API_KEY, MODEL);
  }
  if (ANTHROPIC_API_KEY) {
    return createAnthropic({ apiKey: ANTHROPIC_API_KEY })(MODEL || defaults.anthropic);
  }
  if (OPENAI_API_KEY) return openai('https://api.openai.com/v1', OPENAI_API_KEY, MODEL || defaults.openai);
  throw new Error(
    'no model: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL and MODEL for a model on this machine',
  );
}

function openai(baseURL: string, apiKey: string | undefined, model: string): Exclude<LanguageModel, string> {
  return createOpenAICompatible({ name: 'openai', baseURL, ...(apiKey && { apiKey }) })(model);
}
