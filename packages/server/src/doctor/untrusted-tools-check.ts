import type { Skill } from '@ambit/core';
import { everyRun, mayStart } from '@ambit/core/skill';
import type { Config } from '../config/config.ts';
import type { DoctorCheck } from './doctor-report.ts';

const namesMax = 10;

/** Lists the untrusted skills that could run over MCP, and whether the configuration offers them. */
export function untrustedToolsCheck({ mcp }: Pick<Config, 'mcp'>, skills: readonly Skill[]): DoctorCheck {
  const untrusted = skills.filter(
    (skill) => skill.tier === 'untrusted' && everyRun(skill).some((run) => mayStart(skill, run)),
  );
  const names = untrusted.slice(0, namesMax).map(({ id }) => id);
  const some = untrusted.length > namesMax ? [...names, '…'] : names;
  return {
    name: 'untrusted tools',
    status: 'ok',
    found:
      untrusted.length === 0 ? 'no executable untrusted skill' : `${untrusted.length}: ${some.join(', ')}`,
    meaning: mcp.untrustedTools
      ? 'agents get untrusted skills as tools over MCP, marked [untrusted], because mcp.untrustedTools is true'
      : 'agents do not get untrusted skills as tools over MCP; to offer them: mcp: { untrustedTools: true }',
  };
}
