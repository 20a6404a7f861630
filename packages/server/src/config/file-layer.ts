import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readOrdinaryFile } from '@ambit/runtime';
import { changeableByOthers } from '../trust/changeable-by-others.ts';
import { type ConfigScope, findScope } from '../trust/config-scope.ts';
import { whyConfigUntrusted } from '../trust/config-trust.ts';
import { UntrustedError } from '../trust/untrusted-error.ts';
import type { ConfigSources } from './config.ts';
import { defaultLayer, parseConfigFile } from './file/config-file.ts';
import { withHome } from './file/plain-values.ts';
import { type SettingsSchema, settingsSchema } from './file/settings.ts';
import type { Layer } from './layers.ts';

/** The settings from the configuration file, if any, and the defaults. */
interface FileLayer {
  path: string | undefined;
  /** The folder at which relative paths of the file start; without a file, the project's or the current folder. */
  folder: string;
  layer: Layer;
  issues: string[];
  scope: ConfigScope;
}

/**
 * Reads the file that `--config` or `AMBIT_CONFIG` names, which must exist, or else the one of the project, or else the user's
 * own. Rejects with an `UntrustedError` if the user does not trust the current content of a project's file, or another user
 * could have changed the user's own. `schema` is the one for the current folder.
 */
export async function fileLayer(sources: ConfigSources, schema: SettingsSchema): Promise<FileLayer> {
  const { flags, env, cwd, home } = sources;
  const isFlag = flags.config !== undefined;
  const [named, by] = isFlag
    ? ([flags.config, '--config'] as const)
    : ([env['AMBIT_CONFIG'], 'AMBIT_CONFIG'] as const);
  const { scope, file } =
    named || isFlag
      ? { scope: { kind: 'named' as const, by }, file: named && resolve(cwd, withHome(named, home)) }
      : await findScope(sources);
  const without = (issues: string[]): FileLayer => ({
    path: undefined,
    folder: scope.kind === 'project' ? scope.folder : cwd,
    layer: defaultLayer(schema),
    issues,
    scope,
  });
  // An unset shell variable leaves `--config ''`. Do not use the file of this folder instead.
  if (file === '') return without([`${by} is empty: write a path`]);
  if (file === undefined) return without([]);
  try {
    const bytes = await readers[scope.kind](file, sources);
    const folder = dirname(file);
    // Building a schema takes several milliseconds.
    const ofFolder = folder === cwd ? schema : settingsSchema(folder, home);
    return { path: file, folder, scope, ...parseConfigFile(bytes, file, ofFolder) };
  } catch (error) {
    if (error instanceof UntrustedError) throw error;
    // A found file that has been removed since then is ignored, and the user's own need not exist.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return without(scope.kind === 'named' ? [`${by}: the file ${file} does not exist`] : []);
    return without([`${file}: cannot be read: ${(error as Error).message}`]);
  }
}

const foundBytesMax = 1024 * 1024;

/** Reads a found file. Throws for a large file without reading it. */
export async function readFound(path: string): Promise<Buffer> {
  if ((await stat(path)).size > foundBytesMax)
    throw new Error(`it is larger than ${foundBytesMax} bytes; to use it anyway, name it with --config`);
  return readOrdinaryFile(path);
}

const readers = { named: readOrdinaryFile, project: readTrusted, user: readOwn } as const;

async function readTrusted(path: string, { dataHome }: ConfigSources): Promise<Buffer> {
  const content = await readFound(path);
  const reason = await whyConfigUntrusted(dataHome, path, content);
  if (reason === undefined) return content;
  throw new UntrustedError('configuration', path, { reason, folder: dirname(path) });
}

/** Needs no record: a file that no other user can change is the user's or root's. */
async function readOwn(path: string): Promise<Buffer> {
  const problem = await changeableByOthers(path);
  if (problem !== undefined) throw new UntrustedError("user's configuration", path, problem);
  return readFound(path);
}
