import type { Store } from '../store.ts';
import { storeError } from '../store-error.ts';

/** While `isOn`, the answers of the store are lost after its changes, and no key is freed. */
export interface CuttableStore {
  isOn: boolean;
  store: Store;
}

/** A store whose connection can be cut. */
export function cuttableStore(store: Store): CuttableStore {
  const run = store.run as (...given: unknown[]) => Promise<unknown>;
  const lost = storeError('of a test', 'the connection was lost during a commit');
  const cut: CuttableStore = {
    isOn: false,
    store: {
      ...store,
      async run(operation: string, ...given: unknown[]) {
        if (cut.isOn && operation === 'releaseClaim') throw lost;
        const result = await run(operation, ...given);
        if (cut.isOn) throw lost;
        return result;
      },
    } as Store,
  };
  return cut;
}
