// Checks that no file names a registry or proxy of the machine where it was written. It would not
// exist elsewhere, and it is private. Each user's npm configuration says where packages are
// downloaded from.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.mjs';

// A host with a label that reveals its purpose. Example domains are allowed (RFC 2606).
const registryHost = /\b(?:[a-z0-9-]+\.)*(?:registry|artifactory|nexus|verdaccio)(?:\.[a-z0-9-]+)+\b/gi;
const topLevelDomain = /\.(?:com|org|net|io|dev|cloud|cn|eu|internal|intern|local|corp|lan|home)$/i;
const exampleDomain = /(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$/i;

/**
 * @param {string} path
 * @param {string} text
 * @param {readonly string[]} machineHosts hosts that this machine's configuration names
 * @returns {string[]} `path:line: what`
 */
export function registryHosts(path, text, machineHosts) {
  return text.split('\n').flatMap((line, index) => {
    const found = hostsIn(path, line, machineHosts);
    return found.map((host) => `${path}:${index + 1}: ${host}`);
  });
}

/**
 * @param {string} path
 * @param {string} line
 * @param {readonly string[]} machineHosts
 */
function hostsIn(path, line, machineHosts) {
  const named = (line.match(registryHost) ?? []).filter(
    (host) => topLevelDomain.test(host) && !exampleDomain.test(host),
  );
  const configured = machineHosts.filter((host) => line.toLowerCase().includes(host));
  // A lockfile contains no URLs, except in deprecation messages of authors.
  const locked =
    path === 'pnpm-lock.yaml' && !/^\s*deprecated:/.test(line) ? (line.match(/https?:\/\/\S+/g) ?? []) : [];
  const set = path.endsWith('.npmrc') ? (line.match(/^.*registry\s*=.*$/) ?? []) : [];
  return [...new Set([...named, ...configured, ...locked, ...set])];
}

/** The hosts of this machine's registries and proxies, without local names such as localhost. */
function configuredHosts() {
  const env = Object.entries(process.env).filter(([name]) =>
    /(^|_)(https?_proxy|registry|index_url|goproxy)$/i.test(name),
  );
  const urls = [
    ...env.map(([, value]) => value ?? ''),
    ...npmConfig('registry'),
    ...npmConfig('https-proxy'),
  ];
  const hosts = urls.map((url) => (URL.canParse(url) ? new URL(url).hostname.toLowerCase() : ''));
  return hosts.filter(
    (host) => host.includes('.') && !/^127\.|^0\.0\.0\.0$/.test(host) && !exampleDomain.test(host),
  );
}

/** @param {string} key */
function npmConfig(key) {
  try {
    return [
      execFileSync('npm', ['config', 'get', key], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
    ];
  } catch {
    return []; // npm is missing; the patterns still apply
  }
}

function main() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const hosts = configuredHosts();
  const files = listFiles(root).map((path) => ({ path, bytes: readFileSync(join(root, path)) }));
  const texts = files.filter(({ bytes }) => !bytes.subarray(0, 8192).includes(0));
  const found = texts.flatMap(({ path, bytes }) => registryHosts(path, bytes.toString('utf8'), hosts));
  if (found.length === 0) return console.log(`${texts.length} files, none names a registry`);
  console.log(`These lines name a registry or a proxy; remove them:\n${found.join('\n')}`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
