import { z } from 'zod';

/** The position in the logs of all nodes of a cluster, such as `1:345,2:99`, by node. */
export const NodePositionText = z
  .string()
  .regex(/^\d{1,4}:\d{1,15}(,\d{1,4}:\d{1,15}){0,4094}$/, 'must be the id of an earlier event')
  .transform((text) => Object.fromEntries(text.split(',').map(nodeAndSequence)));

function nodeAndSequence(text: string): [node: string, sequence: number] {
  const [node = '', sequence = ''] = text.split(':');
  return [node, Number(sequence)];
}

/** `Last-Event-ID`: the id of the event to resume after; absent: start from the beginning. */
export const LastEventId = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an earlier event: a whole number')
  .transform(Number)
  .optional();
