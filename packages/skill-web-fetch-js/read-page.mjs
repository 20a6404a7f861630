import { markdownInPieces } from './in-pieces.mjs';
import { resolveUrl } from './resolve-url.mjs';

/** @import { ElementNode, Node, NodeEvent } from '@mdream/js' */
/** @typedef {{ text: string, url: string }} Link */

/** Navigation: its links are included, its text is not. */
const navigation = new Set(['nav', 'footer', 'menu']);

/** Elements without readable text. */
const unread = new Set([
  ...['script', 'style', 'template', 'noscript', 'iframe', 'object', 'canvas', 'svg', 'math'],
  ...['button', 'select', 'input', 'textarea', 'dialog', 'audio', 'video', 'map'],
]);

/** Elements that the converter would leave as HTML with their content. */
const written = { details: 'div', summary: 'p', dl: 'div', dt: 'p', dd: 'blockquote' };

const [element, enter] = [1, 0];

/**
 * The content of a page: its title, its text as Markdown, and its links, each once. Links of
 * navigation come last. Reads only as much as results in `characters` of Markdown; `complete` if
 * that was everything.
 *
 * @param {string} html
 * @param {string} url the page's URL, to which its links are relative
 * @param {number} characters
 * @returns {Promise<{ title: string | null, markdown: string, complete: boolean, links: Link[] }>}
 */
export async function readPage(html, url, characters) {
  let base = url;
  /** @type {string | undefined} */
  let title;
  /** @type {WeakMap<Node, 'unread' | 'navigation' | 'title'>} */
  const apart = new WeakMap();
  /** @type {WeakMap<Node, Link>} */
  const linked = new WeakMap();
  /** @type {Record<'content' | 'navigation', Link[]>} */
  const links = { content: [], navigation: [] };

  /** @param {ElementNode} node */
  const look = (node) => {
    const { name, attributes, parent } = node;
    const outer = parent ? apart.get(parent) : undefined;
    const place = outer ?? placeOf(name, attributes);
    if (place !== undefined) apart.set(node, place);
    const link = parent ? linked.get(parent) : undefined;
    if (link !== undefined) linked.set(node, link);
    if (place === 'unread') return;
    if (name === 'base' && base === url) base = resolveUrl(attributes['href'] ?? '', url) ?? url;
    if (name === 'a') lookAtLink(node, place === 'navigation' ? 'navigation' : 'content');
    if (name === 'img') lookAtImage(node);
  };

  /**
   * @param {ElementNode} node
   * @param {'content' | 'navigation'} place
   */
  const lookAtLink = (node, place) => {
    const { attributes } = node;
    const reference = attributes['href'];
    if (reference === undefined) return;
    const target = reference.trim().startsWith('#') ? undefined : resolveUrl(reference, base);
    // Not a link, only text.
    delete attributes['href'];
    if (target === undefined) return;
    attributes['href'] = target;
    const link = { text: '', url: target };
    linked.set(node, link);
    links[place].push(link);
  };

  /** @param {ElementNode} image */
  const lookAtImage = (image) => {
    const { attributes } = image;
    const target = resolveUrl(attributes['src'] ?? '', base);
    // Images without alternative text say nothing, and inline images have no URL.
    if (target === undefined || !attributes['alt']) apart.set(image, 'unread');
    else attributes['src'] = target;
  };

  /** @param {NodeEvent} event */
  const beforeNodeProcess = ({ type, node }) => {
    if (node.type === element) {
      if (type === enter) look(/** @type {ElementNode} */ (node));
      return { skip: apart.has(node) };
    }
    const { parent } = node;
    if (!parent) return undefined;
    const { value } = /** @type {Node & { value: string }} */ (node);
    const link = linked.get(parent);
    if (link !== undefined) link.text += value;
    if (apart.get(parent) === 'title') title ??= value;
    return { skip: apart.has(parent) };
  };

  const read = await markdownInPieces(html, characters, {
    hooks: [{ beforeNodeProcess }],
    plugins: { tagOverrides: written },
  });
  return {
    title: title === undefined ? null : spaced(title),
    ...read,
    links: once([...links.content, ...links.navigation]),
  };
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
function placeOf(name, attributes) {
  if (name === 'title') return 'title';
  if (unread.has(name) || 'hidden' in attributes || attributes['aria-hidden'] === 'true') return 'unread';
  return navigation.has(name) || attributes['role'] === 'navigation' ? 'navigation' : undefined;
}

/** @param {Link[]} links */
function once(links) {
  /** @type {Map<string, Link>} */
  const found = new Map();
  for (const { text, url } of links) {
    const words = spaced(text);
    if (words !== '' && !found.has(url)) found.set(url, { text: words, url });
  }
  return [...found.values()];
}

/** @param {string} text */
function spaced(text) {
  return text.replace(/\s+/g, ' ').trim();
}
