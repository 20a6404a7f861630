import type { TargetSettings } from '@ambit/agents';
import type { PromptAnswer } from '@ambit/api';
import type { Composition, Selection } from '@ambit/core';
import { defined } from '@ambit/core/json';
import { becauseText } from '@ambit/core/select';

/** A composed prompt and its sources. */
export interface ComposedPrompt {
  selection: Selection;
  composition: Composition;
  settings: TargetSettings | undefined;
}

/** A composed prompt in the wire format. */
export function promptAnswer(
  { selection, composition, settings }: ComposedPrompt,
  { explain }: { explain: boolean },
): PromptAnswer {
  const { prompt, tokens, tools, mcpServers, warnings, parts } = composition;
  return defined<PromptAnswer>({
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
    settings,
    parts: explain ? parts : undefined,
    leftOut: explain ? composition.leftOut : undefined,
  });
}
