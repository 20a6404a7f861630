// Threat model: T444

import { expect, test } from 'vitest';
import { userFolders } from './user-folders.ts';

const usual = { configHome: '/home/ada/.config', dataHome: '/home/ada/.local/share' };

test('the folders of a user are in the places of the variables, and in the usual ones for commands without them', () => {
  const dataDirTrust = { project: null, dataHome: '/alt/data' };
  expect(userFolders({ dataDirTrust, userFile: '/alt/config/ambit/ambit.config.yaml' }, usual)).toEqual({
    folders: [
      '/alt/config/ambit',
      '/home/ada/.config/ambit',
      '/alt/data/ambit/trusted',
      '/home/ada/.local/share/ambit/trusted',
    ],
    files: ['/alt/config/ambit/ambit.config.yaml', '/home/ada/.config/ambit/ambit.config.yaml'],
  });
});

test('each folder of a user is listed once, and a user without a home folder has none', () => {
  const same = { dataDirTrust: { project: null, dataHome: usual.dataHome }, userFile: undefined };
  expect(userFolders({ ...same, userFile: '/home/ada/.config/ambit/ambit.config.yaml' }, usual)).toEqual({
    folders: ['/home/ada/.config/ambit', '/home/ada/.local/share/ambit/trusted'],
    files: ['/home/ada/.config/ambit/ambit.config.yaml'],
  });
  const none = { dataDirTrust: { project: null, dataHome: undefined }, userFile: undefined };
  expect(userFolders(none, { configHome: undefined, dataHome: undefined })).toEqual({
    folders: [],
    files: [],
  });
});
