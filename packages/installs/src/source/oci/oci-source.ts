import { SkillName } from '@ambit/core/skill';
import { InstallError } from '../../install-error.ts';
import { type PartStore, partsSource, type SourcePart } from '../parts-source.ts';
import type { ServedSource, Source } from '../source.ts';
import { servedBounds, sourceBounds } from '../source-bounds.ts';
import type { SourceHttp } from '../source-http.ts';
import { type Descriptor, type Manifest, type Registry, registryAt } from './registry.ts';

/** At most this many layers of an artifact are read. */
const layersMax = 512;

/**
 * The skills of an OCI artifact or image. Its layers are tar archives, or files that are named by their title. An index has
 * one manifest for each platform, of which the first is read, or several artifacts, which are all read. Rejects with an
 * `InstallError`, also if the registry sends anything with another digest than the named one.
 */
export async function ociSource(
  { place, ref = 'latest' }: { place: string; ref?: string | undefined },
  http: SourceHttp,
  store: PartStore,
): Promise<ServedSource> {
  const registry = registryAt(place, http);
  const { digest, content } = await registry.manifest(ref);
  const manifests =
    'layers' in content
      ? [{ folder: '', manifest: content }]
      : await listedManifests(content.manifests, registry);
  const parts: SourcePart[] = [];
  for (const { folder, manifest } of manifests) {
    if (manifest.layers.length > layersMax)
      throw new InstallError(
        'SOURCE_TOO_LARGE',
        `${place} has ${manifest.layers.length} layers; at most ${layersMax} are read`,
      );
    for (const layer of manifest.layers) parts.push(await layerPart(layer, folder, registry, store));
  }
  return { ...withoutRemovals(partsSource(parts)), sha256: digest.replace('sha256:', ''), leftOut: [] };
}

async function listedManifests(
  listed: readonly Descriptor[],
  registry: Registry,
): Promise<{ folder: string; manifest: Manifest }[]> {
  // Attestations are beside the image that they are about.
  const artifacts = listed.filter(
    ({ annotations }) => annotations?.['vnd.docker.reference.type'] === undefined,
  );
  const forPlatform = artifacts.find(({ platform }) => platform !== undefined);
  // The same one everywhere, so that a lock file is right on every machine.
  const chosen = forPlatform === undefined ? artifacts : [forPlatform];
  if (chosen.length > servedBounds.items)
    throw new InstallError(
      'SOURCE_TOO_LARGE',
      `${registry.name} lists ${chosen.length} manifests; at most ${servedBounds.items} are read`,
    );
  const manifests: { folder: string; manifest: Manifest }[] = [];
  for (const [at, { digest, annotations }] of chosen.entries()) {
    const { content } = await registry.manifest(digest);
    if (!('layers' in content))
      throw new InstallError('SOURCE_UNSUPPORTED', `${registry.name} has an index inside an index`);
    const title = SkillName.safeParse(annotations?.[titleKey]);
    const folder = title.success ? title.data : String(at + 1);
    manifests.push({ folder: chosen.length === 1 ? '' : folder, manifest: content });
  }
  return manifests;
}

const titleKey = 'org.opencontainers.image.title';

async function layerPart(
  layer: Descriptor,
  folder: string,
  registry: Registry,
  store: PartStore,
): Promise<SourcePart> {
  const { mediaType = '', digest, size, annotations } = layer;
  const title = annotations?.[titleKey];
  const isArchive = /[.+/](?:tar(?:[+.]gzip)?|zip)$/.test(mediaType);
  if (!isArchive && title === undefined)
    throw new InstallError(
      'SOURCE_UNSUPPORTED',
      `${registry.name} has a layer of the type ${JSON.stringify(mediaType.slice(0, 100))}, which is neither a tar archive nor a titled file`,
    );
  const sizeMax = isArchive ? sourceBounds.bytes : servedBounds.artifactBytes;
  if (size > sizeMax)
    throw new InstallError(
      'SOURCE_TOO_LARGE',
      `${registry.name} has a layer of ${size} bytes; at most ${sizeMax} are read`,
    );
  const bytes = await registry.blob(digest, size);
  if (isArchive) return store.archive(folder, bytes);
  return store.file([folder, title].filter(Boolean).join('/'), bytes);
}

/** Layers of an image can remove files of earlier layers. Without that they would reappear, so such an image is refused. */
function withoutRemovals(source: Source): Source {
  return {
    async *entries(wanted) {
      for await (const entry of source.entries(wanted)) {
        if (/(?:^|\/)\.wh\.[^/]*$/.test(entry.path))
          throw new InstallError(
            'SOURCE_UNSUPPORTED',
            `a layer of the image removes ${JSON.stringify(entry.path.slice(0, 200))}; pack the skill in one layer`,
          );
        yield entry;
      }
    },
  };
}
