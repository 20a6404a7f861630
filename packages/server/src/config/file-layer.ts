import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readOrdinaryFile } from '@ambit/runtime';
import { whyConfigUntrusted } from '../trust/config-trust.ts';
import type { ConfigSources } from './config.ts';
import { type ConfigFile, parseConfigFile } from './file/config-file.ts';
import { findConfig } from './find-config.ts';
import { withHome } from './home-path.ts';
import { UntrustedError } from './untrusted-error.ts';

/** The settings of the configuration file, if there is one. */
export interface FileLayer {
  path: string | undefined;
  /** Where relative paths of the file start; without a file, the current folder. */
  folder: string;
  content: ConfigFile;
  issues: string[];
  /** Whether the user named the file, which then needs no trust. */
  isNamed: boolean;
}

/**
 * Reads the file that `--config` or `AMBIT_CONFIG` names, which then has to exist, else the one that it finds. Rejects
 * with an `UntrustedError` if the user does not trust the present content of the found file.
 */
export async function fileLayer(sources: ConfigSources): Promise<FileLayer> {
  const { flags, env, cwd, home } = sources;
  const isFlag = flags.config !== undefined;
  const [named, by] = isFlag ? [flags.config, '--config'] : [env['AMBIT_CONFIG'], 'AMBIT_CONFIG'];
  const none = { path: undefined, folder: cwd, content: {}, isNamed: Boolean(named) };
  // As what an unset variable leaves: the file of this folder is not what was meant.
  if (named === '' && isFlag) return { ...none, issues: [`${by}: write a path`] };
  const path = named ? resolve(cwd, withHome(named, home)) : await findConfig(sources);
  if (path === undefined) return { ...none, issues: [] };
  try {
    const content = await (named ? readOrdinaryFile(path) : readTrusted(path, sources));
    const folder = dirname(path);
    return { path, folder, isNamed: none.isNamed, ...parseConfigFile(content, path, { folder, home }) };
  } catch (error) {
    if (error instanceof UntrustedError) throw error;
    // A found file that was removed since then counts as none.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { ...none, issues: named ? [`${by}: there is no file ${path}`] : [] };
    return { ...none, issues: [`${path}: cannot be read: ${(error as Error).message}`] };
  }
}

const foundBytesMax = 1024 * 1024;

/** The bytes of a found file. Throws for a large one without reading it. */
export async function readFound(path: string): Promise<Buffer> {
  if ((await stat(path)).size > foundBytesMax)
    throw new Error(`it has more than ${foundBytesMax} bytes; name it with --config if you mean it`);
  return readOrdinaryFile(path);
}

async function readTrusted(path: string, { dataHome }: ConfigSources): Promise<Buffer> {
  const content = await readFound(path);
  const reason = await whyConfigUntrusted(dataHome, path, content);
  if (reason === undefined) return content;
  throw new UntrustedError('configuration', path, dirname(path), reason);
}
