/** Records trust in a configuration as `ambit trust` does, for tests that are not about the command. */
export { trustConfig } from '../trust/config-trust.ts';
