import { follow } from './follow.mjs';
import { formOf } from './form-of.mjs';
import { readPage } from './read-page.mjs';
import { cut, fenced } from './text.mjs';

const linksMax = 200;

/**
 * Fetches a page as Markdown. Throws if the network rules refuse it, it redirects too often, or it
 * is not UTF-8 text. A status of 400 and above is no error: the output contains such a page.
 *
 * @param {{ url: string, maxCharacters?: number }} input
 */
export default async function webFetch({ url, maxCharacters = 20_000 }) {
  const { url: at, response } = await follow(url);
  const { status } = response;
  const form = formOf(at, response);
  const text = response.text();
  if (form !== 'html') {
    const { text: shown, truncated } = cut(text, maxCharacters);
    const markdown = form === 'markdown' ? shown : fenced(shown, form);
    return { url: at, status, title: null, markdown, links: [], truncated };
  }
  const { title, markdown, complete, links } = await readPage(text, at, maxCharacters);
  const { text: shown, truncated } = cut(markdown, maxCharacters);
  return {
    url: at,
    status,
    title,
    markdown: shown,
    links: links.slice(0, linksMax),
    truncated: truncated || !complete,
  };
}
