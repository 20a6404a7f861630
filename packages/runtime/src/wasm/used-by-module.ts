import { isAbsolute } from 'node:path';
import type { Grant } from '@ambit/core/execute';
import {
  noneObserved,
  type ObservedRun,
  type ObservedUses,
  type UsedCapabilities,
  unobserved,
  usedCapabilities,
} from '@ambit/core/outcome';
import { liesWithin } from '@ambit/core/policy';
import { redactorOf, usesOf } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import { inHost } from './host-calls.ts';
import type { HostUses } from './pool/host-protocol.ts';
import type { HostAnswer } from './pool/wasm-host.ts';

type Counts = ReadonlyMap<string, number>;

/**
 * The capabilities that a module used. The daemon has counted the requests that it answers in
 * `asked`. The rest is reported by the host, and only uses within the grant count; a host that was
 * ended reports nothing.
 */
export function usedByModule(
  { capabilities }: Grant,
  asked: Counts,
  { end }: Pick<HostAnswer, 'end'>,
  proxy: CallProxy | undefined,
): UsedCapabilities {
  const { env, filesystem, state } = capabilities;
  const { read, write } = filesystem;
  const uses = end.status === 'done' ? end.done.uses : undefined;
  const hasAsked = (name: string): boolean => asked.has(name);
  const seen: ObservedRun = {
    ...usesOf(proxy),
    exec: noneObserved,
    state: state === 'write' && hasAsked('state_set') ? 'write' : hasAsked('state_get') ? 'read' : 'none',
    memory: hasAsked('recall_memory') ? 'read' : 'none',
    ...seenByHost(uses, { env, read: [...read, ...write].filter(isAbsolute), write }, asked),
  };
  return usedCapabilities(capabilities, seen, redactorOf(proxy));
}

function seenByHost(
  uses: HostUses | undefined,
  granted: { env: readonly string[]; read: readonly string[]; write: readonly string[] },
  asked: Counts,
): Pick<ObservedRun, 'env' | 'filesystem.read' | 'filesystem.write' | 'functions'> {
  if (uses === undefined)
    return {
      env: unobserved,
      'filesystem.read': unobserved,
      'filesystem.write': unobserved,
      functions: null,
    };
  const { functions, env, read, written, more, workspace, hasEnvironment } = uses;
  const beneath = (paths: readonly string[]) => (path: string) =>
    paths.some((granted) => isAbsolute(granted) && liesWithin(path, granted));
  const usedWorkspace = granted.write.includes('workspace') && workspace > 0;
  return {
    env: { ...within(env, more.env, (name) => granted.env.includes(name)), isAll: !hasEnvironment },
    'filesystem.read': within(read, more.read, beneath(granted.read)),
    'filesystem.write': within(
      [...(usedWorkspace ? [['workspace', workspace] as const] : []), ...written],
      more.written,
      (item) => item === 'workspace' || beneath(granted.write)(item),
    ),
    functions: added(
      functions.filter(([name]) => inHost.has(name)),
      asked,
    ),
  };
}

/**
 * Only granted items: a secret's placeholder is a variable to the host, and a host's report may be
 * false.
 */
function within(
  counts: readonly (readonly [string, number])[],
  more: number,
  isGranted: (item: string) => boolean,
): ObservedUses {
  return { counts: new Map(counts.filter(([item]) => isGranted(item))), more, isAll: true };
}

function added(counts: readonly (readonly [string, number])[], asked: Counts): Counts {
  const sums = new Map(counts);
  for (const [name, count] of asked) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}
