import type { BrokenSkill } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import type { SkillDependencies } from '@ambit/core/skill';

/** A folder with skill folders below it, or a skill folder, with the trust in its source. */
export interface SkillRoot {
  path: string;
  tier: Tier;
  /** The ids of its skills begin with it: `namespace:name`. Absent: their ids are their names. */
  namespace?: string | undefined;
  /**
   * Found by its name, not configured. Configured roots take precedence over it, and links that
   * lead out of it are not followed. Absent: configured.
   */
  discovered?: true;
  /** The installed skill whose folder it is. Absent: it has any skills. */
  installed?: Installed | undefined;
}

/** The known facts about the folder of an installed skill. */
export interface Installed {
  /** The folder's name. */
  name: string;
  /** The digest that the skill must have: with any other, it is unusable. */
  digest: string;
  /** The configured publisher that signed it; absent: none. */
  publisher?: string | undefined;
  /** Its locked packages; absent: none. */
  dependencies?: SkillDependencies | undefined;
  /** The reason that it must not be used, whatever its digest; absent: it may be. */
  refused?: Required<Pick<BrokenSkill, 'code' | 'problem'>> | undefined;
}
