import { looksLike } from './look-alikes.ts';

/**
 * Text for a prompt, in which markup that a model or its harness takes for structure loses its bracket: Ambit's own tags,
 * `<system-reminder>` and tags of tool calls, and the control tokens of chat templates (`<|im_start|>`, `[INST]`). So do
 * look-alikes, such as tags in full-width brackets or with zero-width characters in them. All other text is unchanged.
 * Where skills are in XML, their text is escaped instead (`xmlText`).
 */
export function disarmMarkup(text: string): string {
  return replaceMarkup(text, (bracket) => (squares.includes(bracket) ? '&#91;' : '&lt;'));
}

/** The same for text that is already escaped as XML: the bracket becomes a character reference, which parses back. */
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

/** Of a tag that is one without a closing bracket: `skill`. */
const nameCharactersMin = 5;

/** `<` and `[` and what looks like them. */
const angles = '<\uFF1C\uFE64\u2039\u2329\u3008\u27E8\u276E\u2770\u276C\u29FC\u02C2\u1438\u227A';
const squares = '[\uFF3B\u3010\u27E6\u3014\u2045';
const closers =
  '>\uFF1E\uFE65\u203A\u232A\u3009\u27E9\u276F\u2771\u276D\u29FD\u02C3\u1433\u227B\\]\uFF3D\u3011\u27E7\u3015\u2046';

// Every character belongs to the inside of at most one bracket, so that no text makes it slow.
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

/** Tags of ours inside of those. With `<` they are escaped in XML, and outside of it they are what authors write. */
const innerTag = /^[\s/\\]*(?:name|description|location|file|more)(?![\w-])/;

/** `<|im_start|>` and its like, and the beginnings and ends that are whole tokens. */
const angleToken = /^(?:\|[^\s|][^|]*\||[\s/\\]*(?:s|bos|eos|pad|unk|sys)\s*)$/;

const squareToken = /^[\s/\\]*(?:inst|system_prompt|available_tools|tool_(?:calls|results))\s*$/;
