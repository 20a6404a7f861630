import { SkillError } from '@ambit/core';
import type { NetworkRule } from '@ambit/core/egress';
import { UsageError } from '@ambit/core/outcome';
import { denialText } from '@ambit/core/policy';
import {
  type CallProxy,
  type EgressProxyOptions,
  egressProxy,
  followRedirects,
  ProxyError,
  ProxyRefusal,
  type ProxyResponse,
  RedirectError,
} from '@ambit/runtime';
import { whyOutside } from './inner-path.ts';
import { utf8 } from './read-text.ts';
import { type Source, sourceBounds } from './source.ts';

/** The hosts that an operator allows imports to reach. Absent and empty: none. */
export interface ImportNetwork {
  network?: readonly NetworkRule[];
  /** Overrides `network`. */
  deny?: readonly NetworkRule[];
  /** Per file, from the request to the last byte. Default: 5000. */
  timeoutMs?: number | undefined;
  /** The egress proxy's access to the network. Absent: the real one. */
  egress?: EgressProxyOptions;
}

/** Whether a place is a URL and not a path. */
export function isUrl(place: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(place);
}

/**
 * Fetches the manifest at a URL through the egress proxy, under the operator's rules. Its files must be
 * below its folder, on the same host. Redirects are checked like any other request. The proxy closes
 * when `use` ends.
 *
 * Rejects with `CAPABILITY_DENIED`, whose message has the configuration that would allow the request,
 * and with a `UsageError` if the manifest is unavailable.
 */
export async function withRemoteSource<Result>(
  place: string,
  { network = [], deny = [], timeoutMs = 5000, egress: options = {} }: ImportNetwork,
  use: (source: Source) => Promise<Result>,
): Promise<Result> {
  const url = manifestUrl(place);
  const egress = await egressProxy(options);
  const call = egress.open({
    network,
    deny,
    secrets: [],
    limits: { connections: 4, requestBytes: 1024 * 1024, responseBytes: sourceBounds.bytes, timeoutMs },
    remedy: allowLine,
  });
  try {
    const manifest = await fetched(call, url, sourceBounds.manifestBytes).catch((error: unknown) => {
      throw whyNoManifest(url, error);
    });
    return await use({ manifest, readFile: remoteFiles(call, url) });
  } finally {
    call.close();
    await egress.close();
  }
}

function manifestUrl(place: string): URL {
  const url = URL.canParse(place) ? new URL(place) : undefined;
  const onLoopback = url !== undefined && /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && onLoopback)) return url;
  throw new UsageError(
    `${place.slice(0, 300)} is not an https:// URL; skills are instructions for agents, so they are imported only over TLS`,
  );
}

function allowLine(rule: string): string {
  return `imports: { network: [${JSON.stringify(rule.replace(/^(?!http:)(.*):443$/, '$1'))}] }`;
}

function remoteFiles(call: CallProxy, manifest: URL): Source['readFile'] {
  let stalled = false;
  return async (path) => {
    const outside = whyOutside(path);
    if (outside !== undefined) throw new UsageError(outside);
    // Waits once for a host that does not respond, not once per file.
    if (stalled) throw new UsageError('was skipped, because an earlier file timed out');
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), new URL('.', manifest));
    try {
      return await fetched(call, url, sourceBounds.fileBytes);
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      stalled = error.status === 504;
      throw new UsageError(`cannot be fetched: ${said(error)}`, { cause: error });
    }
  };
}

async function fetched(call: CallProxy, first: URL, bytesMax: number): Promise<string> {
  try {
    return textOf(await followRedirects(call, first), bytesMax);
  } catch (error) {
    throw error instanceof RedirectError ? new UsageError(error.message, { cause: error }) : error;
  }
}

function textOf({ status, body }: ProxyResponse, bytesMax: number): string {
  if (status !== 200) throw new UsageError(`returned status ${status}`);
  if (body.length > bytesMax) throw new UsageError(`has ${body.length} bytes; the limit is ${bytesMax}`);
  return utf8(body);
}

function whyNoManifest(url: URL, error: unknown): unknown {
  if (error instanceof ProxyRefusal)
    return new SkillError('CAPABILITY_DENIED', said(error), {
      details: { denials: [error.denial] },
      cause: error,
    });
  if (error instanceof UsageError) return new UsageError(`${url.href} ${error.message}`, { cause: error });
  if (error instanceof ProxyError)
    return new UsageError(`${url.href} cannot be fetched: ${said(error)}`, { cause: error });
  return error;
}

/** Rewrites the egress proxy's messages, which address skills, for an import. */
function said(error: ProxyError): string {
  if (!(error instanceof ProxyRefusal)) return error.message.replace(/^Ambit: /, '');
  const { denial } = error;
  return denialText({ ...denial, reason: denial.reason.replace(' to this skill', ' to imports') });
}
