import { contentsBounds } from '@ambit/core/workspace';
import { z } from 'zod';
import { section } from '../keys.ts';

const bytes = z
  .int('write a number of bytes')
  .min(1, 'write a positive number of bytes')
  .max(2 ** 40, 'the maximum is 1099511627776, a tebibyte');
const seconds = z
  .int('write a number of seconds')
  .min(1, 'write a positive number of seconds')
  .max(31_536_000, 'the maximum is 31536000, one year');

/** The keys of `workspaces`. A default never exceeds a maximum that the file sets, and conversely. */
export const workspaceKeys = section(
  z
    .strictObject({
      maxPerKey: z
        .int('write a number of workspaces')
        .min(0, 'write a number of workspaces, or 0 to disable them')
        .max(10_000)
        .default(32)
        .describe('[workspaces](workspaces.md) per key; 0 disables them'),
      quotaBytes: bytes.optional().describe('the size limit of a workspace'),
      maxQuotaBytes: bytes.optional().describe('the largest size limit that a caller can request'),
      maxTotalBytes: bytes
        .default(8 * 1024 ** 3)
        .describe(
          'the size of all workspaces together, of all keys. A running change needs room for the old and the new contents',
        ),
      maxFiles: z
        .int('write a number of files')
        .min(1, 'write a positive number of files')
        .max(
          contentsBounds.entries,
          `the maximum is ${contentsBounds.entries}, because lists of files are held in memory`,
        )
        .default(20_000)
        .describe(
          'files, links and folders of one workspace, up to 200000. Lists of files are held in memory',
        ),
      expiresAfterSeconds: seconds.optional().describe('how long after its last use a workspace expires'),
      maxExpiresAfterSeconds: seconds
        .optional()
        .describe('the longest such time that a caller can request, up to a year'),
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
    )
    .transform(
      ({
        maxQuotaBytes = 1024 ** 3,
        quotaBytes = Math.min(64 * 1024 ** 2, maxQuotaBytes),
        maxExpiresAfterSeconds,
        expiresAfterSeconds = Math.min(24 * 60 * 60, maxExpiresAfterSeconds ?? Infinity),
        ...others
      }) => ({
        ...others,
        quotaBytes,
        maxQuotaBytes,
        expiresAfterSeconds,
        maxExpiresAfterSeconds: maxExpiresAfterSeconds ?? Math.max(30 * 24 * 60 * 60, expiresAfterSeconds),
      }),
    ),
);
