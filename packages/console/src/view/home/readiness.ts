/** Whether the daemon accepts calls, by part. */
export interface Readiness {
  isReady: boolean;
  checks: Readonly<Record<string, string>>;
}

/** `GET /readyz` answers 503 with the same body when it refuses calls. */
export async function readiness(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('/readyz', { signal });
  const { checks } = (await response.json()) as Pick<Readiness, 'checks'>;
  return { isReady: response.ok, checks };
}
