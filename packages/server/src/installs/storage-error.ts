import { SkillError } from '@ambit/core';
import { databaseAdvice } from '../sqlite/database-advice.ts';

/** The errors of the file system when files cannot be written. */
const codes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO'];

/** Reports that files cannot be written as `STORE_UNAVAILABLE`. `folder` is where they are if the error does not say. */
export async function orStorageError<Result>(folder: string, change: Promise<Result>): Promise<Result> {
  return change.catch((cause: NodeJS.ErrnoException) => {
    if (!codes.includes(cause?.code) || cause.syscall === undefined) throw cause;
    const place = cause.path ?? folder;
    throw new SkillError(
      'STORE_UNAVAILABLE',
      `files of skills cannot be written to ${place}: ${databaseAdvice(place, cause)}. The installed skills are unchanged`,
      { cause },
    );
  });
}
