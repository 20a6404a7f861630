import type { CallRecord } from '@ambit/client';
import { plural } from '../../format/units.ts';

type Capabilities = NonNullable<CallRecord['capabilities']['requested']>;

/** Describes the risks of a set of capabilities, for a person who decides. */
export function risksOf(capabilities: Capabilities): string[] {
  const { filesystem, network, env, secrets, exec, state, memory, host } = capabilities;
  const own = (paths: readonly string[]) => paths.filter((path) => path !== 'workspace');
  const readsFiles = own(filesystem.read).length > 0;
  const hosts = network.filter((rule) => rule !== 'granted').length;
  const isPrivate = readsFiles || env.length > 0 || secrets.length > 0 || memory !== 'none';
  return [
    ...(host === true ? ['does everything that your user may do'] : []),
    ...(readsFiles ? [`reads your files: ${pathText(own(filesystem.read))}`] : []),
    ...(own(filesystem.write).length > 0 ? [`changes your files: ${pathText(own(filesystem.write))}`] : []),
    ...(filesystem.write.includes('workspace') ? ['changes files of its workspace'] : []),
    ...(network.includes('granted') ? ['reaches the hosts that you grant'] : []),
    ...(hosts > 0 ? [`reaches ${plural(hosts, 'host')}`] : []),
    ...secrets.map(({ name, hosts }) => `sends the secret ${name} to ${hosts.join(', ')}`),
    ...(env.length > 0 ? [`reads environment variables: ${env.join(', ')}`] : []),
    ...(exec.length > 0 ? [`runs programs: ${exec.join(', ')}`] : []),
    ...(state === 'none' ? [] : ['remembers data between calls']),
    ...(memory === 'none' ? [] : ["reads the agent's memory"]),
    // The read data may contain instructions of others; with private data and a way out, it can leak.
    ...(isPrivate && network.length > 0 ? ['private data and network: it can leak what it reads'] : []),
  ];
}

/** An item that a skill requests: `exec git`, `network (hosts that you grant)`. */
export function requestText(request: string): string {
  return request
    .replace(/^network granted$/, 'network (hosts that you grant)')
    .replace(/^(filesystem\.\w+) granted$/, '$1 (paths that you grant)');
}

function pathText(paths: readonly string[]): string {
  return paths.map((path) => (path === 'granted' ? 'the paths that you grant' : path)).join(', ');
}
