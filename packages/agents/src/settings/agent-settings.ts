import type { EffectiveTools } from '@ambit/core/select';
import { aiderSettings } from './aider.ts';
import { ampSettings } from './amp.ts';
import { claudeCodeSettings } from './claude-code.ts';
import { claudeSdkSettings } from './claude-sdk.ts';
import { codexSettings } from './codex.ts';
import { opencodeSettings } from './opencode.ts';
import { processSettings } from './process.ts';
import type { TargetInput, TargetSettings } from './target-settings.ts';

/** The agents that a selection can be converted for. */
export const agentTargets = [
  'claude-code',
  'claude-sdk',
  'codex',
  'opencode',
  'amp',
  'aider',
  'process',
] as const;
export type AgentTarget = (typeof agentTargets)[number];

/**
 * Converts a selection to one agent's own settings. Lists are complete: tools outside the list are
 * switched off, and an empty list switches off every tool. `all` permits every tool without a question.
 * `limits` names what the agent cannot switch off, and first of all that it has no tools.
 */
export function agentSettings(target: AgentTarget, input: TargetInput): TargetSettings {
  const settings = settingsFor(target, input);
  return { ...settings, limits: [...withoutTools(input.tools), ...settings.limits, ...tooLong(settings)] };
}

function settingsFor(target: AgentTarget, input: TargetInput): TargetSettings {
  switch (target) {
    case 'claude-code':
      return claudeCodeSettings(input);
    case 'claude-sdk':
      return claudeSdkSettings(input);
    case 'codex':
      return codexSettings(input);
    case 'opencode':
      return opencodeSettings(input);
    case 'amp':
      return ampSettings(input);
    case 'aider':
      return aiderSettings(input);
    case 'process':
      return processSettings(input);
    default:
      return target satisfies never;
  }
}

/** An agent without tools looks like a broken one, so the first sentence says why it has none. */
function withoutTools({ allowed, from }: EffectiveTools): string[] {
  if (allowed === 'all' || allowed.length > 0) return [];
  return [`The agent gets no tools, because ${reasonsForNone[from]}.`];
}

const toAdd = 'to give it tools, configure phases.NAME.tools: a list, or all';
const reasonsForNone: Readonly<Record<EffectiveTools['from'], string>> = {
  'no-phase': 'the request names no phase',
  'unknown-phase': `its phase is not configured; ${toAdd}`,
  unnarrowed: `its phase has none; ${toAdd}`,
  configured: 'no selected skill asks for a tool of its phase',
};

/** The longest string that Linux starts a program with (`MAX_ARG_STRLEN`). */
const stringBytesMax = 128 * 1024 - 1;

function tooLong({ args = [], env = {} }: TargetSettings): string[] {
  const strings = [...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (strings.every((each) => new TextEncoder().encode(each).length <= stringBytesMax)) return [];
  return ['An argument or variable exceeds 128 KiB, so Linux cannot start the program.'];
}
