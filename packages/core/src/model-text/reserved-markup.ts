import { looksLike } from './look-alikes.ts';

/**
 * Disarms text for a prompt: markup that a model or its harness interprets loses its bracket. That
 * is Ambit's own tags, `<system-reminder>` and tags of tool calls, the control tokens of chat
 * templates (`<|im_start|>`, `[INST]`), and look-alikes, such as tags in full-width brackets or
 * with zero-width characters. All other text is unchanged. Text of skills in XML is escaped instead
 * (`xmlText`).
 */
export function disarmMarkup(text: string): string {
  return replaceMarkup(text, (bracket) => (squares.includes(bracket) ? '&#91;' : '&lt;'));
}

/**
 * The same for text that is escaped as XML: the bracket becomes a character reference, which parses
 * back.
 */
export function referenceMarkup(text: string): string {
  return replaceMarkup(text, (bracket) => `&#${bracket.codePointAt(0)};`);
}

function replaceMarkup(text: string, write: (bracket: string) => string): string {
  return text.replace(bracketed, (found, bracket: string, inner: string, closing: string) => {
    const isClosed = closing !== '';
    if (!isClosed && inner.length < nameCharactersMin) return found;
    return isReserved(bracket, looksLike(inner), isClosed) ? write(bracket) + found.slice(1) : found;
  });
}

/** The shortest name that counts as a tag without a closing bracket: `skill`. */
const nameCharactersMin = 5;

/** `<` and `[` and their look-alikes. */
const angles = '<\uFF1C\uFE64\u2039\u2329\u3008\u27E8\u276E\u2770\u276C\u29FC\u02C2\u1438\u227A';
const squares = '[\uFF3B\u3010\u27E6\u3014\u2045';
const closers =
  '>\uFF1E\uFE65\u203A\u232A\u3009\u27E9\u276F\u2771\u276D\u29FD\u02C3\u1433\u227B\\]\uFF3D\u3011\u27E7\u3015\u2046';

// Each character is inside at most one bracket, so no text takes more than linear time.
const bracketed = new RegExp(
  `([${angles}\\${squares}])([^${angles}\\${squares}${closers}]+)([${closers}]?)`,
  'g',
);

function isReserved(bracket: string, inner: string, isClosed: boolean): boolean {
  if (squares.includes(bracket)) return isClosed && squareToken.test(inner);
  return tag.test(inner) || (bracket !== '<' && innerTag.test(inner)) || (isClosed && angleToken.test(inner));
}

const tag =
  /^[\s/\\]*(?:identity|available_skills|skills?|skill_[a-z]+|system(?:[-_](?:reminder|prompt|message|instructions?|notice))?|antml:[a-z_]+|function_(?:calls|results?)|tool_(?:calls?|results?|responses?|use)|(?:start|end)_of_turn)(?![\w-])/;

/** Tags within our own. In XML, `<` is escaped anyway; elsewhere authors use these tags. */
const innerTag = /^[\s/\\]*(?:name|description|location|file|more)(?![\w-])/;

/** `<|im_start|>` and similar, and start and end markers that are whole tokens. */
const angleToken = /^(?:\|[^\s|][^|]*\||[\s/\\]*(?:s|bos|eos|pad|unk|sys)\s*)$/;

const squareToken = /^[\s/\\]*(?:inst|system_prompt|available_tools|tool_(?:calls|results))\s*$/;
