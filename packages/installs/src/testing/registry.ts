import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { serving } from './serving.ts';

/** A layer of an artifact. */
export interface TestLayer {
  mediaType: string;
  bytes: Uint8Array;
  title?: string;
  /** Instead of its own. */
  digest?: string;
  size?: number;
}

export const manifestType = 'application/vnd.oci.image.manifest.v1+json';
export const indexType = 'application/vnd.oci.image.index.v1+json';

export function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function descriptorOf({ mediaType, bytes, title, digest, size }: TestLayer): object {
  return {
    mediaType,
    digest: digest ?? digestOf(bytes),
    size: size ?? bytes.length,
    annotations: title === undefined ? undefined : { 'org.opencontainers.image.title': title },
  };
}

export function manifestOf(layers: readonly TestLayer[], more: object = {}): string {
  const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOf('{}'), size: 2 };
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config,
    layers: layers.map(descriptorOf),
    ...more,
  });
}

type Served = Uint8Array | string | ((response: ServerResponse) => void);

/** A small registry with these answers below `/v2/acme/forms/`. With `realm`, they need the token `public` from there. */
export async function testRegistry(
  answers: Readonly<Record<string, Served>>,
  { challenge }: { challenge?: (base: string) => string } = {},
): Promise<{ base: string; source: string; asked: { path: string; authorization: string | undefined }[] }> {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const base = await serving((request, response) => {
    const { url = '', headers } = request;
    asked.push({ path: url, authorization: headers.authorization });
    if (url.startsWith('/token')) response.end('{"token":"public"}');
    else if (challenge !== undefined && headers.authorization !== 'Bearer public')
      response.writeHead(401, { 'www-authenticate': challenge(base) }).end();
    else {
      const served = answers[url.replace('/v2/acme/forms/', '')];
      if (typeof served === 'function') served(response);
      else if (served === undefined) response.writeHead(404).end();
      else response.end(served);
    }
  });
  return { base, source: `oci://${new URL(base).host}/acme/forms`, asked };
}
