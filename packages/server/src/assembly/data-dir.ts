import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** What lies in the data directory. */
export function dataFiles({ dataDir }: Pick<Config, 'dataDir'>): { key: string; audit: string } {
  return { key: join(dataDir, 'key'), audit: join(dataDir, 'audit.db') };
}
