import { describeIssues } from '@ambit/core/skill';
import type { ProxyResponse } from '@ambit/runtime';
import { z } from 'zod';
import { InstallError } from '../../install-error.ts';
import { jsonOf } from '../json-of.ts';
import { requireDigest, sha256 } from '../parts-source.ts';
import { servedBounds } from '../source-bounds.ts';
import type { SourceHttp } from '../source-http.ts';
import { anonymousToken } from './anonymous-token.ts';

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'write sha256: and 64 hexadecimal digits');

const Descriptor = z.object({
  mediaType: z.string().exactOptional(),
  digest: Digest,
  size: z.int().nonnegative(),
  platform: z.object({}).exactOptional(),
  annotations: z.record(z.string(), z.string()).exactOptional(),
});
export type Descriptor = z.output<typeof Descriptor>;

const Manifest = z.object({ layers: z.array(Descriptor) });
export type Manifest = z.output<typeof Manifest>;

const ManifestIndex = z.object({ manifests: z.array(Descriptor) });

/** A client of one repository in a registry. Everything that is read has the digest that was asked for. */
export interface Registry {
  /** The repository, for messages. */
  name: string;
  /** By tag or digest. */
  manifest(
    reference: string,
  ): Promise<{ digest: string; content: Manifest | z.output<typeof ManifestIndex> }>;
  /** A blob of `size` bytes. */
  blob(digest: string, size: number): Promise<Uint8Array>;
}

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/**
 * A repository of a registry, by the OCI distribution specification. `base` is its URL: `https://HOST/v2/REPOSITORY`. Without
 * a login: if the registry wants a token, it is one for everyone. Methods reject with an `InstallError`.
 */
export function registryAt(base: string, http: SourceHttp): Registry {
  const name = base.replace(/^https?:\/\/([^/]+)\/v2\//, '$1/');
  let authorization: string | undefined;
  const get = async (
    path: string,
    options: { accept?: string; bytesMax: number },
  ): Promise<ProxyResponse> => {
    const url = `${base}/${path}`;
    let response = await http.get(url, { ...options, authorization });
    if (response.status === 401 && authorization === undefined) {
      authorization = await anonymousToken(response.headers['www-authenticate'] ?? '', { base, name, http });
      response = await http.get(url, { ...options, authorization });
    }
    if (response.status === 200) return response;
    throw new InstallError(
      'SOURCE_UNREACHABLE',
      response.status === 401 || response.status === 403
        ? `${name} needs a login; Ambit reads only public repositories`
        : `${name} has no ${path} that Ambit can read: it answered with status ${response.status}`,
    );
  };
  return {
    name,
    async manifest(reference) {
      const { headers, body } = await get(`manifests/${reference}`, {
        accept: [...manifestTypes, ...indexTypes].join(', '),
        bytesMax: servedBounds.listBytes,
      });
      const what = `the manifest ${reference} of ${name}`;
      for (const promised of [reference, headers['docker-content-digest'] ?? ''])
        if (promised.startsWith('sha256:')) requireDigest(what, body, promised);
      return {
        digest: `sha256:${sha256(body)}`,
        content: contentOf(what, body, headers['content-type'] ?? ''),
      };
    },
    async blob(digest, size) {
      const { body } = await get(`blobs/${digest}`, { bytesMax: size });
      requireDigest(`a layer of ${name}`, body, digest);
      return body;
    },
  };
}

function contentOf(
  what: string,
  bytes: Uint8Array,
  contentType: string,
): Manifest | z.output<typeof ManifestIndex> {
  const value = Object(jsonOf(what, bytes)) as Record<string, unknown>;
  // It must not be one thing to us and another to someone who checks it (CVE-2021-41190).
  if ('manifests' in value && 'layers' in value)
    throw new InstallError('SOURCE_DAMAGED', `${what} is both a manifest and an index`);
  const type = value['mediaType'] ?? contentType.split(';')[0]?.trim();
  const isIndex = indexTypes.includes(String(type));
  if (!isIndex && !manifestTypes.includes(String(type)))
    throw new InstallError(
      'SOURCE_UNSUPPORTED',
      `${what} has the type ${JSON.stringify(String(type).slice(0, 100))}, which Ambit does not read`,
    );
  const schema = isIndex ? ManifestIndex : Manifest;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InstallError(
    'SOURCE_DAMAGED',
    `${what} is invalid: ${describeIssues(parsed.error, schema, value).slice(0, 3).join('; ')}`,
  );
}
