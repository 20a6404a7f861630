import type { ChainRequest, ExecuteRequest } from '@ambit/core';
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
  return {
    recorded: tell && ((position) => tell('queued', { position })),
    watch: tell && ((position, { kind, ...data }) => tell(kind, { position, ...data })),
    linked: tell && ((link) => tell('link', link)),
  };
}
