import { fetch } from 'ambit';
import { resolveUrl } from './resolve-url.mjs';

const redirectsMax = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Some sites have their pages as Markdown for whoever asks. */
const headers = { accept: 'text/markdown, text/html;q=0.9, application/json;q=0.8, text/*;q=0.7, */*;q=0.1' };

/**
 * What a URL leads to, with the URL that it was in the end. Each redirect is a request of its own, which the network's
 * rules have to allow.
 *
 * @param {string} first
 */
export async function follow(first) {
  let url = resolveUrl(first, '');
  if (url === undefined) throw new Error(`${first} is no http or https URL`);
  for (let redirected = 0; redirected <= redirectsMax; redirected++) {
    const response = await requested(url, redirected === 0 ? '' : `${first} redirects to ${url}: `);
    const location = response.headers['location'];
    if (!redirects.has(response.status) || location === undefined) return { url, response };
    const next = resolveUrl(location, url);
    if (next === undefined) throw new Error(`${url} redirects to ${location}, which is no http or https URL`);
    url = next;
  }
  throw new Error(`${first} redirects more than ${redirectsMax} times, at last to ${url}`);
}

/**
 * @param {string} url
 * @param {string} before says how it came to that
 */
async function requested(url, before) {
  try {
    return await fetch(url, { method: 'GET', headers });
  } catch (error) {
    throw new Error(`${before}${/** @type {Error} */ (error).message}`);
  }
}
