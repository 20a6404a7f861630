import type { Store } from '../store.ts';

/** What Ambit 0.1.0 stored in a folder of the data directory. */
export interface FormerData {
  /** The folder. */
  name: string;
  /** Adds what the folder has and the store does not have. */
  importAll(folder: string, store: Pick<Store, 'run'>, onUnreadable: OnUnreadable): Promise<void>;
}

/** Called with each file or folder that cannot be read. It stays in the copy. */
export type OnUnreadable = (path: string, cause: unknown) => void;
