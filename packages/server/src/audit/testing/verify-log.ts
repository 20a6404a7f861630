/** Verifies a log as `ambit audit verify` does, for tests that are not about the command. */
export { verifyLog } from '../verify/verify-log.ts';
