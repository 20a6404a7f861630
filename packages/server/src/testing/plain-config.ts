import type { Config } from '../config/config.ts';
import { defaultConfig } from '../config/general-config.ts';

/** The default configuration, with small numbers for tests. */
export const plainConfig: Config = {
  lockFile: '/home/ada/project/ambit.lock',
  installed: {},
  ...defaultConfig(),
  file: undefined,
  scope: { kind: 'project', folder: '/work', sign: '.ambit' },
  userFile: '/home/ada/.config/ambit/ambit.config.yaml',
  dataDir: '/work/.ambit',
  dataDirTrust: { project: null, dataHome: undefined },
  skills: [],
  capacity: { ...defaultConfig().capacity, wasmHosts: 1, prewarm: 0 },
  bodyLimitBytes: 1024,
};
