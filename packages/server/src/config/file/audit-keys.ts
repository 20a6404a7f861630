import { SkillName } from '@ambit/core/internal';
import { z } from 'zod';
import { reserveBytesMax } from '../../audit/log/grow-reserve.ts';
import type { AuditSettings } from '../config.ts';

const freeBytes = z.int('write a number of bytes').min(0, 'write 0 to switch it off');
const Payloads = z.enum(['digest', 'preview', 'full']);

/** What a configuration file may say under `audit`; `path` is what a path may be. Absent: the default. */
export function auditKeys(path: z.ZodType<string>) {
  return z.strictObject({
    payloads: Payloads.optional(),
    skills: z.record(SkillName, z.strictObject({ payloads: Payloads })).optional(),
    previewCharacters: z
      .int('write a number of characters')
      .min(1, 'write a number above 0, or payloads: digest to keep nothing')
      .max(100_000, 'a preview has at most 100000 characters; write payloads: full to keep more')
      .optional(),
    fullBytes: z
      .int('write a number of bytes')
      .min(1, 'write a number above 0, or payloads: digest to keep nothing')
      .max(64 * 1024 * 1024, 'at most 67108864 bytes are kept of a payload')
      .optional(),
    retentionDays: z
      .number('write a number of days')
      .positive('write a number of days above 0; without this key nothing is removed for its age')
      .max(36_500, 'without this key nothing is removed for its age')
      .optional(),
    retentionBytes: z
      .int('write a number of bytes')
      .min(1024 * 1024, 'write at least 1048576: an empty log needs some of it')
      .optional(),
    prune: z.enum(['payloads', 'events']).optional(),
    checkpoints: z
      .union(
        [z.strictObject({ file: path }), z.strictObject({ command: z.array(z.string()).min(1) })],
        'write { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }',
      )
      .optional(),
    warnFreeBytes: freeBytes.optional(),
    minFreeBytes: freeBytes.optional(),
    reserveBytes: z
      .int('write a number of bytes')
      .min(0, 'write 0 to allocate nothing ahead')
      .max(reserveBytesMax, `at most ${reserveBytesMax} bytes are allocated ahead`)
      .optional(),
  });
}

/** What is kept where nobody says otherwise: the beginning of every payload, and everything for ever. */
export const auditDefaults: AuditSettings = {
  payloads: 'preview',
  skills: {},
  previewCharacters: 1000,
  fullBytes: 1024 * 1024,
  retentionDays: null,
  retentionBytes: null,
  prune: 'payloads',
  checkpoints: null,
  warnFreeBytes: 1024 ** 3,
  minFreeBytes: 16 * 1024 ** 2,
  reserveBytes: reserveBytesMax,
};
