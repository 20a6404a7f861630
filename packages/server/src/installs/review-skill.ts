import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallReview } from '@ambit/api';
import type { BrokenSkill, Skill } from '@ambit/core';
import { policyFrom } from '@ambit/core/execute';
import { declaredGrant, grantLines, widenedRequests } from '@ambit/core/inspect';
import { canonicalJson } from '@ambit/core/json';
import { isBroken, partsOfId } from '@ambit/core/skill';
import { dependenciesDigest, type Lock, type LockedSkill, type LockedVersion } from '../lock/lock-file.ts';
import { unifiedDiff } from '../propose/unified-diff.ts';
import { packageNames } from './dependencies/package-names.ts';
import { inspectFolder } from './inspect-folder.ts';
import type { Installed } from './installer-deps.ts';
import { approvalOf, approvedDigest, lockedSkill, summaryOf } from './list-installed.ts';
import { otherSources } from './namespace.ts';
import { pinOf } from './new-version.ts';
import { lockedFlaw } from './publishers/provenance.ts';
import { provenanceChange } from './publishers/provenance-change.ts';
import { readVersion } from './stored-versions.ts';
import { limitsOfCalls, whatItGets, widened } from './what-it-gets.ts';

/** Longer files and longer lists are named without their differences. */
const bounds = { diffBytes: 64 * 1024, diffs: 50 };

/** Collects what a person needs to decide about an installed skill. See `Installs.review`. */
export async function reviewSkill(installed: Installed, named: string): Promise<InstallReview> {
  const { config, lock, decisions } = installed;
  const { id, skill: locked } = lockedSkill(lock, named);
  const version = locked.waiting ?? locked;
  const approved = approvedDigest(id, locked, decisions) ?? null;
  const read = async (digest: string): Promise<Skill | undefined> => {
    const found = await readVersion(config.dataDir, { id, digest });
    return isBroken(found) ? undefined : found;
  };
  const found = await readVersion(config.dataDir, { id, digest: version.digest });
  const after = isBroken(found) ? undefined : found;
  const before = approved === null ? undefined : await read(approved);
  const approval = approvalOf(id, locked, decisions);
  const tier =
    approval?.tier ?? config.publishers.find(({ name }) => name === version.publisher)?.tier ?? 'verified';
  const isComparable = before !== undefined && after !== undefined;
  const reading = await readingOf(found, lock);
  return {
    skill: await summaryOf(installed, id, locked),
    digest: version.digest,
    review: reviewOf(installed, id, locked),
    approved,
    gets: after === undefined ? [] : grantLines(whatItGets(config, after, tier)),
    limits: after === undefined ? [] : limitsOfCalls(config, after, tier),
    declaredRemedy: declaredGrant({ ...reading, id }, config.grants[id]) ?? null,
    wider: isComparable ? widened(config, before, after, tier) : [],
    narrower: isComparable ? widenedRequests(after, before) : [],
    files: isComparable ? await fileChanges(before, after) : [],
    provenance: {
      publisher: version.publisher,
      identity: version.identity,
      change: provenanceChange(pinOf(locked, approval), version),
      problem: (await lockedFlaw(config.publishers, locked.source, { ...version, id })) ?? null,
    },
    packages: packageNames(version),
    packageChanges: approved === null ? [] : packageChanges(locked, version),
    namespaceSources: otherSources(lock, partsOfId(id).namespace ?? '', locked.source),
    reading,
  };
}

/** Packages that only one of two versions has, in their versions. */
function packageChanges(before: LockedVersion, after: LockedVersion): string[] {
  const [old, now] = [packageNames(before), packageNames(after)];
  return [
    ...now.filter((each) => !old.includes(each)).map((each) => `+ ${each}`),
    ...old.filter((each) => !now.includes(each)).map((each) => `- ${each}`),
  ];
}

async function readingOf(found: Skill | BrokenSkill, { skills }: Lock): Promise<InstallReview['reading']> {
  const otherIds = Object.keys(skills).filter((id) => id !== found.id);
  const inspected = await inspectFolder(found, otherIds).catch(() => undefined);
  if (inspected === undefined)
    return {
      description: null,
      version: null,
      executable: false,
      files: [],
      bytes: 0,
      dependencies: { declared: [], refused: [], guessed: [] },
      problem: isBroken(found) ? found.problem : 'its files cannot be read',
      warnings: [],
      hiddenFrom: [],
      requests: [],
      declares: [],
      scripts: [],
      findings: [],
    };
  const { description, version, executable, problem, files, bytes } = inspected;
  const { dependencies, warnings, hiddenFrom, requests, declares, scripts, findings } = inspected;
  return {
    description,
    version,
    executable,
    problem,
    files,
    bytes,
    dependencies,
    warnings,
    hiddenFrom,
    requests,
    declares,
    scripts,
    findings,
  };
}

/** Names everything that an approval depends on: both versions, the policy and the findings. */
export function reviewOf({ config, decisions }: Installed, id: string, locked: LockedSkill): string {
  const version = locked.waiting ?? locked;
  const { digest, publisher, identity, findings } = version;
  const reviewed = {
    id,
    digest,
    publisher,
    identity,
    findings,
    dependencies: dependenciesDigest(version),
    approved: approvedDigest(id, locked, decisions) ?? null,
    policy: policyFrom(config, sha256).digest,
  };
  return sha256(canonicalJson(reviewed)).slice(0, 16);
}

function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

async function fileChanges(before: Skill, after: Skill): Promise<InstallReview['files']> {
  const [old, now] = [digestsOf(before), digestsOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  const changed = paths.filter((path) => old.get(path) !== now.get(path));
  const changes: InstallReview['files'] = [];
  for (const path of changed) {
    const change = !old.has(path) ? 'added' : !now.has(path) ? 'removed' : 'changed';
    const isShown = changes.length < bounds.diffs;
    changes.push({ path, change, diff: isShown ? await diffOf(before, after, path) : null });
  }
  return changes;
}

function digestsOf({ files }: Skill): Map<string, string> {
  return new Map(files.map(({ path, sha256: digest }) => [path, digest]));
}

async function diffOf(before: Skill, after: Skill, path: string): Promise<string | null> {
  const [old, now] = await Promise.all([textIn(before, path), textIn(after, path)]);
  if (old === null || now === null) return null;
  return unifiedDiff({ name: path, before: old, after: now ?? '' });
}

/** The text of a short file; `undefined` if the skill does not have it, `null` for anything else. */
async function textIn({ root, files }: Skill, path: string): Promise<string | null | undefined> {
  const file = files.find((each) => each.path === path);
  if (file === undefined) return undefined;
  if (file.bytes > bounds.diffBytes) return null;
  const bytes = await readFile(join(root, path)).catch(() => undefined);
  // The digest covers it, so a link is not followed.
  if (bytes === undefined || hash('sha256', bytes) !== file.sha256) return null;
  const text = bytes.toString();
  return text.includes('\0') || !Buffer.from(text).equals(bytes) ? null : text;
}
