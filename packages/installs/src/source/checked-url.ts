import { redactShapes } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';

/** A URL that skills may be fetched from: over TLS, except on loopback, and without a password or token. Throws `SOURCE_UNSUPPORTED`. */
export function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw unsupported(text, 'is not a valid URL');
  if (url.username !== '' || url.password !== '') throw withSecret(`${url.protocol}//…@${url.host}`);
  if (redactShapes(url.search) !== url.search) throw withSecret(`${url.origin}${url.pathname}?…`);
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || !isLoopback(url.hostname)))
    throw unsupported(text, 'is not encrypted; use its https:// address');
  return url;
}

function withSecret(shown: string): InstallError {
  return unsupported(
    shown,
    'has a password or token, which would be stored; leave it out, or download the archive yourself and add the file',
  );
}

/** Whether a host is a loopback address. Names are not: where they lead is not known yet. */
export function isLoopback(hostname: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The error for what is no source. */
export function unsupported(what: string, why: string): InstallError {
  return new InstallError('SOURCE_UNSUPPORTED', `${JSON.stringify(what.slice(0, 300))} ${why}`);
}
