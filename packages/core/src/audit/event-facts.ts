import type { AuditEvent } from './audit-event.ts';
import type { ContentDigest } from './event-parts.ts';

/** Values of an event that other tables must match. */
export interface EventFacts {
  kind: string;
  /** `null` for an event of the daemon. */
  executionId: string | null;
  /** Digest of the text stored beside it. */
  stored: ContentDigest | null;
}

/**
 * Reads them from an event's canonical text, mostly without parsing. Quotation marks in strings are
 * escaped, so a quoted name that occurs once is a member.
 */
export function eventFacts(body: string): EventFacts {
  const kind = textMember(body, '"kind":"');
  const executionId = textMember(body, '"executionId":"');
  const stored = storedMember(body);
  return kind === undefined || kind === null || executionId === undefined || stored === undefined
    ? parsed(body)
    : { kind, executionId, stored };
}

/** `null` if there is none, `undefined` if it takes a parser to tell. */
function textMember(body: string, name: string): string | null | undefined {
  const at = body.indexOf(name);
  if (at === -1) return null;
  const from = at + name.length;
  const text = body.slice(from, body.indexOf('"', from));
  return text.includes('\\') || body.includes(name, from) ? undefined : text;
}

const storedText = /^\{"bytes":(\d{1,15}),"digest":"(sha256:[0-9a-f]{64})"\}/;

function storedMember(body: string): ContentDigest | null | undefined {
  const name = '"stored":';
  const at = body.indexOf(name);
  if (at === -1) return null;
  const from = at + name.length;
  const [, bytes, digest] = storedText.exec(body.slice(from, from + 120)) ?? [];
  if (bytes === undefined || digest === undefined || body.includes(name, from)) return undefined;
  return { bytes: Number(bytes), digest };
}

function parsed(body: string): EventFacts {
  const event = JSON.parse(body) as Partial<AuditEvent & { executionId: string; stored: ContentDigest }>;
  return { kind: String(event.kind), executionId: event.executionId ?? null, stored: event.stored ?? null };
}
