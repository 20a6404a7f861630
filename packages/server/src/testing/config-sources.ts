import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { ConfigSources } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { trustConfig } from '../trust/config-trust.ts';
import { loadConfig } from './load-config.ts';

/** The home directory of the user. */
export const home = '/home/ada';

/** The sources of a command in a folder, for a user who trusts nothing. */
export function sources(cwd: string, { flags = {}, env = {} }: Partial<ConfigSources> = {}): ConfigSources {
  const places = { cwd, home, dataHome: join(home, 'data'), configHome: join(home, 'config') };
  return { flags, env, ...places, readPolicy: async () => undefined };
}

/** The same with the folder's file named by --config, so it needs no trust. */
export function named(cwd: string, { flags = {}, env = {} }: Partial<ConfigSources> = {}): ConfigSources {
  return sources(cwd, { flags: { config: 'ambit.config.yaml', ...flags }, env });
}

/** The same for a user who trusts the current content of the folder's file. */
export async function trusting(cwd: string, env: ConfigSources['env'] = {}): Promise<ConfigSources> {
  const [dataHome, path] = [await temporaryFolder(), join(cwd, 'ambit.config.yaml')];
  await trustConfig(dataHome, path, await readFile(path), Date.now());
  return { ...sources(cwd, { env }), dataHome };
}

/** The issues of an invalid configuration. Throws if it is accepted. */
export async function issuesOf(given: ConfigSources): Promise<readonly string[]> {
  const error: unknown = await loadConfig(given).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('the configuration was accepted', { cause: error });
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toBe(['the configuration cannot be used:', ...error.details.issues].join('\n  '));
  return error.details.issues;
}

/** The issues of a file with this content, without its path. */
export async function fileIssues(content: string): Promise<string[]> {
  return fileIssuesIn(await temporaryFolder({ 'ambit.config.yaml': content }));
}

/** The issues of the file in `cwd`, without its path. */
export async function fileIssuesIn(cwd: string): Promise<string[]> {
  const prefix = `${join(cwd, 'ambit.config.yaml')}: `;
  return (await issuesOf(named(cwd))).map((issue) => issue.replace(prefix, ''));
}
