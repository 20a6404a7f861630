import type { PreparedSkill } from '../prepared/prepared-catalog.ts';
import { isUntrusted } from '../prepared/unique-skills.ts';
import type { EffectiveTools, PhaseSettings } from '../selection.ts';

/**
 * The tools of the requested phase, narrowed to what the skills request. `settings` describe
 * the phase; `unknown-phase` and `no-phase` yield no tools. An untrusted skill gets the tools that it
 * requests if the phase has them, but never removes any from the agent. Only other skills narrow. A
 * skill that requests `*` requests every tool of the phase.
 */
export function effectiveTools(
  skills: readonly PreparedSkill[],
  settings: PhaseSettings | 'unknown-phase' | 'no-phase',
): EffectiveTools {
  if (settings === 'no-phase') return { allowed: [], withheld: [], beyondPhase: [], from: settings };
  const { requested, isNarrowing } = requestedTools(skills);
  if (settings === 'unknown-phase') {
    return { allowed: [], withheld: [], beyondPhase: beyond(requested, new Set()), from: settings };
  }
  const required = new Set(settings.required);
  if (settings.tools === 'all') {
    const isEvery = !isNarrowing || requested.has(every);
    const allowed = isEvery ? 'all' : [...new Set([...required, ...requested.keys()])];
    return { allowed, withheld: [], beyondPhase: [], from: isNarrowing ? 'configured' : 'unnarrowed' };
  }
  const tools = new Set([...(settings.tools ?? []), ...required]);
  if (!isNarrowing) {
    return { allowed: [...tools], withheld: [], beyondPhase: beyond(requested, tools), from: 'unnarrowed' };
  }
  const isAllowed = (tool: string): boolean =>
    required.has(tool) || requested.has(tool) || requested.has(every);
  return {
    allowed: [...tools].filter(isAllowed),
    withheld: [...tools].filter((tool) => !isAllowed(tool)),
    beyondPhase: beyond(requested, tools),
    from: 'configured',
  };
}

/** In `tools` of a sidecar and in `allowed-tools`, where other agents read it like this too. */
const every = '*';

/**
 * By tool, the ids of the skills that request it, in order; and whether these tools narrow the
 * phase.
 */
function requestedTools(skills: readonly PreparedSkill[]): {
  requested: ReadonlyMap<string, readonly string[]>;
  isNarrowing: boolean;
} {
  const requested = new Map<string, string[]>();
  let isNarrowing = false;
  for (const { skill, tools } of skills) {
    if (tools === undefined) continue;
    isNarrowing ||= !isUntrusted(skill);
    for (const tool of tools) {
      const by = requested.get(tool);
      if (by === undefined) requested.set(tool, [skill.id]);
      else if (by.at(-1) !== skill.id) by.push(skill.id);
    }
  }
  return { requested, isNarrowing };
}

function beyond(
  requested: ReadonlyMap<string, readonly string[]>,
  tools: ReadonlySet<string>,
): EffectiveTools['beyondPhase'] {
  return [...requested]
    .filter(([tool]) => tool !== every && !tools.has(tool))
    .map(([tool, skills]) => ({ tool, skills }));
}
