/**
 * Whether an `Accept` header asks for server-sent events by their name; whoever takes anything gets JSON. One that is
 * refused with `q=0`, or that comes after JSON in what is preferred, does not.
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
