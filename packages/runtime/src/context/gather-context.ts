import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { thrownText } from '@ambit/core/outcome';
import type { GatheredContext } from '@ambit/core/prompt';
import type { ContextRequirement } from '@ambit/core/skill';
import { contextCollection } from './context-collection.ts';
import { type ContextLocation, contextLimits } from './context-location.ts';
import type { ContainingFolder } from './open-contained.ts';
import type { Piece } from './piece.ts';
import { type GatheringContext, pieceOf } from './piece-of.ts';
import { shownName } from './shown-name.ts';

/**
 * Gathers what skills require to know about the place where their agent works. Each requirement is
 * gathered once, several at a time, and the results are in the order of the requirements. Each
 * result and the total are limited; earlier requirements take precedence. Unavailable items are
 * listed in `errors`, which contain no host paths, and are never fatal.
 *
 * Rejects only with the signal's reason when it aborts.
 */
export async function gatherContext(
  requirements: readonly ContextRequirement[],
  place: ContextLocation,
  signal: AbortSignal = new AbortController().signal,
): Promise<GatheredContext> {
  signal.throwIfAborted();
  const limits = { ...contextLimits, ...place.limits };
  const collection = contextCollection(place.item ?? null, limits.totalBytes);
  const all = [...new Map(requirements.map((each) => [keyOf(each), each])).values()];
  const wanted = all.slice(0, limits.requirements);
  const context = { place, limits, project: await resolveProject(place) };
  // A few at a time, because each needs an open file and a buffer.
  for (let at = 0; at < wanted.length; at += concurrency) {
    const some = wanted.slice(at, at + concurrency);
    const attempts = await Promise.all(some.map((each) => attempt(each, context, signal)));
    signal.throwIfAborted();
    for (const { requirement, piece } of attempts) {
      if (typeof piece === 'string') collection.fail(sourceOf(requirement), piece);
      else collection.add(requirement, piece, sourceOf(requirement));
    }
  }
  if (all.length > wanted.length)
    collection.fail('context', `${all.length} requirements; only the first ${wanted.length} are gathered`);
  return collection.gathered();
}

const concurrency = 16;

function keyOf(requirement: ContextRequirement): string {
  return 'path' in requirement ? `${requirement.type} ${requirement.path}` : requirement.type;
}

function sourceOf(requirement: ContextRequirement): string {
  return shownName(keyOf(requirement));
}

/** `undefined` if the project does not exist. */
async function resolveProject({
  root,
  hidden = [],
  allowSecretFiles,
}: ContextLocation): Promise<ContainingFolder | undefined> {
  const realRoot = await realpath(root).catch(() => undefined);
  if (realRoot === undefined) return undefined;
  const places = await Promise.all(hidden.map((path) => realpath(path).catch(() => path)));
  return { root: resolve(root), realRoot, hidden: places, allowSecretFiles };
}

/** A message instead of the piece if it is unavailable. */
async function attempt(
  requirement: ContextRequirement,
  context: GatheringContext,
  signal: AbortSignal,
): Promise<{ requirement: ContextRequirement; piece: Piece | string }> {
  try {
    return { requirement, piece: await pieceOf(requirement, context, signal) };
  } catch (error) {
    return { requirement, piece: thrownText(error) };
  }
}
