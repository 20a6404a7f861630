import { isExecutable, type Skill, SkillError } from '@ambit/core';
import { everyRun, mayStart } from '@ambit/core/skill';
import { schemaFlaw } from '../../wire/tool/tool-schema.ts';
import type { McpDeps } from '../request/mcp-deps.ts';

/**
 * Returns why models cannot run an executable skill; `undefined`: they can. A model chooses a tool by its
 * own description, so untrusted skills are tools only if the operator allows it.
 */
export function whyNoTool(
  skill: Skill,
  { untrustedTools }: Pick<McpDeps, 'untrustedTools'>,
): SkillError | undefined {
  const { id, tier } = skill;
  if (tier !== 'untrusted') return undefined;
  if (!untrustedTools) {
    // No setting lets programs of the host run at tier untrusted.
    const line = everyRun(skill).some((run) => mayStart(skill, run))
      ? 'mcp: { untrustedTools: true }'
      : `skills: [{ path: FOLDER, tier: verified }], if they trust its source. "ambit skills show ${id}" prints FOLDER`;
    return new SkillError(
      'CAPABILITY_DENIED',
      `${id} is untrusted, and untrusted skills do not run over MCP. The operator can allow it in ambit.config.yaml: ${line}`,
    );
  }
  const flaw = schemaFlaw(skill);
  if (flaw === undefined) return undefined;
  return new SkillError('SKILL_INVALID', `${id} cannot be a tool over MCP because of its schemas: ${flaw}`);
}

/**
 * Notes in a list about skills that are left out as tools, for the operator; `undefined`: none are.
 */
export function leftOutTools(
  skills: readonly Skill[],
  deps: Pick<McpDeps, 'untrustedTools'>,
): { count: number; why: string } | undefined {
  const refusals = skills.filter(isExecutable).map((skill) => whyNoTool(skill, deps));
  const denied = refusals.filter((refusal) => refusal?.code === 'CAPABILITY_DENIED').length;
  const flawed = refusals.filter((refusal) => refusal?.code === 'SKILL_INVALID').length;
  if (denied + flawed === 0) return undefined;
  return {
    count: denied + flawed,
    why:
      denied > 0
        ? 'untrusted skills are tools only if the operator sets mcp.untrustedTools'
        : 'untrusted skills are not tools if their schemas are too large or have hidden characters',
  };
}
