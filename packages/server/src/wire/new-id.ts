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

/** The id with a node of a cluster in the 12 bits after its version: another node sees where it was made. */
export function withNode(id: string, node: number): string {
  return `${id.slice(0, 15)}${node.toString(16).padStart(3, '0')}${id.slice(18)}`;
}

/** The node that an id of `withNode` names. Any other UUID names a random one. */
export function nodeIn(id: string): number | undefined {
  const [, node] = /^[0-9a-f]{8}-[0-9a-f]{4}-[47]([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? [];
  return node === undefined ? undefined : Number.parseInt(node, 16);
}
