import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { trustConfig } from '../../trust/config-trust.ts';
import type { ConfigSources } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { loadConfig } from '../load-config.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The home directory of whoever runs Ambit. */
export const home = '/home/ada';

/** A command that is run in a folder, by a user who trusts nothing. */
export function sources(cwd: string, { flags = {}, env = {} }: Partial<ConfigSources> = {}): ConfigSources {
  return { flags, env, cwd, home, dataHome: undefined };
}

/** The same with the file of the folder named, which is as good as trusted. */
export function named(cwd: string, { flags = {}, env = {} }: Partial<ConfigSources> = {}): ConfigSources {
  return sources(cwd, { flags: { config: 'ambit.config.yaml', ...flags }, env });
}

/** The same by a user who trusts the file of the folder as it is now. */
export async function trusting(cwd: string, env: ConfigSources['env'] = {}): Promise<ConfigSources> {
  const [dataHome, path] = [await temporaryFolder(), join(cwd, 'ambit.config.yaml')];
  await trustConfig(dataHome, path, await readFile(path), Date.now());
  return { ...sources(cwd, { env }), dataHome };
}

/** What is wrong with a configuration, which has to be refused. */
export async function issuesOf(given: ConfigSources): Promise<readonly string[]> {
  const error: unknown = await loadConfig(given).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('the configuration was accepted', { cause: error });
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toBe(['the configuration cannot be used:', ...error.details.issues].join('\n  '));
  return error.details.issues;
}

/** What is wrong with a file of this content, without its name. */
export async function fileIssues(content: string): Promise<string[]> {
  return fileIssuesIn(await temporaryFolder({ 'ambit.config.yaml': content }));
}

/** The issues of the file in `cwd`, without its name, with which each begins. */
export async function fileIssuesIn(cwd: string): Promise<string[]> {
  const prefix = `${join(cwd, 'ambit.config.yaml')}: `;
  return (await issuesOf(named(cwd))).map((issue) => issue.replace(prefix, ''));
}
