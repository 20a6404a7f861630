/** Starts the threads of a daemon before their first use. Loads nothing else. */
export { writerProgram } from './audit/log/writer-location.ts';
export { storeProgram } from './store/sqlite/store-location.ts';
export { startAhead } from './threads/start-thread.ts';
