import type { SharedRates } from '../../auth/rate-limiter.ts';
import type { Store } from '../store.ts';

/** A node's block of the rate of a key. */
interface Block {
  /** Requests. */
  left: number;
  /** Nothing can be borrowed before. */
  emptyUntil: number;
  /** The number of requests that wait for the next block. */
  waiting: number;
  borrowing: Promise<void> | undefined;
}

/** The time in which a node that has found nothing left does not ask again: every refused request would be a query. */
const emptyMs = 1000;

/** Starts without blocks. `now` is in milliseconds from any moment on. */
export function sharedRates(store: Pick<Store, 'run'>, now = () => performance.now()): SharedRates {
  const blocks = new Map<string, Block>();
  const blockOf = (name: string): Block => {
    const block = blocks.get(name) ?? { left: 0, emptyUntil: 0, waiting: 0, borrowing: undefined };
    blocks.set(name, block);
    return block;
  };
  const takeFrom = (block: Block): number | undefined => {
    if (block.left > 0) {
      block.left -= 1;
      return 0;
    }
    return now() < block.emptyUntil ? Math.ceil(block.emptyUntil - now()) : undefined;
  };
  const fill = async (block: Block, name: string, perMinute: number): Promise<void> => {
    const wanted = Math.max(block.waiting, Math.ceil(perMinute / 60));
    try {
      const { granted, retryAfterMs } = await store.run('borrowRate', name, perMinute, wanted);
      block.left += granted;
      if (granted === 0) block.emptyUntil = now() + Math.max(retryAfterMs, emptyMs);
    } finally {
      block.borrowing = undefined;
    }
  };
  return {
    take: (name) => takeFrom(blockOf(name)),
    async borrow(name, perMinute) {
      const block = blockOf(name);
      for (;;) {
        const taken = takeFrom(block);
        if (taken !== undefined) return taken;
        block.waiting += 1;
        try {
          block.borrowing ??= fill(block, name, perMinute);
          await block.borrowing;
        } finally {
          block.waiting -= 1;
        }
      }
    },
    retain(names) {
      for (const name of blocks.keys()) if (!names.has(name)) blocks.delete(name);
    },
  };
}
