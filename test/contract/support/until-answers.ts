import type { Store } from '../../../packages/server/src/index.ts';
import { until } from '../../support/until.ts';

/** Waits until the store can be used. */
export function untilAnswers(store: Store): Promise<unknown> {
  return until(() =>
    store.run('probe').then(
      () => true,
      () => false,
    ),
  );
}
