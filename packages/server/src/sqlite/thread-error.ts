import { SkillError, type SkillErrorCode } from '@ambit/core';

/** A `SkillError` as a message between threads, which lose classes. */
export interface ErrorOnTheWire {
  code: SkillErrorCode;
  message: string;
  cause: { message: string; code: unknown } | null;
}

export function toWire({ code, message, cause }: SkillError): ErrorOnTheWire {
  if (!(cause instanceof Error)) return { code, message, cause: null };
  return { code, message, cause: { message: cause.message, code: (cause as { code?: unknown }).code } };
}

export function fromWire({ code, message, cause }: ErrorOnTheWire): SkillError {
  if (cause === null) return new SkillError(code, message);
  return new SkillError(code, message, {
    cause: Object.assign(new Error(cause.message), { code: cause.code }),
  });
}
