import { Histogram, type Registry } from 'prom-client';
import type { Store } from '../store/store.ts';

/** In seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns a function that measures the operations of a store. */
export function storeMetrics(registry: Registry): (store: Store) => Store {
  const ended = new Histogram({
    name: 'ambit_store_operation_seconds',
    help: 'Duration of operations of the store by outcome: done or refused.',
    labelNames: ['operation', 'outcome'],
    buckets,
    registers: [registry],
  });
  return (store) => ({
    ...store,
    async run(operation, ...given) {
      const start = performance.now();
      let outcome = 'refused';
      try {
        const result = await store.run(operation, ...given);
        outcome = 'done';
        return result;
      } finally {
        ended.observe({ operation, outcome }, (performance.now() - start) / 1000);
      }
    },
  });
}
