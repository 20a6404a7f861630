import type { Config } from '../config/config.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** The skills that may do everything that a user may do. Without any, there is no check. */
export function hostGrantsCheck({ grants, hostUsers }: Pick<Config, 'grants' | 'hostUsers'>): DoctorCheck[] {
  const trusted = Object.entries(grants).flatMap(([id, { host }]) => {
    if (host !== true) return [];
    const user = Object.hasOwn(hostUsers, id) ? hostUsers[id] : undefined;
    return [user === undefined ? id : `${id} as ${user}`];
  });
  if (trusted.length === 0) return [];
  return [
    {
      name: 'full trust',
      status: 'trusted',
      found: trusted.join(', '),
      meaning:
        'these skills may do everything that their user may do, and can change what that user runs later; nothing undoes it when the call ends',
      fix: 'Replace host: true with what they need: filesystem, network, env, exec',
    },
  ];
}
