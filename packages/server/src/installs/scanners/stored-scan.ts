import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson, failedScanner, type InspectionFinding, sortedFindings } from '@ambit/core/internal';
import { writeDurably } from '@ambit/runtime';
import type { Config } from '../../config/config.ts';
import { installedFolder } from '../../lock/installed.ts';
import type { LockedVersion } from '../../lock/lock-file.ts';
import type { VersionId } from '../stored-versions.ts';
import { type ScannerResult, scanAgain, scanDigest } from './scanner-result.ts';

/** Stores the results for a stored version. The results in the lock file stay until they are removed. */
export async function storeScan(
  dataDir: string,
  version: VersionId,
  results: readonly ScannerResult[],
): Promise<void> {
  await writeDurably(scanFile(dataDir, version, scanDigest(results)), canonicalJson(results));
}

/** Removes all results for a version except these. */
export async function removeOtherScans(dataDir: string, version: VersionId, kept: string): Promise<void> {
  const file = scanFile(dataDir, version, kept);
  for (const name of await readdir(dirname(file)).catch(() => []))
    if (name.startsWith(prefix) && join(dirname(file), name) !== file) await rm(join(dirname(file), name));
}

/**
 * What scanners found in a stored version, from the worst. Results that are missing are a finding: of a scanner that was
 * configured later, and of all if the lock file comes from another machine.
 */
export async function scanFindings(
  { dataDir, installs: { scanners } }: Pick<Config, 'dataDir' | 'installs'>,
  id: string,
  { digest, scan }: Pick<LockedVersion, 'digest' | 'scan'>,
): Promise<InspectionFinding[]> {
  const remedy = `Scan it: ${scanAgain(id)}`;
  const stored = scan === undefined ? [] : await readScan(dataDir, { id, digest }, scan);
  const missing = scanners
    .filter(({ name }) => !stored?.some(({ scanner }) => scanner === name))
    .map(({ name }) => failedScanner(name, 'has not read this version on this machine', remedy));
  return sortedFindings([...(stored ?? []).flatMap(({ findings }) => findings), ...missing]);
}

/** What scanners found in a stored version; `undefined`: this machine does not have it, or it was changed. */
export async function readScan(
  dataDir: string,
  version: VersionId,
  digest: string,
): Promise<ScannerResult[] | undefined> {
  try {
    const results = JSON.parse(await readFile(scanFile(dataDir, version, digest), 'utf8')) as ScannerResult[];
    return scanDigest(results) === digest ? results : undefined;
  } catch {
    return undefined;
  }
}

const prefix = 'scan-';

/** Beside the folder of the version, so that it is removed with it. */
function scanFile(dataDir: string, { id, digest }: VersionId, scan: string): string {
  return join(dirname(installedFolder(dataDir, id, digest)), `${prefix}${scan.replace('sha256:', '')}.json`);
}
