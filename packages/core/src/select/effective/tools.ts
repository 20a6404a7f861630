import type { PreparedSkill } from '../prepared/prepared-catalog.ts';
import { isUntrusted } from '../prepared/unique-skills.ts';
import type { EffectiveTools, PhaseSettings } from '../selection.ts';

/**
 * Rule 4 of design, section 6. `settings` are those of the phase that was asked for: `unknown-phase` where it has none,
 * `no-phase` where none was asked for; neither gives any tool. Untrusted skills keep what they ask for, if the phase has it,
 * and never take from an agent what they do not: only others narrow.
 */
export function effectiveTools(
  skills: readonly PreparedSkill[],
  settings: PhaseSettings | 'unknown-phase' | 'no-phase',
): EffectiveTools {
  if (settings === 'no-phase') return { allowed: [], withheld: [], beyondPhase: [], from: settings };
  const { asked, isNarrowing } = askedTools(skills);
  if (settings === 'unknown-phase') {
    return { allowed: [], withheld: [], beyondPhase: beyond(asked, new Set()), from: settings };
  }
  const required = new Set(settings.required);
  const tools = new Set([...(settings.tools ?? []), ...required]);
  if (!isNarrowing) {
    return { allowed: [...tools], withheld: [], beyondPhase: beyond(asked, tools), from: 'unnarrowed' };
  }
  const isAllowed = (tool: string): boolean => required.has(tool) || asked.has(tool);
  return {
    allowed: [...tools].filter(isAllowed),
    withheld: [...tools].filter((tool) => !isAllowed(tool)),
    beyondPhase: beyond(asked, tools),
    from: 'configured',
  };
}

/** By tool, the ids of the skills that ask for it, in order; and whether the phase is left with no more than that. */
function askedTools(skills: readonly PreparedSkill[]): {
  asked: ReadonlyMap<string, readonly string[]>;
  isNarrowing: boolean;
} {
  const asked = new Map<string, string[]>();
  let isNarrowing = false;
  for (const { skill, tools } of skills) {
    if (tools === undefined) continue;
    isNarrowing ||= !isUntrusted(skill);
    for (const tool of tools) {
      const by = asked.get(tool);
      if (by === undefined) asked.set(tool, [skill.id]);
      else if (by.at(-1) !== skill.id) by.push(skill.id);
    }
  }
  return { asked, isNarrowing };
}

function beyond(
  asked: ReadonlyMap<string, readonly string[]>,
  tools: ReadonlySet<string>,
): EffectiveTools['beyondPhase'] {
  return [...asked].filter(([tool]) => !tools.has(tool)).map(([tool, skills]) => ({ tool, skills }));
}
