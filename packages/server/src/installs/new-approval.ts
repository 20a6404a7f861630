import type { SkillApproved } from '@ambit/core/audit';
import { defined } from '@ambit/core/json';
import { dependenciesDigest, type LockedVersion } from '../lock/lock-file.ts';
import type { Approval } from './decisions.ts';

/** An approval that is not recorded yet: its event, and what the store has of it. */
export interface NewApproval {
  event: SkillApproved;
  approval: Omit<Approval, 'sequence'>;
}

interface ApprovedVersion
  extends Pick<Approval, 'requests' | 'source' | 'tier' | 'by'>,
    Pick<SkillApproved, 'from' | 'review' | 'time'> {
  id: string;
  version: LockedVersion;
  /** When it ends. Absent: never. */
  until: string | undefined;
}

/** The approval of a version with its packages. */
export function newApproval({
  id,
  version,
  requests,
  source,
  tier,
  by,
  until,
  from,
  review,
  time,
}: ApprovedVersion): NewApproval {
  const { digest, publisher, identity } = version;
  const dependencies = dependenciesDigest(version);
  const bound = { requests, publisher, identity, tier };
  return {
    event: {
      kind: 'skill.approved',
      time,
      actor: by,
      skill: { id, digest },
      dependencies: dependencies ?? undefined,
      ...bound,
      from,
      review,
      until: until === undefined ? undefined : Date.parse(until),
    },
    approval: defined<NewApproval['approval']>({
      ...bound,
      dependencies,
      source,
      by,
      at: new Date(time).toISOString(),
      until,
    }),
  };
}
