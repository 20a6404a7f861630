import { delimiter, dirname, join } from 'node:path';

/** @typedef {NodeJS.ProcessEnv} Env */

// Where to download from and how to get there is the user's to say. Everything else that npm puts into the environment
// of its scripts (prefix, global, workspaces, omit, …) is about the outer npm and would steer the inner one wrong.
const kept = new RegExp(
  `^npm_config_(${[
    '(.*[:_])?registry',
    '//.*',
    '_?auth.*',
    '(https?_)?proxy',
    'https_proxy',
    'no_?proxy',
    'ca|cafile|cert|key|strict_ssl',
    'userconfig|globalconfig|cache|store_dir',
    'offline|prefer_offline|fetch_.*|maxsockets|network_.*',
  ].join('|')})$`,
  'i',
);

/**
 * The environment for an npm or pnpm of our own, whichever package manager started us.
 * @param {Env} env
 * @returns {Env}
 */
export function installerEnv(env) {
  const entries = Object.entries(env).filter(
    ([name]) => !/^(npm|pnpm)_|^NODE_ENV$|^INIT_CWD$/i.test(name) || kept.test(name),
  );
  return {
    ...Object.fromEntries(entries),
    // The version we found is the version we mean: pnpm must not fetch another, nor Corepack.
    npm_config_manage_package_manager_versions: 'false',
    COREPACK_ENABLE_NETWORK: '0',
    COREPACK_ENABLE_STRICT: '0',
    // Nobody is there to answer a question.
    npm_config_confirm_modules_purge: 'false',
  };
}

/**
 * The command's environment: ours, with the toolchain first in PATH, so that `node` and `pnpm` mean the ones we found.
 * @param {string} root
 * @param {{ path: string }} node
 * @returns {Env}
 */
export function toolchainEnv(root, node) {
  const path = [
    dirname(node.path),
    join(root, 'node_modules/.bin'),
    join(root, '.toolchain/node_modules/.bin'),
    process.env['PATH'] ?? '',
  ].join(delimiter);
  return { ...process.env, PATH: path };
}
