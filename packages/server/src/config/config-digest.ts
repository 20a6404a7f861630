import { hash } from 'node:crypto';
import type { Config } from './config.ts';

/**
 * Tells configurations apart: the SHA-256 of their values. How a command found or named them does not count, nor which daemon it
 * calls.
 */
export function configDigest({ daemon: _, scope: __, dataDirTrust: ___, ...values }: Config): string {
  return hash('sha256', JSON.stringify(values));
}
