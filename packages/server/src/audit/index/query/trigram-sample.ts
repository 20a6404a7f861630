import type { LogSource } from '../indexer/log-source.ts';
import { trigramsOf } from '../indexer/text-index.ts';

/**
 * How frequent characters are in stored payloads, estimated from a sample: frequent ones are slow
 * to look up.
 */
export interface TrigramSample {
  /** The share of texts that contain the rarest trigram of this text, from 0 to 1. */
  commonness(text: string): number;
  /** The trigrams of a text that narrow a search most, rarest first. */
  rarest(text: string): string[];
}

const textsMax = 500;
const charactersMax = 2000;
/** The number of new events after which the sample is renewed. */
const eventsMax = 500_000;
const trigramsMax = 3;

export function trigramSample(log: LogSource): TrigramSample {
  let taken: { at: number; texts: number; counts: Map<string, number> } | undefined;

  const current = (): { texts: number; counts: Map<string, number> } => {
    const head = log.head();
    if (taken !== undefined && head - taken.at < eventsMax && head < taken.at * 2) return taken;
    const texts = log.someTexts(textsMax);
    const counts = new Map<string, number>();
    for (const text of texts)
      for (const trigram of trigramsOf(text.slice(0, charactersMax)))
        counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
    taken = { at: head, texts: texts.length, counts };
    return taken;
  };
  return {
    commonness(text) {
      const { texts, counts } = current();
      const least = Math.min(...trigramsOf(text).map((trigram) => counts.get(trigram) ?? 0));
      return texts === 0 ? 0 : least / texts;
    },
    rarest(text) {
      const { counts } = current();
      return trigramsOf(text)
        .sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
        .slice(0, trigramsMax);
    },
  };
}
