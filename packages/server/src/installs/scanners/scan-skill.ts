import { failedScanner, type InspectionFinding, sarifFindings, sortedFindings } from '@ambit/core/internal';
import { bubblewrapSandbox, redactShapes, type Sandbox, skillFolder } from '@ambit/runtime';
import type { Config } from '../../config/config.ts';
import type { Asker } from '../installs.ts';
import type { StagedSkill } from '../read-staged.ts';
import { type ScannerResult, scanAgain, scanDigest } from './scanner-result.ts';

type ScanConfig = Pick<Config, 'installs' | 'dataDir'>;

/**
 * Runs the configured scanners on staged skills: `scan` of the skill, and the digest and the counted findings of its version.
 * Nothing is changed without scanners. Rejects only if `signal` aborts.
 */
export async function scanStaged(
  config: ScanConfig,
  skills: readonly StagedSkill[],
  asker: Pick<Asker, 'signal' | 'onProgress'>,
): Promise<void> {
  await withSandbox(config, async (sandbox) => {
    for (const staged of skills) {
      const { version, skill } = staged;
      const paths = skill.files.map(({ path }) => path);
      staged.scan = await resultsOf(config, { id: staged.id, root: staged.root, paths }, sandbox, asker);
      version.scan = scanDigest(staged.scan);
      for (const { severity } of staged.scan.flatMap(({ findings }) => findings))
        version.findings[severity] = (version.findings[severity] ?? 0) + 1;
    }
  });
}

/** Runs the configured scanners on a folder. */
export async function scanFolder(
  config: ScanConfig,
  skill: ScannedSkill,
  asker: Pick<Asker, 'signal' | 'onProgress'>,
): Promise<InspectionFinding[]> {
  let results: ScannerResult[] = [];
  await withSandbox(config, async (sandbox) => {
    results = await resultsOf(config, skill, sandbox, asker);
  });
  return sortedFindings(results.flatMap(({ findings }) => findings));
}

/** A skill to scan. `paths` are its files. */
interface ScannedSkill {
  id: string;
  root: string;
  paths: readonly string[];
}

/** Without scanners, there is no sandbox. */
async function withSandbox(
  { installs }: ScanConfig,
  use: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  if (installs.scanners.length === 0) return;
  const sandbox = bubblewrapSandbox();
  try {
    await use(sandbox);
  } finally {
    await sandbox.close?.();
  }
}

async function resultsOf(
  { installs: { scanners }, dataDir }: ScanConfig,
  skill: ScannedSkill,
  sandbox: Sandbox,
  { signal, onProgress }: Pick<Asker, 'signal' | 'onProgress'>,
): Promise<ScannerResult[]> {
  const { runScanner } = await import('@ambit/installs');
  const results: ScannerResult[] = [];
  for (const scanner of scanners) {
    const { name } = scanner;
    signal.throwIfAborted();
    onProgress?.(`Scanning ${skill.id} with ${name}`);
    const scan = await runScanner(scanner, skill, { sandbox, dataDir, signal });
    const { findings, problem } =
      'problem' in scan
        ? { findings: [], problem: scan.problem }
        : sarifFindings(
            name,
            scan.log,
            { folder: skillFolder, paths: skill.paths },
            { redact: redactShapes },
          );
    const remedy = 'problem' in scan ? scan.remedy : 'Run it yourself to see why.';
    const failed =
      problem === null
        ? []
        : [failedScanner(name, problem, `${remedy} Then scan again: ${scanAgain(skill.id)}`)];
    results.push({ scanner: name, findings: sortedFindings([...findings, ...failed]) });
  }
  return results;
}
