import { contentsBounds } from '@ambit/core/workspace';
import { z } from 'zod';
import type { WorkspaceSettings } from '../config.ts';
import { defaults } from '../defaults.ts';

const bytes = z
  .int('write a number of bytes')
  .min(1, 'write a positive number of bytes')
  .max(2 ** 40, 'the maximum is 1099511627776, a tebibyte')
  .optional();
const seconds = z
  .int('write a number of seconds')
  .min(1, 'write a positive number of seconds')
  .max(31_536_000, 'the maximum is 31536000, one year')
  .optional();

/** The keys of `workspaces` in a configuration file. */
export const workspaceKeys = z
  .strictObject({
    maxPerKey: z
      .int('write a number of workspaces')
      .min(0, 'write a number of workspaces, or 0 to disable them')
      .max(10_000)
      .optional(),
    quotaBytes: bytes,
    maxQuotaBytes: bytes,
    maxTotalBytes: bytes,
    maxFiles: z
      .int('write a number of files')
      .min(1, 'write a positive number of files')
      .max(
        contentsBounds.entries,
        `the maximum is ${contentsBounds.entries}, because lists of files are held in memory`,
      )
      .optional(),
    expiresAfterSeconds: seconds,
    maxExpiresAfterSeconds: seconds,
  })
  .refine(({ quotaBytes = 0, maxQuotaBytes = Infinity }) => quotaBytes <= maxQuotaBytes, {
    path: ['quotaBytes'],
    message: 'larger than maxQuotaBytes; lower it, or raise maxQuotaBytes',
  })
  .refine(
    ({ expiresAfterSeconds = 0, maxExpiresAfterSeconds = Infinity }) =>
      expiresAfterSeconds <= maxExpiresAfterSeconds,
    {
      path: ['expiresAfterSeconds'],
      message: 'larger than maxExpiresAfterSeconds; lower it, or raise maxExpiresAfterSeconds',
    },
  );

/** The defaults for a file. A default never exceeds a maximum that the file sets, and conversely. */
export function workspaceDefaultsFor(file: z.output<typeof workspaceKeys> = {}): WorkspaceSettings {
  const { quotaBytes, expiresAfterSeconds, maxExpiresAfterSeconds, ...others } = defaults.workspaces;
  return {
    ...others,
    quotaBytes: Math.min(quotaBytes, file.maxQuotaBytes ?? quotaBytes),
    expiresAfterSeconds: Math.min(expiresAfterSeconds, file.maxExpiresAfterSeconds ?? expiresAfterSeconds),
    maxExpiresAfterSeconds: Math.max(maxExpiresAfterSeconds, file.expiresAfterSeconds ?? 0),
  };
}
