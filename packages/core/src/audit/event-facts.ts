import type { AuditEvent, ContentDigest } from './audit-event.ts';

/** What stands in an event that other tables have to agree with. */
export interface EventFacts {
  kind: string;
  /** `null` for an event of the daemon's own. */
  executionId: string | null;
  /** Of the text that was kept beside it. */
  kept: ContentDigest | null;
}

/**
 * Reads them off an event's canonical text, mostly without parsing it: a quotation mark in a string is escaped, so that
 * a member's name which stands there once is a member.
 */
export function eventFacts(body: string): EventFacts {
  const kind = textMember(body, '"kind":"');
  const executionId = textMember(body, '"executionId":"');
  const kept = keptMember(body);
  return kind === undefined || kind === null || executionId === undefined || kept === undefined
    ? parsed(body)
    : { kind, executionId, kept };
}

/** `null` where there is none, `undefined` where it takes a parser to tell. */
function textMember(body: string, name: string): string | null | undefined {
  const at = body.indexOf(name);
  if (at === -1) return null;
  const from = at + name.length;
  const text = body.slice(from, body.indexOf('"', from));
  return text.includes('\\') || body.includes(name, from) ? undefined : text;
}

const keptText = /^\{"bytes":(\d{1,15}),"digest":"(sha256:[0-9a-f]{64})"\}/;

function keptMember(body: string): ContentDigest | null | undefined {
  const name = '"kept":';
  const at = body.indexOf(name);
  if (at === -1) return null;
  const from = at + name.length;
  const [, bytes, digest] = keptText.exec(body.slice(from, from + 120)) ?? [];
  if (bytes === undefined || digest === undefined || body.includes(name, from)) return undefined;
  return { bytes: Number(bytes), digest };
}

function parsed(body: string): EventFacts {
  const event = JSON.parse(body) as Partial<AuditEvent & { executionId: string; kept: ContentDigest }>;
  return { kind: String(event.kind), executionId: event.executionId ?? null, kept: event.kept ?? null };
}
