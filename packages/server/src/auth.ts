/** API keys, and the actors of the log that are no keys. */
export { KeyRequest } from './auth/key-record.ts';
export { firstKeyName, programActor } from './auth/reserved-actors.ts';
