import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readOrdinaryFile } from '@ambit/runtime';
import { whyConfigUntrusted } from '../trust/config-trust.ts';
import { UntrustedError } from '../trust/untrusted-error.ts';
import type { ConfigSources } from './config.ts';
import { defaultLayer, parseConfigFile } from './file/config-file.ts';
import { withHome } from './file/plain-values.ts';
import { type SettingsSchema, settingsSchema } from './file/settings.ts';
import { findConfig } from './find-config.ts';
import type { Layer } from './layers.ts';

/** The settings from the configuration file, if any, and the defaults. */
interface FileLayer {
  path: string | undefined;
  /** The folder at which relative paths of the file start; without a file, the current folder. */
  folder: string;
  layer: Layer;
  issues: string[];
  /** Whether the user named the file, which then needs no trust. */
  isNamed: boolean;
}

/**
 * Reads the file that `--config` or `AMBIT_CONFIG` names, which must exist, or else the nearest one. Rejects with an
 * `UntrustedError` if the user does not trust the current content of a found file. `schema` is the one for the current folder.
 */
export async function fileLayer(sources: ConfigSources, schema: SettingsSchema): Promise<FileLayer> {
  const { flags, env, cwd, home } = sources;
  const isFlag = flags.config !== undefined;
  const [named, by] = isFlag ? [flags.config, '--config'] : [env['AMBIT_CONFIG'], 'AMBIT_CONFIG'];
  const isNamed = Boolean(named);
  const without = (issues: string[]): FileLayer => ({
    path: undefined,
    folder: cwd,
    layer: defaultLayer(schema),
    issues,
    isNamed,
  });
  // An unset shell variable leaves `--config ''`. Do not use the file of this folder instead.
  if (named === '' && isFlag) return without([`${by} is empty: write a path`]);
  const path = named ? resolve(cwd, withHome(named, home)) : await findConfig(sources);
  if (path === undefined) return without([]);
  try {
    const bytes = await (named ? readOrdinaryFile(path) : readTrusted(path, sources));
    const folder = dirname(path);
    // Building a schema takes several milliseconds.
    const ofFolder = folder === cwd ? schema : settingsSchema(folder, home);
    return { path, folder, isNamed, ...parseConfigFile(bytes, path, ofFolder) };
  } catch (error) {
    if (error instanceof UntrustedError) throw error;
    // A found file that has been removed since then is ignored.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return without(named ? [`${by}: the file ${path} does not exist`] : []);
    return without([`${path}: cannot be read: ${(error as Error).message}`]);
  }
}

const foundBytesMax = 1024 * 1024;

/** Reads a found file. Throws for a large file without reading it. */
export async function readFound(path: string): Promise<Buffer> {
  if ((await stat(path)).size > foundBytesMax)
    throw new Error(`it is larger than ${foundBytesMax} bytes; to use it anyway, name it with --config`);
  return readOrdinaryFile(path);
}

async function readTrusted(path: string, { dataHome }: ConfigSources): Promise<Buffer> {
  const content = await readFound(path);
  const reason = await whyConfigUntrusted(dataHome, path, content);
  if (reason === undefined) return content;
  throw new UntrustedError('configuration', path, dirname(path), reason);
}
