import { statSync } from 'node:fs';
import { type SkillCacheOptions, scanningProgram } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { dataFiles } from './data-dir.ts';

/**
 * Returns the file where a daemon stores the skills that it read, for its next start. It is authenticated with
 * `firstKey`, so only a program that may call the daemon can write it. `undefined` if the sources run: they
 * can change without a new version.
 */
export function skillCacheOf(
  config: Pick<Config, 'dataDir'>,
  firstKey: string,
  version: string,
): SkillCacheOptions | undefined {
  if (scanningProgram.pathname.endsWith('.ts')) return undefined;
  // An update may replace the program and keep its path and version.
  const { ctimeMs } = statSync(scanningProgram);
  return {
    file: dataFiles(config).skills,
    key: firstKey,
    program: `${version} ${scanningProgram.href} ${ctimeMs}`,
  };
}
