/**
 * Whether an `Accept` header names server-sent events and prefers them to JSON. Clients that accept anything
 * get JSON.
 */
export function wantsEvents(header: string | undefined): boolean {
  const events = qualityOf(header, 'text/event-stream');
  return events > 0 && events >= qualityOf(header, 'application/json');
}

function qualityOf(header: string | undefined, type: string): number {
  for (const each of (header ?? '').split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return Number(quality) || 0;
  }
  return 0;
}
