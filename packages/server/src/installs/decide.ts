import type { RevocationAnswer } from '@ambit/api';
import { Refusal } from '../errors/refusal.ts';
import { lockedVersions } from '../lock/installed.ts';
import type { Lock } from '../lock/lock-file.ts';
import { type Decisions, publisherSubject } from './decisions.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { Requester } from './installs.ts';
import { lockedSkill } from './list-installed.ts';

/** Revokes a version or a publisher. See `Installs.revoke`. */
export async function revokeSubject(
  deps: InstallerDeps,
  { lock }: Installed,
  { subject: named, reason }: { subject: string; reason: string | null },
  { actor }: Requester,
): Promise<RevocationAnswer> {
  const subjects = subjectsOf(lock, named);
  const skills = concerned(lock, subjects);
  const time = deps.now();
  const record = { reason, by: actor, at: new Date(time).toISOString() };
  const answers: RevocationAnswer[] = [];
  for (const subject of subjects) {
    const about = { subject, skills, reason };
    const { sequence } = await deps.append({ kind: 'skill.revoked', time, actor, ...about });
    answers.push({ ...about, ...record, sequence });
  }
  await deps.store.run(
    'revoke',
    answers.map(({ subject }) => ({ subject, record: JSON.stringify(record) })),
  );
  await deps.apply();
  return answers[0] as RevocationAnswer;
}

/** Takes back the revocation of a digest, a publisher or every listed version of a skill. See `Installs.restore`. */
export async function restoreSubject(
  deps: InstallerDeps,
  { lock, decisions }: Installed,
  named: string,
  { actor }: Requester,
): Promise<RevocationAnswer> {
  const answers: RevocationAnswer[] = [];
  for (const subject of subjectsOf(lock, named)) {
    const revocation = decisions.revocations.get(subject);
    if (revocation === undefined) continue;
    const about = { subject, skills: concerned(lock, [subject]), reason: revocation.reason };
    const time = deps.now();
    const { sequence } = await deps.append({ kind: 'skill.restored', time, actor, ...about });
    await deps.store.run('restore', subject);
    answers.push({ ...about, by: actor, at: new Date(time).toISOString(), sequence });
  }
  const [answer] = answers;
  if (answer === undefined)
    throw new Refusal('INSTALL_NOT_FOUND', `${named.slice(0, 200)} is not revoked${listed(decisions)}`);
  await deps.apply();
  return answer;
}

function listed({ revocations }: Decisions): string {
  const subjects = [...revocations.keys()].slice(0, 10);
  return subjects.length === 0 ? '; there are no revocations' : `. Revoked: ${subjects.join(', ')}`;
}

/** Whether it is a digest or a publisher. */
export function namesNoSkill(named: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(named) || named.startsWith(publisherSubject(''));
}

/** A digest or a publisher as named; of a skill every version that the lock file lists. Throws `INSTALL_NOT_FOUND`. */
function subjectsOf(lock: Lock, named: string): string[] {
  if (namesNoSkill(named)) return [named];
  const versions = lockedVersions(lockedSkill(lock, named).skill);
  return [...new Set(versions.map(({ digest }) => digest))];
}

/** The installed skills that a revocation of these subjects concerns. */
function concerned({ skills }: Lock, subjects: readonly string[]): string[] {
  return Object.entries(skills)
    .filter(([, { digest, publisher, waiting }]) =>
      [digest, waiting?.digest, publisher === null ? undefined : publisherSubject(publisher)].some(
        (each) => each !== undefined && subjects.includes(each),
      ),
    )
    .map(([id]) => id)
    .sort();
}
