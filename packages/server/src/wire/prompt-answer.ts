import {
  becauseText,
  type Composition,
  type LeftOutPart,
  type Part,
  type Selection,
  type TargetSettings,
} from '@ambit/core';

/** The answer of `POST /prompt`. */
export interface PromptAnswer {
  prompt: string;
  tokens: number;
  /** The selected skills, in order. */
  skills: readonly { id: string; version: string | null; digest: string; because: string }[];
  tools: Composition['tools'];
  mcpServers: Composition['mcpServers'];
  warnings: readonly string[];
  /** The same for the agent that was asked for. */
  settings?: TargetSettings;
  /** What the prompt is made of; only where an explanation was asked for, as is `leftOut`. */
  parts?: readonly Part[];
  leftOut?: readonly LeftOutPart[];
}

/** A prompt that was composed, with what it came from. */
export interface ComposedPrompt {
  selection: Selection;
  composition: Composition;
  settings: TargetSettings | undefined;
}

/** A composed prompt as it is sent. */
export function promptAnswer(
  { selection, composition, settings }: ComposedPrompt,
  { explain }: { explain: boolean },
): PromptAnswer {
  const { prompt, tokens, tools, mcpServers, warnings, parts } = composition;
  return {
    prompt,
    tokens,
    skills: selection.skills.map(({ skill, because }) => ({
      id: skill.id,
      version: skill.sidecar.version ?? null,
      digest: skill.digest,
      because: becauseText(because),
    })),
    tools,
    mcpServers,
    warnings,
    ...(settings === undefined ? {} : { settings }),
    ...(explain ? { parts, leftOut: composition.leftOut } : {}),
  };
}
