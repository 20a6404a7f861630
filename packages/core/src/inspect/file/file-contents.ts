import type { FoundPlace } from '../finding.ts';
import type { InspectedFile } from '../inspected-skill.ts';

interface Kind {
  kind: 'archive' | 'program' | 'media' | 'module';
  name: string;
}

/** The first bytes of files, in hex. */
const magic: readonly [hex: string, Kind][] = [
  ['504b0304', { kind: 'archive', name: 'a ZIP archive' }],
  ['504b0506', { kind: 'archive', name: 'a ZIP archive' }],
  ['1f8b', { kind: 'archive', name: 'a gzip archive' }],
  ['425a68', { kind: 'archive', name: 'a bzip2 archive' }],
  ['fd377a585a00', { kind: 'archive', name: 'an xz archive' }],
  ['28b52ffd', { kind: 'archive', name: 'a Zstandard archive' }],
  ['377abcaf271c', { kind: 'archive', name: 'a 7-Zip archive' }],
  ['526172211a07', { kind: 'archive', name: 'a RAR archive' }],
  ['7f454c46', { kind: 'program', name: 'a Linux program (ELF)' }],
  ['feedface', { kind: 'program', name: 'a macOS program (Mach-O)' }],
  ['feedfacf', { kind: 'program', name: 'a macOS program (Mach-O)' }],
  ['cefaedfe', { kind: 'program', name: 'a macOS program (Mach-O)' }],
  ['cffaedfe', { kind: 'program', name: 'a macOS program (Mach-O)' }],
  ['cafebabe', { kind: 'program', name: 'a Java class or a macOS program' }],
  ['4d5a', { kind: 'program', name: 'a Windows program (PE)' }],
  ['0061736d', { kind: 'module', name: 'a WebAssembly module' }],
  ['89504e47', { kind: 'media', name: 'a PNG image' }],
  ['ffd8ff', { kind: 'media', name: 'a JPEG image' }],
  ['47494638', { kind: 'media', name: 'a GIF image' }],
  ['52494646', { kind: 'media', name: 'a RIFF file' }],
  ['25504446', { kind: 'media', name: 'a PDF' }],
  ['00000100', { kind: 'media', name: 'an icon' }],
  ['00010000', { kind: 'media', name: 'a font' }],
  ['4f54544f', { kind: 'media', name: 'a font' }],
  ['774f4632', { kind: 'media', name: 'a font' }],
  ['774f4646', { kind: 'media', name: 'a font' }],
  ['53514c69746520666f726d6174', { kind: 'media', name: 'an SQLite database' }],
];

const office = /\.(?:docx|xlsx|pptx|dotx|xltx|potx|odt|ods|odp|epub|docm|xlsm|pptm)$/i;
const media =
  /\.(?:png|jpe?g|gif|webp|bmp|ico|tiff?|svg|pdf|ttf|otf|woff2?|mp[34]|wav|ogg|webm|mov|avif|heic)$/i;

/** Findings on what a file is. `isText`: whether it was decoded as UTF-8. */
export function contentFindings(
  { path, content, link, bytes }: InspectedFile,
  isText: boolean,
): FoundPlace[] {
  if (link !== undefined) {
    return leavesFolder(path, link)
      ? [
          {
            rule: 'file-link',
            file: path,
            sentence:
              'The link leads out of the skill’s folder, to files that this report does not cover. Replace it with the file.',
          },
        ]
      : [];
  }
  if (content === undefined) {
    return [
      {
        rule: 'file-not-read',
        file: path,
        sentence: `The file (${bytes} bytes) was not read, because the skill is larger than the bounds of a review. Read it yourself, or remove it.`,
      },
    ];
  }
  const kind = kindOf(content);
  if (kind?.kind === 'program') {
    return [
      {
        rule: media.test(path) || office.test(path) ? 'file-disguised' : 'file-binary',
        file: path,
        sentence: `The file is ${kind.name}: what it does cannot be read here. Build it from its source, or remove it.`,
      },
    ];
  }
  if (kind?.kind === 'archive' && !office.test(path)) {
    return [
      {
        rule: media.test(path) ? 'file-disguised' : 'file-archive',
        file: path,
        sentence: `The file is ${kind.name}, and this report does not cover its contents. Unpack it into the skill, and review it again.`,
      },
    ];
  }
  if (isText && media.test(path) && !/\.svg$/i.test(path) && startsLikeProgram(content)) {
    return [
      {
        rule: 'file-disguised',
        file: path,
        sentence:
          'The name says media, and the content is a script. Remove it, unless its author can explain it.',
      },
    ];
  }
  if (
    !isText &&
    kind === undefined &&
    !media.test(path) &&
    !/\.(?:pyc|wasm|docx?|xlsx?|pptx?)$/i.test(path)
  ) {
    return [
      {
        rule: 'file-unreadable',
        file: path,
        sentence:
          'The file is neither UTF-8 text nor of a known kind, so nothing in it was checked. Find out what it is, or remove it.',
      },
    ];
  }
  return [];
}

/** Whether a link leads out of the folder, by its text. */
function leavesFolder(path: string, link: string): boolean {
  if (link.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  for (const part of link.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '.' && part !== '') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function kindOf(content: Uint8Array): Kind | undefined {
  const head = Array.from(content.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  // The first bytes of a tar are a name.
  const tar = String.fromCharCode(...content.subarray(257, 262)) === 'ustar';
  if (tar) return { kind: 'archive', name: 'a tar archive' };
  const found = magic.find(([hex]) => head.startsWith(hex))?.[1];
  // Text can begin with MZ or BZh.
  const isAmbiguous = found !== undefined && /^(?:4d5a|425a68)/.test(head);
  return isAmbiguous && !content.subarray(0, 512).includes(0) ? undefined : found;
}

function startsLikeProgram(content: Uint8Array): boolean {
  const head = String.fromCharCode(...content.subarray(0, 64));
  return /^#!|^(?:import|from|const|var|let|function|<\?php|<script)\b/.test(head);
}
