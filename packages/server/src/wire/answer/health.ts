import { skillErrorCodes } from '@ambit/core/internal';
import { z } from 'zod';

/** Anybody may read it, so it says nothing else. */
export const Health = z
  .strictObject({ status: z.literal('ok') })
  .meta({ id: 'Health', description: 'That the daemon lives.' });

const Checks = z
  .record(z.string(), z.enum(['ok', 'low', ...skillErrorCodes]))
  .describe(
    'By the name of a part: `ok`, `low` while calls are taken and soon may not be, or the code that they are refused with.',
  );

export const Ready = z
  .strictObject({
    status: z.literal('ready'),
    configuration: z
      .enum(['current', 'refused'])
      .describe('`refused` while the file that was last read cannot be used, and the one before holds.'),
    checks: Checks,
  })
  .meta({ id: 'Ready', description: 'Calls are taken.' });

/** Anybody may read it, so that it names codes, which are everywhere the same, and no file of this machine. */
export const Unready = z
  .strictObject({
    status: z.literal('unavailable'),
    code: z.enum([...skillErrorCodes, 'SHUTTING_DOWN']).describe('With which calls are refused.'),
    checks: Checks,
  })
  .meta({ id: 'Unready', description: 'Calls are refused.' });
