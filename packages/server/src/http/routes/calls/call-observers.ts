import type { ExecuteRequest } from '@ambit/core/execute';
import type { BatchRequest, ChainRequest } from '@ambit/core/internal';
import type { EmitEvent } from '../../../jobs/job.ts';

/** Emits the events of a call; nothing without `emit`. */
export function callObservers(emit: EmitEvent | undefined): Pick<ExecuteRequest, 'recorded' | 'onEvent'> {
  return {
    recorded: emit && (() => emit('queued', {})),
    onEvent: emit && (({ kind, ...data }) => emit(kind, data)),
  };
}

/** Emits the events of a chain, each with the position of its link. */
export function chainObservers(
  emit: EmitEvent | undefined,
): Pick<ChainRequest, 'recorded' | 'onEvent' | 'linked'> {
  return { ...positioned(emit), linked: emit && ((link) => emit('link', link)) };
}

/** Emits the events of a batch, each with the position of its call. */
export function batchObservers(
  emit: EmitEvent | undefined,
): Pick<BatchRequest, 'recorded' | 'onEvent' | 'ended'> {
  return { ...positioned(emit), ended: emit && ((call) => emit('call', call)) };
}

function positioned(emit: EmitEvent | undefined): Pick<ChainRequest, 'recorded' | 'onEvent'> {
  return {
    recorded: emit && ((position) => emit('queued', { position })),
    onEvent: emit && ((position, { kind, ...data }) => emit(kind, { position, ...data })),
  };
}
