/**
 * Whether long corpora run whole. `npm test` runs a sample of each;
 * `npm run test:all` sets TEST_WHOLE to 1 and runs every case.
 */
export const isWhole = process.env['TEST_WHOLE'] === '1';
