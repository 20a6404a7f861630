import { dirname, resolve } from 'node:path';
import type { ConfigSources } from './config.ts';
import { type ConfigFile, configFileName, readConfigFile } from './file/config-file.ts';
import { foundFile } from './foreign-file.ts';
import { withHome } from './home-path.ts';

const whyForeign =
  'it belongs to another user, in a folder where anybody can put files; name it with --config if you mean it, or start elsewhere';

/** The configuration file, if there is one; a file that somebody named has to be there. */
export async function fileLayer({ flags, env, cwd, home }: ConfigSources): Promise<{
  path: string | undefined;
  folder: string;
  content: ConfigFile;
  issues: string[];
}> {
  const isFlag = flags.config !== undefined;
  const [named, by] = isFlag ? [flags.config, '--config'] : [env['AMBIT_CONFIG'], 'AMBIT_CONFIG'];
  // As what an unset variable leaves: the file of this folder is not what was meant.
  if (named === '' && isFlag)
    return { path: undefined, folder: cwd, content: {}, issues: [`${by}: write a path`] };
  const path = resolve(cwd, withHome(named || configFileName, home));
  const folder = dirname(path);
  const none = { path: undefined, folder: cwd, content: {} };
  const found = named ? 'usable' : await foundFile(path);
  if (found === 'none') return { ...none, issues: [] };
  if (found === 'foreign') return { ...none, issues: [`${path}: ${whyForeign}`] };
  try {
    const read = await readConfigFile(path, { folder, home });
    if (read !== undefined) return { path, folder, ...read };
    return { ...none, issues: named ? [`${by}: there is no file ${path}`] : [] };
  } catch (error) {
    return { ...none, issues: [`${path}: cannot be read: ${(error as Error).message}`] };
  }
}
