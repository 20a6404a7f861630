import type { IncomingMessage, ServerResponse } from 'node:http';
import { localServer } from '../../../../test/support/local-server.ts';

/**
 * A received span without the values that differ between runs, with its children in order of start.
 */
export interface ReceivedSpan {
  name: string;
  /** 1 is internal, 2 is a server span. */
  kind: number;
  attributes: Record<string, unknown>;
  /** Whether its status is an error. */
  isError: boolean;
  below: ReceivedSpan[];
}

/** A collector on loopback that takes OTLP as JSON. */
export interface OtlpReceiver {
  url: string;
  /** Every body, as received. */
  bodies: string[];
  /** Resolves to the spans of a trace, as a tree, once that many have arrived. */
  trace(traceId: string, count: number): Promise<{ roots: ReceivedSpan[]; parents: string[] }>;
}

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

/** Starts a collector that answers each request with `status`; `undefined`: it never answers. */
export async function otlpReceiver(status: number | undefined = 200): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    arrived.resolve();
    arrived = Promise.withResolvers();
    if (status !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  };
  const { origin } = await localServer((request, response) => void take(request, response));
  const spans = (): WireSpan[] =>
    bodies
      .flatMap((body) => (JSON.parse(body) as { resourceSpans: Batch[] }).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return {
    url: origin,
    bodies,
    async trace(traceId, count) {
      const found = () => spans().filter((span) => span.traceId === traceId);
      while (found().length < count) await arrived.promise;
      return treeOf(found());
    },
  };
}

interface Batch {
  scopeSpans: { spans: WireSpan[] }[];
}

/** `parents` are the ids above the roots, `''` for none. */
function treeOf(spans: readonly WireSpan[]): { roots: ReceivedSpan[]; parents: string[] } {
  const sorted = spans.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const shown = (span: WireSpan): ReceivedSpan => ({
    name: span.name,
    kind: span.kind,
    attributes: plain(span.attributes),
    isError: span.status.code === 2,
    below: sorted.filter(({ parentSpanId }) => parentSpanId === span.spanId).map(shown),
  });
  const tops = sorted.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId));
  return { roots: tops.map(shown), parents: tops.map(({ parentSpanId = '' }) => parentSpanId) };
}

function plain(attributes: WireSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
