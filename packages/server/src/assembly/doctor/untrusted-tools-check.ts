import { declaredRuns } from '@ambit/core/internal';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';
import type { Config } from '../../config/config.ts';
import { catalogOf } from '../execute-deps.ts';

const namesMax = 10;

/** Which untrusted skills agents could run over MCP, and whether the configuration lets them. */
export async function untrustedToolsCheck(config: Config): Promise<DoctorCheck> {
  const catalog = catalogOf(config);
  try {
    const untrusted = (await catalog.list()).filter(
      // Programs of the host do not run at this tier.
      (skill) => skill.tier === 'untrusted' && declaredRuns(skill).some(({ run }) => run.runtime === 'wasm'),
    );
    const names = untrusted.slice(0, namesMax).map(({ id }) => id);
    const some = untrusted.length > namesMax ? [...names, '…'] : names;
    return {
      name: 'untrusted tools',
      status: 'ok',
      found:
        untrusted.length === 0 ? 'no untrusted skill can be run' : `${untrusted.length}: ${some.join(', ')}`,
      meaning: config.mcp.untrustedTools
        ? 'mcp.untrustedTools is true: agents are offered untrusted skills as tools, marked [untrusted]'
        : 'agents are not offered untrusted skills as tools over MCP; mcp: { untrustedTools: true } offers them',
    };
  } finally {
    await catalog.close();
  }
}
