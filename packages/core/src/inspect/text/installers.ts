import type { TextRule } from './text-rule.ts';

const shell = String.raw`(?:sudo\s+(?:-\w+\s+)?)?(?:\/(?:usr\/)?bin\/)?(?:env\s+)?(?:ba|z|da|k)?sh\b`;
const interpreter = String.raw`(?:${shell}|(?:sudo\s+)?(?:python3?|node|perl|ruby|php)\b|iex\b|invoke-expression\b)`;
const fetcher = String.raw`\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b`;

/** Installers in text: commands that download something and run or install it. */
export const installerRules: readonly TextRule[] = [
  {
    rule: 'install-pipe',
    words: ['curl', 'wget', 'fetch', 'iwr', 'irm', 'invoke'],
    pattern: new RegExp(
      String.raw`${fetcher}[^|\n]{0,300}\|\s{0,9}(?:tee\s[^|\n]{1,80}\|\s?)?${interpreter}`,
      'gi',
    ),
    explained: 'warning',
    sentence:
      'A command runs a downloaded script without a look at it: its author can change it at any time. Do not run it; download the file, read it and pin its hash.',
  },
  {
    rule: 'install-pipe',
    words: ['curl', 'wget', 'iwr', 'irm', 'downloadstring', 'invoke'],
    pattern: new RegExp(
      String.raw`(?:\b(?:eval|source|${shell}\s+-c)\s+["']?\$\(|\b(?:ba|z)?sh\s+<\(|\biex\s*\(|\bsource\s+<\(|\biex\s+["']?\$\()\s{0,9}(?:new-object\s[^\n]{0,80}downloadstring|${fetcher})`,
      'gi',
    ),
    explained: 'warning',
    sentence:
      'A command runs a downloaded script without a look at it: its author can change it at any time. Do not run it; download the file, read it and pin its hash.',
  },
  {
    rule: 'install-download',
    words: ['curl', 'wget', 'iwr'],
    pattern: new RegExp(
      String.raw`${fetcher}[^\n]{0,160}https?:[^\0]{0,160}?(?:\bchmod\s+(?:\+x|a\+x|u\+x|[0-7]*7[0-7]*)\s|xattr\s+-[a-z]*[cd]|\bstart-process\b)`,
      'gi',
    ),
    explained: 'warning',
    sentence:
      'A downloaded file is made a program. It is not part of this review, and it can change at any time. Do not run it outside the sandbox.',
  },
  {
    rule: 'install-download',
    words: ['unzip', '7z', '7za', 'unrar', 'password', 'passphrase'],
    pattern:
      /\b(?:unzip\s[^\n]{0,40}-P\s?\S|7za?\s+x\s[^\n]{0,80}-p\S|unrar\s+x\s[^\n]{0,40}-p\S|(?:extract|unzip|open|unpack)[^\n]{0,80}(?:\.zip|\.rar|\.7z|archive)[^\n]{0,60}\bpass(?:word|phrase|code)\s*(?:is|:|=|`))/gi,
    explained: 'warning',
    sentence:
      'An archive is opened with a password that the text gives: scanners cannot look into it, and malware has come this way. Do not download it.',
  },
  {
    rule: 'install-download',
    words: ['download', 'install', 'prerequisite', 'prerequisites'],
    pattern:
      /\b(?:download|install)\b[^\n]{0,120}https?:\/\/[^\s)\]>"'`]{1,200}\.(?:exe|msi|dmg|pkg|scr|bat|ps1|appimage|deb|rpm|jar)\b/gi,
    explained: 'warning',
    sentence:
      'The text asks for a program from a URL. It would run with all your rights, outside the sandbox. Get the program from its publisher, or not at all.',
  },
  {
    rule: 'install-url',
    words: ['pip', 'pip3', 'uv', 'pipx', 'npm', 'npx', 'yarn', 'pnpm', 'bun', 'gem', 'go', 'cargo', 'uvx'],
    pattern:
      /\b(?:pip3?|uv|uvx|pipx|npm|npx|yarn|pnpm|bun|gem|go|cargo)(?:\s+(?:pip|tool))?\s+(?:(?:install|add|i|run|exec|dlx|get|-y|--yes|--from|global)\s+)?[^\n|;&]{0,120}(?:git\+|https?:\/\/|github:|--extra-index-url|--index-url|--registry|-i\s+https?:)[^\s"'`]{0,200}/gi,
    explained: 'warning',
    accepts: ({ text }) =>
      !officialIndex.test(text) &&
      /git\+|github:|index-url|registry|\.(?:tar|zip|whl|tgz|git)|-i\s+http|@git|--from|install|add/i.test(
        text,
      ),
    sentence:
      'A package is installed from a URL or another index, which no registry reviews and its owner can change. Install a pinned version from the usual registry.',
  },
  {
    rule: 'install-unpinned',
    words: ['npx', 'uvx', 'pipx', 'bunx', 'dlx', 'pnpm'],
    pattern:
      /\b(?:npx\s+(?:-y|--yes)|bunx|uvx|pipx\s+run|pnpm\s+dlx|yarn\s+dlx)\s+(?:-\w\s+)?(?!-)(@?[a-z0-9][\w./-]{0,80})(@[\w.-]{1,40}|==[\w.-]{1,40})?/gi,
    explained: 'warning',
    accepts: ({ groups: [, version] }) => version === undefined || version === '@latest',
    sentence:
      'The newest version of a package is downloaded and run without a question: the owner of the package controls the command. Name an exact version.',
  },
  {
    rule: 'install-package',
    words: ['pip', 'pip3', 'npm', 'uv', 'apt', 'brew', 'gem', 'cargo', 'conda', 'pnpm', 'yarn'],
    pattern:
      /\b(?:pip3?\s+install|uv\s+(?:pip\s+install|add)|npm\s+(?:install|i)|(?:pnpm|yarn)\s+add|apt(?:-get)?\s+install|brew\s+install|gem\s+install|cargo\s+install|conda\s+install)\s+(?:-[\w-]+\s+){0,4}([A-Za-z@][^\s`"'|;&]{0,80})/g,
    explained: 'never',
    accepts: ({ text }) => !/https?:|git\+/.test(text),
    sentence:
      'The text installs a package on the machine, with your rights. In the sandbox a skill can install nothing; provide the package yourself if you trust it.',
  },
];

const officialIndex =
  /(?:index-url|registry|-i)[\s=]+["']?https:\/\/(?:pypi\.org\/|registry\.npmjs\.org|download\.pytorch\.org\/)/i;
