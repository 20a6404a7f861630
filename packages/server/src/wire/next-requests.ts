import { refusedOf } from '@ambit/api';

/** The message of a refusal as HTTP answers it. */
export function withNextRequest(code: string, message: string): string {
  const next = refusedOf(code)?.next?.request;
  return next === undefined ? message : `${message}${message.endsWith('?') ? ' ' : '; '}${next}`;
}

/** The inverse of `withNextRequest`, for other transports. */
export function withoutNextRequest(code: string, detail: string): string {
  const next = refusedOf(code)?.next?.request;
  if (next === undefined || !detail.endsWith(next)) return detail;
  return detail.slice(0, -next.length).replace(/;? $/, '');
}
