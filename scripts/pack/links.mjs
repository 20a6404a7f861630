import { posix } from 'node:path';

/**
 * A page of the documentation as it reads in a package: a link to a file that is not in the package leads to the
 * repository. If that has no address, only the text of the link stays. Pictures are not in packages, so their text stays.
 * @param {string} text
 * @param {object} page
 * @param {string} page.path from the root of the repository
 * @param {(path: string) => boolean} page.isPackaged whether a file or folder is in the package
 * @param {string | undefined} page.address of the repository's files in this version
 */
export function packagedLinks(text, { path, isPackaged, address }) {
  return text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, picture, label, target) => {
    const [file = '', heading] = target.split('#');
    if (file === '' || /^[a-z]+:/.test(file)) return link;
    const linked = posix.join(posix.dirname(path), file);
    if (isPackaged(linked)) return link;
    if (picture !== '' || address === undefined) return label;
    return `[${label}](${address}/${linked}${heading === undefined ? '' : `#${heading}`})`;
  });
}
