import { estimateTokenCount } from 'tokenx';

/** Counts the tokens of a text. Callers can supply their model's tokenizer. */
export type CountTokens = (text: string) => number;

/** Within a few per cent of common tokenizers for English, code and CJK, and much faster. */
export const estimateTokens: CountTokens = (text) => estimateTokenCount(text);
