/** Whether property tests run whole, as in `npm run test:all`; `npm test` tries fewer inputs. */
export const isWhole = process.env['TEST_WHOLE'] === '1';
