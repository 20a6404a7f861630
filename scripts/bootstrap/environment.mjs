import { delimiter, dirname, join } from 'node:path';

/** @typedef {NodeJS.ProcessEnv} Env */

// Users configure where to download from and how. All other npm variables of a script's environment
// (prefix, global, workspaces, omit, …) belong to the outer npm and would misconfigure the inner
// one.
const forwardedNames = new RegExp(
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
 * The environment for our npm or pnpm, independent of the package manager that started us.
 * @param {Env} env
 * @returns {Env}
 */
export function installerEnv(env) {
  const entries = Object.entries(env).filter(
    ([name]) => !/^(npm|pnpm)_|^NODE_ENV$|^INIT_CWD$/i.test(name) || forwardedNames.test(name),
  );
  return {
    ...Object.fromEntries(entries),
    // Use the version found: neither pnpm nor Corepack may fetch another one.
    npm_config_manage_package_manager_versions: 'false',
    COREPACK_ENABLE_NETWORK: '0',
    COREPACK_ENABLE_STRICT: '0',
    // There is no user to answer a prompt.
    npm_config_confirm_modules_purge: 'false',
  };
}

/**
 * The environment of the command, with the toolchain first in PATH, so `node` and `pnpm` are the
 * versions found.
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
