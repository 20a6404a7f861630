import { skillErrorCodes } from '@ambit/core/outcome';
import { z } from 'zod';

/** Needs no key, so it contains nothing else. */
export const Health = z
  .strictObject({ status: z.literal('ok') })
  .meta({ id: 'Health', description: 'The daemon is alive.' });

const Checks = z
  .record(z.string(), z.enum(['ok', 'low', ...skillErrorCodes]))
  .describe(
    'By component: `ok`; `low` if calls are still accepted but may soon be refused; otherwise the code that calls are refused with.',
  );

export const Ready = z
  .strictObject({
    status: z.literal('ready'),
    configuration: z
      .enum(['current', 'refused'])
      .describe(
        '`refused` if the file was read again and is invalid. The previous configuration stays in force.',
      ),
    checks: Checks,
  })
  .meta({ id: 'Ready', description: 'Calls are accepted.' });

/** Needs no key, so it has codes, which are the same everywhere, and no paths of this machine. */
export const Unready = z
  .strictObject({
    status: z.literal('unavailable'),
    code: z.enum([...skillErrorCodes, 'SHUTTING_DOWN']).describe('The code that calls are refused with.'),
    checks: Checks,
  })
  .meta({ id: 'Unready', description: 'Calls are refused.' });
