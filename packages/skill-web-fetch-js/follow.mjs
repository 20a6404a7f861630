import { fetch } from 'ambit';
import { resolveUrl } from './resolve-url.mjs';

const redirectsMax = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Some sites return Markdown on request. */
const headers = { accept: 'text/markdown, text/html;q=0.9, application/json;q=0.8, text/*;q=0.7, */*;q=0.1' };

/**
 * Fetches a URL and returns the response with its final URL. Each redirect is a separate request,
 * which the network rules must allow.
 *
 * @param {string} first
 */
export async function follow(first) {
  let url = resolveUrl(first, '');
  if (url === undefined) throw new Error(`${first} is not an http or https URL`);
  for (let redirected = 0; redirected <= redirectsMax; redirected++) {
    const response = await requested(url, redirected === 0 ? '' : `${first} redirects to ${url}: `);
    const location = response.headers['location'];
    if (!redirects.has(response.status) || location === undefined) return { url, response };
    const next = resolveUrl(location, url);
    if (next === undefined)
      throw new Error(`${url} redirects to ${location}, which is not an http or https URL`);
    url = next;
  }
  throw new Error(`${first} redirects more than ${redirectsMax} times, last to ${url}`);
}

/**
 * @param {string} url
 * @param {string} before prefix of an error, for redirects
 */
async function requested(url, before) {
  try {
    return await fetch(url, { method: 'GET', headers });
  } catch (error) {
    throw new Error(`${before}${/** @type {Error} */ (error).message}`);
  }
}
