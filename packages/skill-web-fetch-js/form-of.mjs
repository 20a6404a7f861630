/**
 * How the text of a response is written: `html`, `markdown`, or the language of a code block, which is empty for plain
 * text. Throws, with words, for what is not text in UTF-8.
 *
 * @param {string} url
 * @param {import('ambit').Response} response
 */
export function formOf(url, response) {
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').toLowerCase().split(';');
  const name = type.trim();
  const form = name === '' ? guessed(response.text()) : formOfType(name);
  if (form === undefined) throw new Error(`${url} is ${name}; web-fetch reads HTML and text only`);
  const charset = /charset *= *"?([^";\s]+)/.exec(parameters.join(';'))?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/.test(charset))
    throw new Error(`${url} is written in ${charset}; web-fetch reads UTF-8 only`);
  return form;
}

/** @param {string} type */
function formOfType(type) {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'text/markdown') return 'markdown';
  const language = /^(?:text|application)\/(?:[\w.-]+\+)?(?:x-)?(json|xml|yaml|javascript|css|csv)$/.exec(
    type,
  )?.[1];
  return language ?? (type.startsWith('text/') ? '' : undefined);
}

/** @param {string} text of which nobody said what it is */
function guessed(text) {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(text) ? 'html' : '';
}
