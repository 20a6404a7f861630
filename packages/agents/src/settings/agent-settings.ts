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
 * switched off, and an empty list switches off every tool. `limits` names what the agent cannot switch
 * off.
 */
export function agentSettings(target: AgentTarget, input: TargetInput): TargetSettings {
  const settings = settingsFor(target, input);
  return { ...settings, limits: [...settings.limits, ...tooLong(settings)] };
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

/** The longest string that Linux starts a program with (`MAX_ARG_STRLEN`). */
const stringBytesMax = 128 * 1024 - 1;

function tooLong({ args = [], env = {} }: TargetSettings): string[] {
  const strings = [...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (strings.every((each) => new TextEncoder().encode(each).length <= stringBytesMax)) return [];
  return ['An argument or variable exceeds 128 KiB, so Linux cannot start the program.'];
}
