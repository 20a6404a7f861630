import type { BatchRequest, ChainRequest, ExecuteRequest } from '@ambit/core/execute';
import type { EmitEvent } from '../../../jobs/job.ts';

/** Emits the events of a call; without a reader, only its output, once it has one. */
export function callObservers(emit: EmitEvent): Pick<ExecuteRequest, 'recorded' | 'onEvent'> {
  const onEvent: NonNullable<ExecuteRequest['onEvent']> = ({ kind, ...data }) => emit(kind, data);
  onEvent.whenRead = emit.whenRead;
  return { recorded: readNow(emit) && (() => emit('queued', {})), onEvent };
}

/** Emits the events of a chain, each with the position of its link; nothing without a reader. */
export function chainObservers(emit: EmitEvent): Pick<ChainRequest, 'recorded' | 'onEvent' | 'linked'> {
  const now = readNow(emit);
  return { ...positioned(now), linked: now && ((link) => now('link', link)) };
}

/** Emits the events of a batch, each with the position of its call; nothing without a reader. */
export function batchObservers(emit: EmitEvent): Pick<BatchRequest, 'recorded' | 'onEvent' | 'ended'> {
  const now = readNow(emit);
  return { ...positioned(now), ended: now && ((call) => now('call', call)) };
}

function readNow(emit: EmitEvent): EmitEvent | undefined {
  return emit.whenRead === undefined ? emit : undefined;
}

function positioned(emit: EmitEvent | undefined): Pick<ChainRequest, 'recorded' | 'onEvent'> {
  return {
    recorded: emit && ((position) => emit('queued', { position })),
    onEvent: emit && ((position, { kind, ...data }) => emit(kind, { position, ...data })),
  };
}
