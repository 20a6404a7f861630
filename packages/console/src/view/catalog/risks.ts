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
  const risks: string[] = [];
  if (host === true) risks.push('does everything that your user may do');
  if (readsFiles) risks.push(`reads your files: ${pathText(own(filesystem.read))}`);
  if (own(filesystem.write).length > 0) risks.push(`changes your files: ${pathText(own(filesystem.write))}`);
  if (filesystem.write.includes('workspace')) risks.push('changes files of its workspace');
  if (network.includes('granted')) risks.push('reaches the hosts that you grant');
  if (hosts > 0) risks.push(`reaches ${plural(hosts, 'host')}`);
  for (const secret of secrets) risks.push(`sends the secret ${secret.name} to ${secret.hosts.join(', ')}`);
  if (env.length > 0) risks.push(`reads environment variables: ${env.join(', ')}`);
  if (exec.length > 0) risks.push(`runs programs: ${exec.join(', ')}`);
  if (state !== 'none') risks.push('remembers data between calls');
  if (memory !== 'none') risks.push("reads the agent's memory");
  // The read data may contain instructions of others; with private data and a way out, it can leak.
  if (isPrivate && network.length > 0) risks.push('private data and network: it can leak what it reads');
  return risks;
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
