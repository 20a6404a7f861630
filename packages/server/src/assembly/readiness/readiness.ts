import { setTimeout as delay } from 'node:timers/promises';
import { SkillError, type SkillErrorCode } from '@ambit/core';
import type { Readiness } from '../../http/app-deps.ts';

/** One part without which calls are not taken. */
export interface ReadinessCheck {
  /** Rejects when it does not do; resolves to `low` when it soon may not, and to anything else when it does. */
  check(): Promise<unknown>;
  /** What calls are refused with when it has rejected with anything but a `SkillError`, or has not answered in time. */
  code: SkillErrorCode;
  /** For so long it is not asked again after it was well: anybody can ask. */
  freshMs: number;
}

export interface ReadinessOptions {
  /** How long an answer waits for a part. */
  waitMs?: number;
  /** For so long a part that was not well is not asked again. */
  retryMs?: number;
}

/**
 * Asks each part, at most as often as it allows, and none twice at a time. Resolves in time, whatever they do, to how
 * each is: `ok`, `low`, or a code.
 */
export function readiness(
  checks: Readonly<Record<string, ReadinessCheck>>,
  { waitMs = 5000, retryMs = 1000 }: ReadinessOptions = {},
): () => Promise<Readiness> {
  const parts = Object.entries(checks).map(([name, check]) => ({ name, ask: kept(check, waitMs, retryMs) }));
  return async () =>
    Object.fromEntries(await Promise.all(parts.map(async ({ name, ask }) => [name, await ask()])));
}

type Found = Readiness[string];

function kept(
  { check, code, freshMs }: ReadinessCheck,
  waitMs: number,
  retryMs: number,
): () => Promise<Found> {
  let asked: Promise<Found> | undefined;
  let known: { found: Found; until: number } | undefined;
  const ask = async (): Promise<Found> => {
    const found = await Promise.resolve()
      .then(check)
      .then(
        (well) => (well === 'low' ? 'low' : 'ok') as Found,
        (error: unknown) => (error instanceof SkillError ? error.code : code),
      );
    known = { found, until: performance.now() + (found === 'ok' || found === 'low' ? freshMs : retryMs) };
    asked = undefined;
    return found;
  };
  return async () => {
    if (known !== undefined && performance.now() < known.until) return known.found;
    asked ??= ask();
    const over = new AbortController();
    const late = delay(waitMs, code, { ref: false, signal: over.signal }).catch(() => code);
    try {
      return await Promise.race([asked, late]);
    } finally {
      over.abort();
    }
  };
}
