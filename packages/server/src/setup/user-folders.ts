import { dirname } from 'node:path';
import { trustStoreFolder, type UserPlaces, userConfigFile, userPlaces } from '@ambit/client/node';
import type { Config } from '../config/config.ts';

/**
 * The folders and files that are in force without a review, or say what was reviewed: the user's own configuration and the trust
 * store. A command without the variables of this daemon uses the usual ones, so both are listed. The files need not exist.
 */
export function userFolders(
  { dataDirTrust: { dataHome }, userFile }: Pick<Config, 'dataDirTrust' | 'userFile'>,
  usual: Pick<UserPlaces, 'configHome' | 'dataHome'> = userPlaces({}),
): { folders: string[]; files: string[] } {
  const files = [userFile, userConfigFile(usual)].filter((path) => path !== undefined);
  const stores = [dataHome, usual.dataHome].flatMap((home) =>
    home === undefined ? [] : [trustStoreFolder(home)],
  );
  const folders = [...files.map((path) => dirname(path)), ...stores];
  return { folders: [...new Set(folders)], files: [...new Set(files)] };
}
