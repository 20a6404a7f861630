import { estimateTokenCount } from 'tokenx';

/** Counts what a text costs a model, in its tokens. Callers that know their model's tokenizer bring its own. */
export type CountTokens = (text: string) => number;

/** Within a few per cent of common tokenizers for English, code and CJK, in a fraction of their time. */
export const estimateTokens: CountTokens = (text) => estimateTokenCount(text);
