/** Whether loops over many moments and sizes run whole, as in `npm run test:all`; `npm test` runs a sample of each. */
export const isWhole = process.env['TEST_WHOLE'] === '1';
