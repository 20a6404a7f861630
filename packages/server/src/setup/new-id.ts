import { randomUUID } from 'node:crypto';

/**
 * A UUIDv7 (RFC 9562, section 5.7), so ids sort by the millisecond in which they were made. The rest is
 * random. Every request needs an id, and `randomUUID` uses random bytes that Node has generated in advance.
 */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Only the time and the version differ from a random UUID.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
