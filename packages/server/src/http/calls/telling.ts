import type { BatchRequest, ChainRequest, ExecuteRequest } from '@ambit/core';
import type { Tell } from '../../executions/execution.ts';

/** What tells of a call as it goes; nothing where nobody looks. */
export function tellingCall(tell: Tell | undefined): Pick<ExecuteRequest, 'recorded' | 'watch'> {
  return {
    recorded: tell && (() => tell('queued', {})),
    watch: tell && (({ kind, ...data }) => tell(kind, data)),
  };
}

/** The same of a chain: each with the position of its link. */
export function tellingChain(tell: Tell | undefined): Pick<ChainRequest, 'recorded' | 'watch' | 'linked'> {
  return { ...positioned(tell), linked: tell && ((link) => tell('link', link)) };
}

/** The same of a batch: each with the position of its call. */
export function tellingBatch(tell: Tell | undefined): Pick<BatchRequest, 'recorded' | 'watch' | 'ended'> {
  return { ...positioned(tell), ended: tell && ((call) => tell('call', call)) };
}

function positioned(tell: Tell | undefined): Pick<ChainRequest, 'recorded' | 'watch'> {
  return {
    recorded: tell && ((position) => tell('queued', { position })),
    watch: tell && ((position, { kind, ...data }) => tell(kind, { position, ...data })),
  };
}
