import { SkillError, type SkillErrorCode } from '@ambit/core';
import type { Readiness } from '../http/route/app-deps.ts';
import { withinTime } from '../within-time.ts';

/** A check of one part that calls need. */
export interface ReadinessCheck {
  /** Rejects if the part does not work; resolves to `low` as a warning, and to any other value if it works. */
  check(): Promise<unknown>;
  /** The code for a timeout, or an error that is not a `SkillError`. */
  code: SkillErrorCode;
  /** The time that a good result is cached, because anyone can request it. */
  freshMs: number;
  /** The time at which the part was last found to work, by `performance.now()`. Absent: unknown. */
  workedAtMs?: number;
}

export interface ReadinessOptions {
  /** The timeout of each check. */
  waitMs?: number;
  /** The time that a bad result is cached. */
  retryMs?: number;
}

/**
 * Runs each check, at most as often as it allows and never twice at the same time. Resolves in time to the result of each:
 * `ok`, `low`, or a code. A part whose check is `undefined` has no result.
 */
export function readiness(
  checks: Readonly<Record<string, ReadinessCheck | undefined>>,
  { waitMs = 5000, retryMs = 1000 }: ReadinessOptions = {},
): () => Promise<Readiness> {
  const parts = Object.entries(checks).flatMap(([name, check]) =>
    check === undefined ? [] : [{ name, result: cached(check, waitMs, retryMs) }],
  );
  return async () =>
    Object.fromEntries(await Promise.all(parts.map(async ({ name, result }) => [name, await result()])));
}

type PartReadiness = Readiness[string];

function cached(
  { check, code, freshMs, workedAtMs = Number.NEGATIVE_INFINITY }: ReadinessCheck,
  waitMs: number,
  retryMs: number,
): () => Promise<PartReadiness> {
  let running: Promise<PartReadiness> | undefined;
  let known: { found: PartReadiness; until: number } = { found: 'ok', until: workedAtMs + freshMs };
  const run = async (): Promise<PartReadiness> => {
    const found = await Promise.resolve()
      .then(check)
      .then(
        (well) => (well === 'low' ? 'low' : 'ok') as PartReadiness,
        (error: unknown) => (error instanceof SkillError ? error.code : code),
      );
    known = { found, until: performance.now() + (found === 'ok' || found === 'low' ? freshMs : retryMs) };
    running = undefined;
    return found;
  };
  return async () => {
    if (performance.now() < known.until) return known.found;
    running ??= run();
    return (await withinTime(waitMs, running)) ?? code;
  };
}
