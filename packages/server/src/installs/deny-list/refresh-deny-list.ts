import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readPublicKey } from '../../audit/sign/signed.ts';
import type { Config } from '../../config/config.ts';
import type { DenyListCheck } from '../../wire/answer/installs.ts';
import { concerned } from '../decide.ts';
import type { FetchingDeps, Installed } from '../installer-deps.ts';
import { DenyListError, denyListBytesMax, readDenyList, type VerifiedDenyList } from './deny-list.ts';
import { fetchDenyList } from './fetch-deny-list.ts';

/** The name under which entries of a deny list are revoked. */
const denyListActor = 'installs.denyList';

/** Refreshes deny lists. */
export type RefreshDenyList = (signal: AbortSignal) => Promise<DenyListCheck | null>;

/**
 * Fetches the configured deny list and revokes what is new in it. What it denied before stays revoked in any case.
 * Resolves to `null` without a deny list. Does not reject for a list that is unreachable or refused: `problem` says why.
 */
export function denyListRefresher(deps: FetchingDeps): RefreshDenyList {
  let recorded: string | undefined;
  return async (signal) => {
    const config = deps.config();
    const { denyList } = config.installs;
    if (denyList === null) return null;
    const { url } = denyList;
    try {
      const list = await verifiedList(config, denyList, signal);
      const check = await deps.changing(signal, (installed) => applyDenyList(deps, installed, url, list));
      recorded = undefined;
      return check;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DenyListError)) throw error;
      const problem = `the deny list ${url} ${error.message}`;
      if (error.isRefused && problem !== recorded) {
        await deps.append({ kind: 'denylist.refused', time: deps.now(), url, message: problem });
        recorded = problem;
      }
      return { url, serial: null, added: 0, skills: [], problem };
    }
  };
}

async function verifiedList(
  config: Config,
  { url, ed25519 }: NonNullable<Config['installs']['denyList']>,
  signal: AbortSignal,
): Promise<VerifiedDenyList> {
  let key: KeyObject;
  try {
    key = readPublicKey(await readFile(ed25519, 'utf8'));
  } catch (cause) {
    throw new DenyListError(
      `cannot be verified: its key ${ed25519} cannot be read: ${(cause as Error).message}`,
      { cause, isRefused: false },
    );
  }
  return readDenyList(await fetchDenyList(config, url, denyListBytesMax, signal), key);
}

async function applyDenyList(
  deps: FetchingDeps,
  { lock, decisions }: Installed,
  url: string,
  { serial, sha256, deny }: VerifiedDenyList,
): Promise<DenyListCheck> {
  const before = await deps.store.run('denyList', url);
  if (before !== undefined && serial < before.serial)
    throw new DenyListError(
      `has the serial ${serial}, and ${before.serial} is in force: an older list was sent`,
    );
  if (before !== undefined && serial === before.serial && sha256 !== before.sha256)
    throw new DenyListError(`has changed without a new serial (${serial})`);
  const known = new Set(before === undefined ? [] : (JSON.parse(before.subjects) as string[]));
  const added = deny.filter(({ subject }) => !known.has(subject) && !decisions.revocations.has(subject));
  const skills = concerned(
    lock,
    added.map(({ subject }) => subject),
  );
  const time = deps.now();
  if (added.length > 0)
    await deps.append({ kind: 'denylist.applied', time, url, serial, sha256, added: added.length, skills });
  const at = new Date(time).toISOString();
  await deps.store.run('applyDenyList', {
    list: {
      ...{ url, serial, sha256, checkedAt: time },
      subjects: JSON.stringify([...new Set(deny.map(({ subject }) => subject))]),
    },
    revocations: added.map(({ subject, reason }) => ({
      ...{ subject, record: JSON.stringify({ reason, by: denyListActor, at }) },
    })),
  });
  if (added.length > 0) await deps.apply();
  return { url, serial, added: added.length, skills, problem: null };
}
