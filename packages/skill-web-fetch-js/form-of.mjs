/**
 * The format of a response: `html`, `markdown`, or the language of a code block, which is empty for
 * plain text. Throws for content that is not UTF-8 text.
 *
 * @param {string} url
 * @param {import('ambit').Response} response
 */
export function formOf(url, response) {
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').toLowerCase().split(';');
  const name = type.trim();
  const form = name === '' ? guessed(response.text()) : formOfType(name);
  if (form === undefined) throw new Error(`${url} is ${name}; web-fetch reads only HTML and text`);
  const charset = /charset *= *"?([^";\s]+)/.exec(parameters.join(';'))?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/.test(charset))
    throw new Error(`${url} is in ${charset}; web-fetch reads only UTF-8`);
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

/** @param {string} text without a content type */
function guessed(text) {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(text) ? 'html' : '';
}
